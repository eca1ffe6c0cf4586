#include "analysis/without_stiction.h"

#include <fmt/format.h>

namespace trammel::analysis {
namespace {

bool sticks(const Force& force) { return std::holds_alternative<DryFriction>(force.law); }

}  // namespace

void remove_dry_friction(Mechanism& mechanism) { std::erase_if(mechanism.forces, sticks); }

Mechanism with_far_stops(Mechanism mechanism) {
  constexpr double kFar = 1e30;
  for (EndStop& stop : mechanism.stops) {
    if (stop.lower) stop.lower = -kFar;
    if (stop.upper) stop.upper = kFar;
  }
  return mechanism;
}

std::string stiction_refusal(const Mechanism& mechanism, const std::string& analysis) {
  for (const Force& force : mechanism.forces)
    if (sticks(force))
      return fmt::format(
          "{} is not unique with the dry friction '{}': while it sticks, it holds the mechanism in a whole "
          "range "
          "of positions. Leave it out of the model, or replace it by friction without sticking (`friction:`) "
          "or "
          "by a given torque (`torque:`)",
          analysis, force.name);
  return {};
}

}  // namespace trammel::analysis
