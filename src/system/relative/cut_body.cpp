#include "system/relative/cut_body.h"

namespace trammel::system {
namespace {

// Names that a person cannot give: they have spaces.
const std::string kHalf = " (other half)";
const std::string kCut = " (cut)";

void cut_body(std::size_t index, Mechanism& mechanism) {
  Body& body = mechanism.bodies[index];
  body.mass *= 0.5;
  body.inertia *= 0.5;
  Body half = body;
  half.name += kHalf;
  half.rotor.reset();
  half.velocity.reset();
  half.angular_velocity.reset();
  bool first = true;
  for (Joint& joint : mechanism.joints)
    for (Marker& marker : joint.markers) {
      if (marker.body != body.name) continue;
      if (!first) marker.body = half.name;
      first = false;
    }
  Joint hold;
  hold.name = body.name + kCut;
  hold.kind = Joint::Kind::fixed;
  hold.markers = {{body.name, {body.com, Mat3::Identity()}}, {half.name, {body.com, Mat3::Identity()}}};
  mechanism.joints.push_back(hold);
  mechanism.bodies.push_back(half);
}

}  // namespace

Mechanism cut_bodies(const Mechanism& mechanism, std::span<const std::string> names) {
  Mechanism cut = mechanism;
  for (const std::string& name : names)
    for (std::size_t b = 0; b < mechanism.bodies.size(); ++b)
      if (mechanism.bodies[b].name == name) cut_body(b, cut);
  return cut;
}

std::string uncut(const std::string& body) {
  return body.ends_with(kHalf) ? body.substr(0, body.size() - kHalf.size()) : body;
}

bool is_cut(const std::string& joint) { return joint.ends_with(kCut); }

}  // namespace trammel::system
