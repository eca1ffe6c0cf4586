#include "simulation/held_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <variant>

#include "expressions/expression.h"
#include "mechanism/couplers.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"

namespace trammel::simulation {
namespace {

constexpr double kWholeTurn = 2 * std::numbers::pi;

// The bodies that joints lead to from one, other than through those in `without`; ground may be among them.
std::set<std::string> reached(const Mechanism& mechanism, const std::string& from,
                              const std::set<std::string>& without) {
  std::set<std::string> out{from};
  std::vector<std::string> ahead{from};
  while (!ahead.empty()) {
    const std::string at = ahead.back();
    ahead.pop_back();
    for (const Joint& joint : mechanism.joints)
      if (std::ranges::any_of(joint.markers, [&](const Marker& end) { return end.body == at; }))
        for (const Marker& other : joint.markers)
          if (!without.contains(other.body) && out.insert(other.body).second && other.body != kGround)
            ahead.push_back(other.body);
  }
  return out;
}

// Turns by whole turns what hangs on a body alone, but for bodies with known angles. What joints tie to
// ground otherwise too, as the coupler and the rocker of a crank, does not turn round with it. All that have
// turned, that body among them.
std::vector<std::string> turn_along(Mechanism& mechanism, const std::string& from, double by,
                                    const std::set<std::string>& known) {
  std::vector<std::string> turned{from};
  for (const std::string& hangs : reached(mechanism, from, known))
    if (hangs != from && hangs != kGround && !reached(mechanism, hangs, {from}).contains(kGround))
      for (Body& body : mechanism.bodies)
        if (body.name == hangs) {
          body.angle += by;
          turned.push_back(hangs);
        }
  return turned;
}

// Couplers read the drawn places: what turns have added to the angles is no part of their constants.
void keep_constants(Mechanism& mechanism, std::map<std::string, double>& turned) {
  for (Joint& coupler : mechanism.joints)
    for (const auto& [name, angle, coefficient] : mechanism::coupler_terms(coupler)) {
      const Joint& joint = *mechanism.joint(name);
      if (angle)
        coupler.offset -= coefficient * (turned[joint.markers[0].body] - turned[joint.markers[1].body]);
    }
}

struct StartAngle {
  double angle;
  bool initial;  // given by `initial:`
};

}  // namespace

bool gives_coordinate(const Driver& driver) {
  return !driver.of_speed && (driver.kind == Driver::Kind::joint || driver.kind == Driver::Kind::body_angle);
}

Driver held_at(const Driver& driver, double value) {
  Driver out = driver;
  out.equals = {fmt::format("{:.17g}", value)};
  return out;
}

std::optional<Mechanism> held_start(const Mechanism& mechanism) {
  std::vector<Driver> all;
  const auto hold = [&](Driver::Kind kind, const std::string& of, const char* coordinate, double value) {
    Driver driver;
    driver.name = fmt::format("initial {} of {}", coordinate, of);
    driver.kind = kind;
    driver.of = of;
    all.push_back(held_at(driver, value));
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

std::vector<GivenCoordinate> given_coordinates(const Mechanism& mechanism) {
  std::vector<GivenCoordinate> all;
  const std::optional<Mechanism> held = held_start(mechanism);
  const auto symbols = mechanism::make_symbols(mechanism);
  // Those that stand for `initial:` follow the model's own.
  const std::vector<Driver>& drivers = held ? held->drivers : mechanism.drivers;
  for (std::size_t k = 0; k < drivers.size(); ++k) {
    const Driver& driver = drivers[k];
    if (!gives_coordinate(driver)) continue;
    const auto parsed = expressions::Expression::parse(driver.equals.front(), *symbols);
    const auto* f = std::get_if<expressions::Expression>(&parsed);
    if (f == nullptr) continue;
    const std::vector<double> signals(static_cast<std::size_t>(symbols->size()), 0.0);
    std::vector<double> scratch(static_cast<std::size_t>(f->scratch_size()));
    const double value = f->taylor(signals, 0, scratch).f;
    if (!std::isfinite(value)) continue;
    const bool angle = driver.kind == Driver::Kind::body_angle ||
                       mechanism::has_angle(mechanism, *mechanism.joint(driver.of));
    all.push_back({driver, value, angle, k >= mechanism.drivers.size()});
  }
  return all;
}

bool is_tied(const Mechanism& mechanism, const GivenCoordinate& given) {
  const auto couples = [](const Joint& joint) {
    return mechanism::about(joint.kind).of == mechanism::JointOf::joints;
  };
  if (std::ranges::any_of(mechanism.joints, couples)) return true;
  const bool of_body = given.driver.kind == Driver::Kind::body_angle;
  const auto in_loop = [&](const Joint& joint) {
    Mechanism cut = mechanism;
    std::erase(cut.joints, joint);
    return reached(cut, joint.markers[0].body, {}).contains(joint.markers[1].body);
  };
  return std::ranges::any_of(mechanism.joints, [&](const Joint& joint) {
    if (joint.markers.size() < 2) return false;
    if (!of_body) return joint.name == given.driver.of && in_loop(joint);
    const auto on_body = [&](const Marker& end) { return end.body == given.driver.of; };
    return std::ranges::any_of(joint.markers, on_body) && in_loop(joint);
  });
}

Mechanism with_start_turns(Mechanism mechanism) {
  if (!mechanism.is_planar || mechanism.generalized) return mechanism;
  std::map<std::string, StartAngle> angles;  // of bodies
  const std::vector<GivenCoordinate> given = given_coordinates(mechanism);
  for (const GivenCoordinate& one : given)
    if (one.driver.kind == Driver::Kind::body_angle) angles[one.driver.of] = {one.value, one.initial};
  // A joint's angle is the first body's less the second's.
  for (const GivenCoordinate& one : given) {
    if (one.driver.kind != Driver::Kind::joint || !one.angle) continue;
    const Joint& joint = *mechanism.joint(one.driver.of);
    const std::string &first = joint.markers[0].body, &second = joint.markers[1].body;
    if (second == kGround) angles.emplace(first, StartAngle{one.value, one.initial});
    if (first == kGround) angles.emplace(second, StartAngle{-one.value, one.initial});
  }
  std::set<std::string> known;
  for (const auto& [name, angle] : angles) known.insert(name);
  std::map<std::string, double> turned;  // away from the drawn places
  for (const auto& [name, start] : angles) {
    double whole = 0, left = 0;
    for (Body& body : mechanism.bodies)
      if (body.name == name && std::abs(start.angle - body.angle) > std::numbers::pi) {
        whole = kWholeTurn * std::round((start.angle - body.angle) / kWholeTurn);
        left = start.angle - body.angle - whole;
        body.angle = start.angle;
      }
    if (whole == 0) continue;
    const bool drawn_there = !start.initial && std::abs(left) < mechanism::kDrawnThere;
    for (const std::string& body : turn_along(mechanism, name, whole, known))
      if (!drawn_there) turned[body] += whole;
  }
  keep_constants(mechanism, turned);
  return mechanism;
}

}  // namespace trammel::simulation
