#include "analysis/without_stiction.h"

#include <fmt/format.h>

namespace trammel::analysis {
namespace {

bool sticks(const Force& force) { return std::holds_alternative<DryFriction>(force.law); }

}  // namespace

void remove_dry_friction(Mechanism& mechanism) { std::erase_if(mechanism.forces, sticks); }

std::string stiction_refusal(const Mechanism& mechanism, const std::string& analysis) {
  for (const Force& force : mechanism.forces)
    if (sticks(force))
      return fmt::format(
          "{} has no one answer where '{}' may stick; leave it out of the model, or give its force or torque "
          "by friction: or torque:",
          analysis, force.name);
  return {};
}

}  // namespace trammel::analysis
