#include "simulation/choose_coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "mechanism/signals.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

constexpr std::size_t kLongTree = 10;      // bodies: relative coordinates lose less energy
constexpr double kLightPart = 1e-4;        // of a neighbour's mass: natural coordinates err more
constexpr double kNoMass = 1e-9;           // of the heaviest: reference coordinates leave constraints open
constexpr double kManyTurns = 20;          // in the run: natural coordinates take steps of a tenth of a turn
constexpr std::size_t kMostBodies = 5000;  // of more bodies no second System is compiled only to look

// The body that turns most often from its given speed, if it is often enough to matter.
std::string spinning_part(const Mechanism& mechanism, double duration) {
  const double least = kManyTurns * 2 * std::numbers::pi;
  for (const Body& body : mechanism.bodies)
    if (body.angular_velocity && body.angular_velocity->norm() * duration > least) return body.name;
  for (const Joint& joint : mechanism.joints)
    if (joint.speed && mechanism::has_angle(mechanism, joint) && std::abs(*joint.speed) * duration > least)
      return joint.name;
  return {};
}

// A body that is light beside one that it is joined to.
std::string light_part(const Mechanism& mechanism) {
  for (const Joint& joint : mechanism.joints) {
    const Body *lightest = nullptr, *heaviest = nullptr;
    for (const Marker& marker : joint.markers) {
      const Body* body = mechanism.body(marker.body);
      if (body == nullptr) continue;
      if (lightest == nullptr || body->mass < lightest->mass) lightest = body;
      if (heaviest == nullptr || body->mass > heaviest->mass) heaviest = body;
    }
    if (lightest != nullptr && lightest->mass < kLightPart * heaviest->mass) return lightest->name;
  }
  return {};
}

// Null: not every mechanism can be said in these coordinates.
std::shared_ptr<const system::System> compiled(const Mechanism& mechanism, CoordinatesKind kind) {
  try {
    return system::compile(mechanism, kind);
  } catch (const std::invalid_argument&) {
    return nullptr;
  }
}

bool has_no_constraints(const Mechanism& mechanism, CoordinatesKind kind) {
  const auto system = compiled(mechanism, kind);
  return system != nullptr && system->rows().empty();
}

// A body without mass that only the armature of a joint makes sluggish. Coordinates of bodies see it as one
// without mass.
std::string sluggish_by_armature(const Mechanism& mechanism) {
  for (const Joint& joint : mechanism.joints) {
    if (joint.armature == 0) continue;
    for (const Marker& marker : joint.markers) {
      const Body* body = mechanism.body(marker.body);
      if (body != nullptr && body->kind == Body::Kind::rigid && body->mass == 0 && body->inertia.isZero(0))
        return body->name;
    }
  }
  return {};
}

}  // namespace

CoordinatesChoice choose_coordinates(const Mechanism& mechanism, const ResolvedPlan& plan) {
  if (mechanism.generalized) return {CoordinatesKind::generalized, ""};
  const bool names_rows = !plan.penalty_of.empty() || !plan.omega_of.empty() || !plan.mu_of.empty();
  if (!plan.falls_back || names_rows || mechanism.bodies.size() > kMostBodies) return {};
  const std::string spinning = spinning_part(mechanism, plan.duration), light = light_part(mechanism);
  const bool is_long = mechanism.bodies.size() >= kLongTree;
  if (spinning.empty() && light.empty() && !is_long) return {};
  const std::string why = !spinning.empty() ? fmt::format("'{}' spins", spinning)
                          : !light.empty()  ? fmt::format("'{}' is light beside its neighbour", light)
                                            : fmt::format("there are {} bodies", mechanism.bodies.size());
  if (has_no_constraints(mechanism, CoordinatesKind::relative))
    return {CoordinatesKind::relative, why + "; in these a tree of joints has no constraints"};
  if (const std::string body = sluggish_by_armature(mechanism);
      !body.empty() && compiled(mechanism, CoordinatesKind::relative) != nullptr)
    return {CoordinatesKind::relative, fmt::format("'{}' has no mass but the armature of its joint", body)};
  double heaviest = 0;
  for (const Body& body : mechanism.bodies) heaviest = std::max(heaviest, body.mass);
  const auto massless = [&](const Body& body) { return body.mass <= kNoMass * heaviest; };
  if ((spinning.empty() && light.empty()) || std::ranges::any_of(mechanism.bodies, massless)) return {};
  return {CoordinatesKind::reference, why};
}

}  // namespace trammel::simulation
