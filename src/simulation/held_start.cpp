#include "simulation/held_start.h"

#include <fmt/format.h>

#include "mechanism/signals.h"

namespace trammel::simulation {

std::optional<Mechanism> held_start(const Mechanism& mechanism) {
  std::vector<Driver> all;
  const auto hold = [&](Driver::Kind kind, const std::string& of, const char* coordinate, double value) {
    Driver driver;
    driver.name = fmt::format("initial {} of {}", coordinate, of);
    driver.kind = kind;
    driver.of = of;
    driver.equals = {fmt::format("{:.17g}", value)};
    all.push_back(std::move(driver));
  };
  for (const Body& body : mechanism.bodies)
    if (body.held_angle) hold(Driver::Kind::body_angle, body.name, "angle", *body.held_angle);
  for (const Joint& joint : mechanism.joints)
    if (joint.held)
      hold(Driver::Kind::joint, joint.name, mechanism::has_angle(mechanism, joint) ? "angle" : "displacement",
           *joint.held);
  if (all.empty()) return std::nullopt;
  std::optional<Mechanism> out = mechanism;
  out->drivers.insert(out->drivers.end(), all.begin(), all.end());
  return out;
}

}  // namespace trammel::simulation
