#include "analysis/driver_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/standing_drivers.h"
#include "expressions/nearest_name.h"
#include "expressions/unknown_name.h"
#include "mechanism/signals.h"

namespace trammel::analysis {
namespace {

// The gap of a cam is its follower's to keep.
bool has_one_coordinate(const Mechanism& mechanism, const Joint& joint) {
  return joint.kind != Joint::Kind::cam &&
         mechanism::has_angle(mechanism, joint) != mechanism::has_displacement(mechanism, joint);
}

bool may_sweep(const Driver& driver) { return driver.kind != Driver::Kind::position && !driver.of_speed; }

// The driver of that name, or of the joint or body of that name; a new one where it has none.
Driver& driver_named(Mechanism& mechanism, const std::string& name) {
  for (Driver& driver : mechanism.drivers)
    if (may_sweep(driver) &&
        (driver.name == name || (driver.kind != Driver::Kind::distance && driver.of == name)))
      return driver;
  Driver driver;
  driver.name = driver.of = name;
  const Joint* joint = mechanism.joint(name);
  const Body* body = mechanism.body(name);
  if (joint != nullptr && has_one_coordinate(mechanism, *joint)) {
    driver.kind = Driver::Kind::joint;
  } else if (body != nullptr && mechanism.is_planar && body->kind != Body::Kind::point_mass) {
    driver.kind = Driver::Kind::body_angle;
  } else {
    std::vector<std::string> known;
    for (const Driver& one : mechanism.drivers)
      if (may_sweep(one)) known.push_back(one.name);
    for (const Joint& one : mechanism.joints)
      if (has_one_coordinate(mechanism, one)) known.push_back(one.name);
    for (const Body& one : mechanism.bodies)
      if (mechanism.is_planar && one.kind != Body::Kind::point_mass) known.push_back(one.name);
    throw expressions::UnknownName(fmt::format(
        "no driver, joint or body named '{}' has a single coordinate that could be swept; {}", name,
        known.empty() ? std::string("there is none in this model")
                      : expressions::choice_advice(name, known)));
  }
  driver.name = "sweep of " + name;
  return mechanism.drivers.emplace_back(std::move(driver));
}

}  // namespace

Mechanism swept(Mechanism mechanism, const DriverSweep& sweep) {
  const double length = std::abs(sweep.to - sweep.from);
  if (!(length > 0) || !std::isfinite(length))
    throw std::invalid_argument(
        fmt::format("a sweep of '{}' from {} to {} goes nowhere; give two different values", sweep.name,
                    sweep.from, sweep.to));
  mechanism = with_drivers_standing(std::move(mechanism));
  Driver& driver = driver_named(mechanism, sweep.name);
  driver.equals = {fmt::format("{:.17g} {} t", sweep.from, sweep.to > sweep.from ? '+' : '-')};
  mechanism.plan.duration = length;
  mechanism.plan.output_interval = length / std::max(1, sweep.count - 1);
  return mechanism;
}

}  // namespace trammel::analysis

namespace trammel {

bool sweeps_angle(const Mechanism& mechanism, const DriverSweep& sweep) {
  Mechanism copy = mechanism;
  const Driver& driver = analysis::driver_named(copy, sweep.name);
  if (driver.kind == Driver::Kind::distance) return false;
  if (driver.kind == Driver::Kind::body_angle) return true;
  const Joint* joint = mechanism.joint(driver.of);
  return joint == nullptr || mechanism::has_angle(mechanism, *joint);
}

}  // namespace trammel
