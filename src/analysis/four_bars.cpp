#include "analysis/four_bars.h"

#include <algorithm>
#include <set>

#include "mechanism/joint_kinds.h"

namespace trammel::analysis {
namespace {

struct Edge {
  std::string joint, a, b;
};

// Joints of two bodies that turn about one place and do nothing else.
std::vector<Edge> hinges(const Mechanism& mechanism) {
  std::vector<Edge> all;
  for (const Joint& joint : mechanism.joints) {
    const mechanism::JointInfo& kind = mechanism::about(joint.kind);
    const bool turns =
        kind.angle.plane && !kind.displacement.plane && kind.hold == mechanism::JointHold::point;
    if (turns && joint.markers.size() == 2 && joint.markers[0].body != joint.markers[1].body)
      all.push_back({joint.name, joint.markers[0].body, joint.markers[1].body});
  }
  return all;
}

bool drives(const Mechanism& mechanism, const std::string& joint, const std::string& body) {
  return std::ranges::any_of(mechanism.drivers, [&](const Driver& driver) {
    return (driver.kind == Driver::Kind::joint && driver.of == joint) ||
           (driver.kind == Driver::Kind::body_angle && driver.of == body);
  });
}

// Continues a path of links by one, until it comes back to its beginning with four.
void close_loops(const Mechanism& mechanism, const std::vector<Edge>& edges, FourBar& loop, std::size_t links,
                 std::vector<FourBar>& found) {
  for (const Edge& edge : edges) {
    if (std::find(loop.joints.begin(), loop.joints.begin() + static_cast<long>(links) - 1, edge.joint) !=
        loop.joints.begin() + static_cast<long>(links) - 1)
      continue;
    const std::string& last = loop.bodies[links - 1];
    if (edge.a != last && edge.b != last) continue;
    const std::string& next = edge.a == last ? edge.b : edge.a;
    loop.joints[links - 1] = edge.joint;
    if (links == 4) {
      if (next == loop.bodies[0] && drives(mechanism, loop.joints[0], loop.bodies[1])) found.push_back(loop);
      continue;
    }
    if (std::find(loop.bodies.begin(), loop.bodies.begin() + static_cast<long>(links), next) !=
        loop.bodies.begin() + static_cast<long>(links))
      continue;
    loop.bodies[links] = next;
    close_loops(mechanism, edges, loop, links + 1, found);
  }
}

}  // namespace

std::vector<FourBar> four_bars(const Mechanism& mechanism) {
  std::vector<FourBar> found;
  if (!mechanism.is_planar) return found;
  const std::vector<Edge> edges = hinges(mechanism);
  std::set<std::string> links;
  for (const Edge& edge : edges) links.insert({edge.a, edge.b});
  for (const std::string& frame : links) {
    FourBar loop;
    loop.bodies[0] = frame;
    std::vector<FourBar> here;
    close_loops(mechanism, edges, loop, 1, here);
    for (const FourBar& one : here) {
      const bool has_ground = std::ranges::find(one.bodies, kGround) != one.bodies.end();
      if (!has_ground || frame == kGround) found.push_back(one);
    }
  }
  return found;
}

Vec3 place_on(const Mechanism& mechanism, const std::string& joint, const std::string& body) {
  for (const Marker& marker : mechanism.joint(joint)->markers)
    if (marker.body == body) return marker.frame.at;
  return Vec3::Zero();
}

}  // namespace trammel::analysis
