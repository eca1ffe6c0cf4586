// JointCoordinates: how the positions q and velocities v of one joint of a tree belong together.
//
// First `plain` positions whose rates are the velocities themselves; then, where the joint turns without
// preferred axes, Euler parameters, with the angular velocity in the turned frame: q̇ = N(q) v.
#pragma once

#include <vector>

#include "math/euler_parameters.h"

namespace trammel::system {

struct JointCoordinates {
  int q = 0, v = 0;         // its first position and velocity
  int plain = 0;            // positions before the Euler parameters
  bool parameters = false;  // there are Euler parameters

  // Of all joints: q, v and the others begin with those of the first.
  void rate(const double* q_all, const double* v_all, double* q_dot_all) const;
  void retract(double* q_all, const double* delta_all) const;
  void difference(const double* from, const double* to, double* delta_all) const;
  // Takes the differences, and makes them their rates.
  void difference_rate(const double* v_all, double* delta_all) const;
  void normalize(double* q_all) const;
};

inline void JointCoordinates::rate(const double* q_all, const double* v_all, double* q_dot_all) const {
  for (int i = 0; i < plain; ++i) q_dot_all[q + i] = v_all[v + i];
  if (!parameters) return;
  const double *e = q_all + q + plain, *omega = v_all + v + plain;
  double* rate = q_dot_all + q + plain;
  const double x = 0.5 * omega[0], y = 0.5 * omega[1], z = 0.5 * omega[2];
  const double e0 = e[0], e1 = e[1], e2 = e[2], e3 = e[3];
  rate[0] = -(e1 * x + e2 * y + e3 * z);
  rate[1] = e0 * x + (e2 * z - e3 * y);
  rate[2] = e0 * y + (e3 * x - e1 * z);
  rate[3] = e0 * z + (e1 * y - e2 * x);
}

inline void JointCoordinates::normalize(double* q_all) const {
  if (parameters) Eigen::Map<math::EulerParameters>(q_all + q + plain).normalize();
}

}  // namespace trammel::system
