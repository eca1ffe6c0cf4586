#include "results/report/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel::results {

std::string plural(long n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string summary_line(const std::string& label, const std::string& text) {
  return fmt::format("  {:<22}{}\n", label, text);
}

namespace {

// "1 driver prescribes"; empty: there are none.
std::string prescribing(const Mechanism& mechanism) {
  const auto n = static_cast<long>(mechanism.drivers.size());
  return n == 0 ? "" : plural(n, "driver") + (n == 1 ? " prescribes" : " prescribe");
}

}  // namespace

std::string freedom_text(const Mechanism& mechanism, const std::string& freedom) {
  const std::string drivers = prescribing(mechanism);
  // Friction that sticks is a constraint while it does.
  const bool rubs = std::ranges::any_of(
      mechanism.forces, [](const Force& force) { return std::holds_alternative<DryFriction>(force.law); });
  if (rubs)
    return fmt::format("{} at the start, beside what {}friction holds", freedom,
                       drivers.empty() ? "" : drivers + " and ");
  if (drivers.empty()) return freedom;
  return freedom == "0" ? fmt::format("0: {} the whole motion", drivers)
                        : fmt::format("{}, beside what {}", freedom, drivers);
}

}  // namespace trammel::results
