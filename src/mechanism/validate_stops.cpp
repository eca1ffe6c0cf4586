// End-stops limit one coordinate that nothing drives, between limits in order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanism/signals.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

bool has_one_coordinate(const Mechanism& mechanism, const MechanismIndex& index, const std::string& name) {
  if (mechanism.generalized) {
    const auto& all = mechanism.generalized->coordinates;
    return std::any_of(all.begin(), all.end(), [&](const auto& q) { return q.name == name; });
  }
  const auto joint = index.joints.find(name);
  return joint != index.joints.end() &&
         has_angle(mechanism, *joint->second) != has_displacement(mechanism, *joint->second);
}

void validate_stop(const Mechanism& mechanism, const MechanismIndex& index, const EndStop& stop,
                   Issues& issues) {
  const auto add = [&](const std::string& field, const std::string& message, const std::string& remedy) {
    issues.push_back({stop.where, field, message, remedy});
  };
  if (!has_one_coordinate(mechanism, index, stop.joint))
    add(mechanism.generalized ? "coordinate" : "joint",
        fmt::format("stop '{}' needs a coordinate to limit, and '{}' has not exactly one", stop.name,
                    stop.joint),
        mechanism.generalized ? "name a coordinate"
                              : "name a revolute or prismatic joint, or a pin of two bodies");
  if (!stop.lower && !stop.upper)
    add("", fmt::format("stop '{}' has no limit", stop.name), "give lower:, upper: or both");
  for (const auto& limit : {stop.lower, stop.upper})
    if (limit && !std::isfinite(*limit))
      add("", fmt::format("a limit of stop '{}' is not finite", stop.name), "give a number, or leave it out");
  if (stop.lower && stop.upper && !(*stop.lower < *stop.upper))
    add("upper",
        fmt::format("stop '{}': the upper limit {} is not above the lower limit {}", stop.name, *stop.upper,
                    *stop.lower),
        *stop.upper < *stop.lower
            ? "exchange them"
            : "to hold the coordinate there, replace the stop by a fixed joint or by a driver with equals:");
  if (!(stop.restitution >= 0 && stop.restitution <= 1))
    add("restitution",
        fmt::format("stop '{}': a restitution of {} is not between 0 and 1", stop.name, stop.restitution),
        "0 stays, 1 bounces back with the same speed");
  for (const Driver& driver : mechanism.drivers)
    if (driver.kind == Driver::Kind::joint && driver.of == stop.joint && !driver.of_speed)
      add("joint",
          fmt::format("stop '{}' limits '{}', which driver '{}' moves", stop.name, stop.joint, driver.name),
          "a driver does not give way: remove one of the two");
}

}  // namespace

void validate_stops(const Mechanism& mechanism, const MechanismIndex& index, Issues& issues) {
  for (const EndStop& stop : mechanism.stops) validate_stop(mechanism, index, stop, issues);
}

}  // namespace trammel::mechanism
