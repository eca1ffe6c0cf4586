#include "sweep_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

namespace trammel::app {
namespace {

// ", 3 min left"; empty while it is not known.
std::string time_left(double seconds) {
  if (!(seconds >= 0) || seconds > 100 * 86400.0) return "";
  return seconds < 90     ? fmt::format(", {:.0f} s left", seconds)
         : seconds < 5400 ? fmt::format(", {:.0f} min left", seconds / 60)
         : seconds < 2e5  ? fmt::format(", {:.1f} h left", seconds / 3600)
                          : fmt::format(", {:.0f} days left", seconds / 86400);
}

}  // namespace

SweepBar::SweepBar(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO)) {}

void SweepBar::clear() {
  if (drawn_) fmt::print(stderr, "\r{:100}\r", "");
  drawn_ = false;
}

void SweepBar::show(const SweepProgress& now) {
  if (!shown_) return;
  const Clock::time_point at = Clock::now();
  if (at - drawn_at_ < std::chrono::milliseconds(200)) return;
  drawn_at_ = at;
  drawn_ = true;
  const auto computed = static_cast<double>(now.finished - now.resumed);
  const double pace = computed / std::chrono::duration<double>(at - begun_).count(),
               part = static_cast<double>(now.finished) / static_cast<double>(now.runs);
  fmt::print(stderr, "\r[{:<30}] {} of {} runs{}{:<20}",
             std::string(static_cast<std::size_t>(part * 30), '#'), now.finished, now.runs,
             now.failed > 0 ? fmt::format(", {} failed", now.failed) : "",
             computed > 0 ? time_left(static_cast<double>(now.runs - now.finished) / pace) : "");
}

}  // namespace trammel::app
