// A mechanism as other programs want it: links with mass properties, joints in pairs, a spanning tree and
// what closes its loops.
//
// Plain C++17: Simbody's headers do not compile as C++20.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace trammel::bench {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

struct Place {
  Vec3 at = Vec3::Zero();
  Mat3 axes = Mat3::Identity();
};

inline constexpr int kGroundLink = -1;

struct Link {
  std::string name;
  double mass = 0;
  Vec3 com = Vec3::Zero();       // in the link's axes
  Mat3 inertia = Mat3::Zero();   // about the centre of mass
  Place frame;                   // at the start
  Vec3 velocity = Vec3::Zero();  // of the link's origin
  Vec3 spin = Vec3::Zero();      // angular velocity, world axes
  int parent = kGroundLink;
  int tie = -1;  // to the parent; none: free
};

struct Tie {
  enum class Kind { revolute, spherical, prismatic, distance };
  Kind kind = Kind::revolute;
  int a = kGroundLink, b = kGroundLink;  // links
  Place on_a, on_b;                      // in the links' axes; the joint's axis is z
  double length = 0;                     // distance
  bool in_tree = false;                  // a is the parent then
};

struct Spring {
  int a = kGroundLink, b = kGroundLink;
  Vec3 on_a, on_b;
  double stiffness = 0, damping = 0, length = 0;
};

struct Torque {
  int on = 0;
  Vec3 value;  // N.m, world axes
};

// Where a link is and how it moves: its origin and axes.
struct LinkState {
  Place frame;
  Vec3 velocity, spin;
};

struct Links {
  std::vector<Link> links;  // parents before children
  std::vector<Tie> ties;
  std::vector<Spring> springs;
  std::vector<Torque> torques;
  Vec3 gravity = Vec3::Zero();
  bool is_planar = false;

  Place place(int link) const { return link < 0 ? Place{} : links[static_cast<std::size_t>(link)].frame; }
  const Tie& tie_of(const Link& link) const { return ties[static_cast<std::size_t>(link.tie)]; }
  // Rates of joint coordinates at the start: of the child relative to the parent, in the joint's axes on the
  // parent.
  Vec3 relative_spin(const Link& child) const;
  Vec3 relative_velocity(const Link& child) const;  // of the joint's place
};

}  // namespace trammel::bench
