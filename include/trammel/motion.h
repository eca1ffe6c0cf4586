// What can be read from a mechanism in motion by name: where parts are, how they move, what joints transmit.
//
// World axes and SI units throughout.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel {

// Of a body.
struct Pose {
  Vec3 position = Vec3::Zero();          // m, centre of mass
  Mat3 axes = Mat3::Identity();          // columns: the body's axes
  Vec3 velocity = Vec3::Zero();          // m/s, centre of mass
  Vec3 angular_velocity = Vec3::Zero();  // rad/s
  double angle = 0;                      // rad, planar bodies; unwrapped only if a signal keeps it
};

// Of the whole mechanism.
struct Energy {
  double kinetic = 0, potential = 0;  // J
  double work = 0;  // J, done since the start by drivers and by forces that have no potential
  // What conservation keeps constant.
  double balance() const { return kinetic + potential - work; }
};

// Of a point.
struct PointMotion {
  Vec3 position = Vec3::Zero();  // m
  Vec3 velocity = Vec3::Zero();  // m/s
};

// What a joint or driver exerts on bodies, at the joint's place on each.
struct JointReaction {
  struct Load {
    std::string body;
    Vec3 force = Vec3::Zero();   // N
    Vec3 torque = Vec3::Zero();  // N.m
  };
  // Of two bodies the first that moves (the other receives the opposite); of three or more, each.
  std::vector<Load> loads;
  // Along the coordinate that a driver or coupler acts on, N or N.m. NaN: it acts on none.
  double effort = std::numeric_limits<double>::quiet_NaN();
  // False: the equations cannot be solved here, as in a singular position, and the numbers mean nothing.
  bool known = true;
  // Redundant constraints leave some components open: "force.x", "torque.z", "effort". Their values are
  // one choice of many that belong to the same motion; all others are unique.
  std::vector<std::string> not_unique;
  bool examined = true;  // false: too many constraints to tell which are unique

  bool unique() const { return examined && not_unique.empty(); }
};

}  // namespace trammel
