#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace trammel::app {
namespace {

volatile std::sig_atomic_t interrupts = 0;

int percent_of(double part) { return static_cast<int>(100 * part); }

}  // namespace

ProgressLine::ProgressLine(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO)) {}

ProgressLine::~ProgressLine() {
  if (drawn_) fmt::print(stderr, "\r{:80}\r", "");
}

bool ProgressLine::is_due(double part, double& since) const {
  if (!shown_) return false;
  const Clock::duration passed = Clock::now() - drawn_at_;
  since = std::chrono::duration<double>(passed).count();
  return percent_of(part) != percent_ || passed >= std::chrono::seconds(1);
}

void ProgressLine::show(double part, const std::string& text) {
  percent_ = percent_of(part);
  drawn_at_ = Clock::now();
  drawn_ = true;
  fmt::print(stderr, "\r[{:<40}] {:3}%  {:<34}", std::string(static_cast<std::size_t>(percent_ * 2 / 5), '#'),
             percent_, text);
}

void remember_interrupt() {
  std::signal(SIGINT, [](int) {
    interrupts = 1;
    std::signal(SIGINT, SIG_DFL);
  });
}

bool is_interrupted() { return interrupts != 0; }

}  // namespace trammel::app
