#include "simulation/held_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <variant>

#include "expressions/expression.h"
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
// ground otherwise too, as the coupler and the rocker of a crank, does not turn round with it.
void turn_along(Mechanism& mechanism, const std::string& from, double by,
                const std::set<std::string>& known) {
  for (const std::string& hangs : reached(mechanism, from, known))
    if (hangs != from && hangs != kGround && !reached(mechanism, hangs, {from}).contains(kGround))
      for (Body& body : mechanism.bodies)
        if (body.name == hangs) body.angle += by;
}

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

Mechanism with_start_turns(Mechanism mechanism) {
  if (!mechanism.is_planar || mechanism.generalized) return mechanism;
  std::map<std::string, double> angles;  // at the start, of bodies
  const std::vector<GivenCoordinate> given = given_coordinates(mechanism);
  for (const GivenCoordinate& one : given)
    if (one.driver.kind == Driver::Kind::body_angle) angles[one.driver.of] = one.value;
  // A joint's angle is the first body's less the second's.
  for (const GivenCoordinate& one : given) {
    if (one.driver.kind != Driver::Kind::joint || !one.angle) continue;
    const Joint& joint = *mechanism.joint(one.driver.of);
    const std::string &first = joint.markers[0].body, &second = joint.markers[1].body;
    if (second == kGround) angles.emplace(first, one.value);
    if (first == kGround) angles.emplace(second, -one.value);
  }
  std::set<std::string> known;
  for (const auto& [name, angle] : angles) known.insert(name);
  for (const auto& [name, angle] : angles) {
    double whole = 0;
    for (Body& body : mechanism.bodies)
      if (body.name == name && std::abs(angle - body.angle) > std::numbers::pi) {
        whole = kWholeTurn * std::round((angle - body.angle) / kWholeTurn);
        body.angle = angle;
      }
    if (whole != 0) turn_along(mechanism, name, whole, known);
  }
  return mechanism;
}

}  // namespace trammel::simulation
