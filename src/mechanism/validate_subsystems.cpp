// Subsystems divide the bodies: each body belongs to one at most.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "mechanism/validate_parts.h"

namespace trammel::mechanism {

void validate_subsystems(const Mechanism& mechanism, const MechanismIndex& index, Issues& issues) {
  std::map<std::string, std::string> home;
  for (const Subsystem& subsystem : mechanism.subsystems) {
    const auto add = [&](const std::string& field, const std::string& message, const std::string& remedy) {
      issues.push_back(
          {subsystem.where, field, fmt::format("subsystem '{}': {}", subsystem.name, message), remedy});
    };
    bool moves = false;
    for (const std::string& body : subsystem.bodies) {
      moves = moves || body != kGround;
      if (!index.has_body(body)) add("bodies", fmt::format("there is no body '{}'", body), "name a body");
      const auto [at, is_new] = home.emplace(body, subsystem.name);
      if (!is_new && body != kGround)
        add("bodies", fmt::format("'{}' belongs to '{}' already", body, at->second), "name it once");
    }
    if (!moves) add("bodies", "it has no body that moves", "name at least one");
    if (subsystem.substeps < 1)
      add("substeps", fmt::format("{} substeps", subsystem.substeps), "give a whole number above zero");
    if (!(subsystem.newmark_beta >= 0 && subsystem.newmark_beta <= 0.5 && subsystem.newmark_gamma >= 0.5 &&
          subsystem.newmark_gamma <= 1))
      add("integrator",
          fmt::format("Newmark's beta {} and gamma {} give no stable rule", subsystem.newmark_beta,
                      subsystem.newmark_gamma),
          "take beta from 0 to 1/2 and gamma from 1/2 to 1");
  }
}

}  // namespace trammel::mechanism
