// Measure: a scalar of the motion of rigid bodies, with what constraints and forces need of it.
//
//   s(t), ṡ = Σ f_b·v_b + τ_b·ω_b, s̈ = Σ f_b·v̇_b + τ_b·ω̇_b + bias
//
// v_b is the velocity of the centre of mass, ω_b the angular velocity, both in world axes. A force F on s
// acts on body b by F f_b at its centre of mass and the torque F τ_b. Of constraints of velocities (slips)
// only the rate has a meaning.
#pragma once

#include <vector>

#include "specification.h"
#include "spline.h"

namespace trammel::campaigns::random {

struct BodyMotion {
  Vector3d x = Vector3d::Zero();      // centre of mass
  Matrix3d R = Matrix3d::Identity();  // columns: body axes
  Vector3d v = Vector3d::Zero(), w = Vector3d::Zero();
};

struct Reading {
  double value = 0, rate = 0, bias = 0;
  struct Side {
    int body = kGroundBody;
    Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
  };
  Side sides[3];
  int count = 0;
  // Where a slip acts.
  Vector3d place = Vector3d::Zero();

  void add(int body, const Vector3d& force, const Vector3d& torque);
};

struct Measure {
  enum class Kind {
    along,        // dir_c·(p_a − p_b)
    dot,          // u_a·w_b
    distance,     // |p_a − p_b|
    angle,        // of a relative to b about dir_c, c = b; its turns are kept by the caller
    slip,         // velocity of p_a as seen from b, along dir_c
    wheel_slip,   // of the point of a wheel or ball about p_a that touches b, whose normal is u_b, along
                  // dir_c, c = b
    disk_slip,    // likewise of a thin disk with axis u_a
    disk_height,  // of the lowest point of such a disk above p_b
    pursuit,      // velocity of p_a across the line to p_b
    curve         // of p_a from a curve of b, in the plane
  };
  Kind kind = Kind::along;
  int a = kGroundBody, b = kGroundBody, c = kGroundBody;
  Vector3d pa = Vector3d::Zero(), pb = Vector3d::Zero();  // from the centre of mass, body axes
  Vector3d ua = Vector3d::UnitX(), ub = Vector3d::UnitX(), dir = Vector3d::UnitZ();  // body axes
  double radius = 0;
  Spline spline;  // in axes of b, from its centre of mass

  bool of_positions() const;
  // bodies: the motion of each, ground last.
  Reading read(const std::vector<BodyMotion>& bodies) const;
};

}  // namespace trammel::campaigns::random
