// Copies of a Mechanism, lookups by name, and places at the start as markers on bodies.
#include "trammel/mechanism.h"

#include <algorithm>

namespace trammel {
namespace {

template <class T>
const T* find_by_name(const std::vector<T>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& x) { return x.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Mechanism::Mechanism() = default;
Mechanism::Mechanism(const Mechanism&) = default;
Mechanism::Mechanism(Mechanism&&) noexcept = default;
Mechanism& Mechanism::operator=(const Mechanism&) = default;
Mechanism& Mechanism::operator=(Mechanism&&) noexcept = default;
Mechanism::~Mechanism() = default;

const Body* Mechanism::body(const std::string& body_name) const { return find_by_name(bodies, body_name); }
const Joint* Mechanism::joint(const std::string& joint_name) const {
  return find_by_name(joints, joint_name);
}
const Point* Mechanism::point(const std::string& point_name) const {
  return find_by_name(points, point_name);
}

Frame Mechanism::placement(const std::string& body_name) const {
  const Body* found = body(body_name);
  return found ? found->placement : Frame{};
}

Marker Mechanism::marker_at(const std::string& body_name, const Frame& world) const {
  const Frame place = placement(body_name);
  const Mat3 to_body = place.axes.transpose();
  return {body_name, {to_body * (world.at - place.at), to_body * world.axes}};
}

}  // namespace trammel
