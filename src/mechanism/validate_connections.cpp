// A body that nothing touches is nearly always a forgotten joint; a free one says so.
#include <fmt/format.h>

#include <unordered_set>

#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

// A person's own force or constraint may be missing: that is another issue.
template <class Law>
std::vector<UserPoint> own_points(const Law* law) {
  return law == nullptr ? std::vector<UserPoint>{} : law->points();
}

}  // namespace

std::unordered_set<std::string> connected_bodies(const Mechanism& mechanism) {
  std::unordered_set<std::string> touched;
  const auto touch = [&](const Marker& marker) { touched.insert(marker.body); };
  for (const Joint& joint : mechanism.joints) {
    for (const Marker& marker : joint.markers) touch(marker);
    if (about(joint.kind).of != JointOf::signals) continue;
    for (const std::string& name : joint.of) {
      const auto signal = resolve_signal(mechanism, name);
      if (!signal) continue;
      touched.insert(signal->object);
      touch(signal->point);
    }
  }
  for (const Driver& driver : mechanism.drivers) {
    for (const Marker& marker : driver.markers) touch(marker);
    touched.insert(driver.of);
  }
  for (const Force& force : mechanism.forces) {
    if (const auto* spring = std::get_if<SpringDamper>(&force.law)) touch(spring->a), touch(spring->b);
    if (const auto* bushing = std::get_if<Bushing>(&force.law)) touch(bushing->a), touch(bushing->b);
    if (const auto* belt = std::get_if<ElasticBelt>(&force.law)) touch(belt->a), touch(belt->b);
    if (const auto* applied = std::get_if<AppliedForce>(&force.law)) touch(applied->at);
    if (const auto* torque = std::get_if<AppliedTorque>(&force.law)) touched.insert(torque->body);
    if (const auto* law = std::get_if<UserForcePtr>(&force.law)) {
      for (const UserPoint& point : own_points(law->get())) touched.insert(point.body);
    }
  }
  for (const CustomConstraint& custom : mechanism.constraints) {
    for (const UserPoint& point : own_points(custom.law.get())) touched.insert(point.body);
  }
  return touched;
}

void validate_connections(const Mechanism& mechanism, Issues& issues) {
  if (mechanism.bodies.size() < 2) return;
  const std::unordered_set<std::string> touched = connected_bodies(mechanism);
  for (const Body& body : mechanism.bodies) {
    if (body.free || touched.count(body.name) > 0) continue;
    issues.push_back({body.where, "", fmt::format("body '{}' is connected to nothing", body.name),
                      "add a joint or a force, share a point with another body, or say free: true", true});
  }
}

}  // namespace trammel::mechanism
