#include "simulation/held_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <stdexcept>
#include <variant>

#include "expressions/expression.h"
#include "formulations/projection/assembly.h"
#include "mechanism/signals.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
// Parts of the way to the start: rad, and of the mechanism's size. Newton's method closes joints from there.
constexpr double kAnglePart = 0.4, kLengthPart = 0.3;
constexpr double kMostParts = 200;

// A coordinate that is known at t = 0.
struct Given {
  Driver driver;
  double value;  // rad or m
  bool angle;
};

bool gives_coordinate(const Driver& driver) {
  return !driver.of_speed && (driver.kind == Driver::Kind::joint || driver.kind == Driver::Kind::body_angle);
}

Driver constant(const Driver& driver, double value) {
  Driver out = driver;
  out.equals = {fmt::format("{:.17g}", value)};
  return out;
}

std::vector<Given> given_coordinates(const Mechanism& mechanism) {
  std::vector<Given> all;
  const std::optional<Mechanism> held = held_start(mechanism);
  const auto symbols = mechanism::make_symbols(mechanism);
  for (const Driver& driver : held ? held->drivers : mechanism.drivers) {
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
    all.push_back({driver, value, angle});
  }
  return all;
}

// Turns by whole turns what hangs on a body by joints that are free to turn, but for bodies with known
// angles.
void turn_along(Mechanism& mechanism, const std::string& from, double by, std::set<std::string>& known) {
  for (const Joint& joint : mechanism.joints)
    for (const Marker& end : joint.markers)
      for (const Marker& other : joint.markers)
        if (end.body == from && other.body != kGround && known.insert(other.body).second) {
          for (Body& body : mechanism.bodies)
            if (body.name == other.body) body.angle += by;
          turn_along(mechanism, other.body, by, known);
        }
}

struct Place {
  Vec3 at;
  Mat3 axes;
};
Place place_of(const Mechanism& mechanism, const std::vector<Pose>& poses, const Marker& marker) {
  for (std::size_t b = 0; b < poses.size(); ++b)
    if (mechanism.bodies[b].name == marker.body)
      return {poses[b].position + poses[b].axes * (marker.frame.at - mechanism.bodies[b].com),
              poses[b].axes * marker.frame.axes};
  return {marker.frame.at, marker.frame.axes};
}

// What a given coordinate reads in these poses, angles up to whole turns.
double reading(const Mechanism& mechanism, const std::vector<Pose>& poses, const Given& given) {
  if (given.driver.kind == Driver::Kind::body_angle) {
    for (std::size_t b = 0; b < poses.size(); ++b)
      if (mechanism.bodies[b].name == given.driver.of) return poses[b].angle;
    return 0;
  }
  const Joint& joint = *mechanism.joint(given.driver.of);
  const Place moving = place_of(mechanism, poses, joint.markers[0]),
              base = place_of(mechanism, poses, joint.markers[1]);
  if (given.angle) {
    const Vec3 x = moving.axes.col(0);
    return std::atan2(x.dot(base.axes.col(1)), x.dot(base.axes.col(0))) + joint.offset;
  }
  return (moving.at - base.at).dot(base.axes.col(mechanism.is_planar ? 0 : 2)) + joint.offset;
}

// Goes the ways from the readings in `start`, all at once.
std::optional<StartPosition> lead(const Mechanism& undriven, const std::vector<Given>& given,
                                  const std::vector<double>& from, const std::vector<double>& way,
                                  StartPosition at, int parts) {
  for (int k = 1; k <= parts; ++k) {
    Mechanism mechanism = undriven;
    for (std::size_t i = 0; i < given.size(); ++i)
      mechanism.drivers.push_back(constant(given[i].driver, from[i] + way[i] * k / parts));
    const auto system = system::compile(mechanism);
    State state = system->initial_state();
    system->place(mechanism.bodies, at.poses, state);
    system->take_turns(at.turns, state);
    if (!formulations::assemble_positions(*system, state).report.accepted()) return std::nullopt;
    at = {system->poses(state), system->turns(state)};
  }
  for (const Given& one : given)
    if (one.angle) at.turns[one.driver.of + ".angle"] = one.value;
  return at;
}

}  // namespace

std::optional<Mechanism> held_start(const Mechanism& mechanism) {
  std::vector<Driver> all;
  const auto hold = [&](Driver::Kind kind, const std::string& of, const char* coordinate, double value) {
    Driver driver;
    driver.name = fmt::format("initial {} of {}", coordinate, of);
    driver.kind = kind;
    driver.of = of;
    all.push_back(constant(driver, value));
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

Mechanism with_start_turns(Mechanism mechanism) {
  if (!mechanism.is_planar || mechanism.generalized) return mechanism;
  std::map<std::string, double> angles;  // at the start, of bodies
  const std::vector<Given> given = given_coordinates(mechanism);
  for (const Given& one : given)
    if (one.driver.kind == Driver::Kind::body_angle) angles[one.driver.of] = one.value;
  // A joint's angle is the first body's less the second's.
  for (const Given& one : given) {
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
        whole = kTurn * std::round((angle - body.angle) / kTurn);
        body.angle = angle;
      }
    if (whole != 0) turn_along(mechanism, name, whole, known);
  }
  return mechanism;
}

std::optional<StartPosition> lead_to_start(const Mechanism& mechanism) {
  const std::vector<Given> given = given_coordinates(mechanism);
  if (given.empty()) return std::nullopt;
  Mechanism undriven = mechanism;
  std::erase_if(undriven.drivers, gives_coordinate);
  for (Body& body : undriven.bodies) body.held_angle.reset();
  for (Joint& joint : undriven.joints) joint.held.reset();
  try {
    const auto system = system::compile(undriven);
    State state = system->initial_state();
    if (!formulations::assemble_positions(*system, state).report.accepted()) return std::nullopt;
    const StartPosition closed{system->poses(state), system->turns(state)};
    std::vector<double> from, way;
    double parts = 1;
    for (const Given& one : given) {
      from.push_back(reading(mechanism, closed.poses, one));
      const double whole = one.value - from.back();
      way.push_back(one.angle ? std::remainder(whole, kTurn) : whole);
      const double size = one.angle ? kAnglePart : kLengthPart * system->length_scale();
      parts = std::max(parts, std::ceil(std::abs(way.back()) / size));
    }
    if (const auto found =
            lead(undriven, given, from, way, closed, static_cast<int>(std::min(parts, kMostParts))))
      return found;
    // The other way round.
    for (std::size_t i = 0; i < way.size(); ++i)
      if (given[i].angle && way[i] != 0) way[i] -= std::copysign(kTurn, way[i]);
    return lead(undriven, given, from, way, closed, static_cast<int>(kTurn / kAnglePart) + 1);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // natural coordinates cannot express every mechanism
  }
}

}  // namespace trammel::simulation
