// What follows from the teeth of two gears (Joint::Teeth). The second radius of a rack, which lies along the
// second marker's x axis, is infinite.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

// The pressure angle in planes across the axis: tan α = tan αₙ/cos β.
inline double transverse_pressure_angle(const Joint::Teeth& teeth) {
  return std::atan(std::tan(teeth.pressure_angle) / std::cos(teeth.helix_angle));
}

// A rack's pinion lies on the side of the rack's y axis, 1, or on the other, −1, where the model places it.
inline double rack_side(const Mechanism& mechanism, const Joint& joint) {
  const Marker &pinion = joint.markers.at(0), &rack = joint.markers.at(1);
  const Frame first = mechanism.placement(pinion.body), second = mechanism.placement(rack.body);
  const Vec3 from_rack = first.at + first.axes * pinion.frame.at - second.at - second.axes * rack.frame.at;
  return std::copysign(1.0, from_rack.dot(Vec3(second.axes * rack.frame.axes.col(1))));
}

// Bevel gears: the half angles of the pitch cones and the distance of the pitch point from the apex,
//
//   tan γ₁ = sin Σ/(r₂/r₁ + cos Σ),  γ₁ + γ₂ = Σ,   s = r₁/sin γ₁
//
// Σ the angle between the axes.
struct PitchCones {
  double shaft_angle, first, second, distance;
};
inline PitchCones pitch_cones(const Joint::Teeth& teeth, const Vec3& first_axis, const Vec3& second_axis) {
  const auto [r1, r2] = teeth.radii;
  const double cosine = first_axis.dot(second_axis), sine = first_axis.cross(second_axis).norm();
  const double first = std::atan2(sine, r2 / r1 + cosine), second = std::atan2(sine, r1 / r2 + cosine);
  return {std::atan2(sine, cosine), first, second, r1 / std::sin(first)};
}

// A worm's thread: parts of the force between the teeth, of size one, along the pitch circles of worm and
// wheel in the sense of positive rotations at the pitch point, t₁ = a₁ × e and t₂ = a₂ × e, e from axis to
// axis. λ the lead angle, α the pressure angle:
//
//   f = cos α (sin λ t₁ − cos λ a₁),   f·t₁ = cos α sin λ,   f·t₂ = cos α (sin λ cos Σ − cos λ τ)
//
// τ = e·(a₁ × a₂). f = F t₁ + H t₂ with F = cos α (sin λ + cos λ cos Σ/τ), H = −cos α cos λ/τ.
struct WormForce {
  double first, second;  // f·t₁, f·t₂
  double F, H;
  double tau;
};
inline WormForce worm_force(const Joint::Teeth& teeth, const Vec3& worm_axis, const Vec3& wheel_axis,
                            const Vec3& from_worm) {
  const double tau = from_worm.normalized().dot(worm_axis.cross(wheel_axis)),
               cosine = worm_axis.dot(wheel_axis);
  const double c = std::cos(teeth.pressure_angle), sl = std::sin(teeth.helix_angle),
               cl = std::cos(teeth.helix_angle);
  return {c * sl, c * (sl * cosine - cl * tau), c * (sl + cl * cosine / tau), -c * cl / tau, tau};
}

// How much faster one of the bodies turns than the other, which need not be the first; 0: neither does.
inline double speed_ratio(const Mechanism& mechanism, const Joint& joint) {
  switch (joint.kind) {
    case Joint::Kind::gear_pair:
    case Joint::Kind::bevel_pair:
      return std::abs(joint.teeth.radii[0] / joint.teeth.radii[1]);
    case Joint::Kind::belt:
      return std::abs(joint.pulleys[0] / joint.pulleys[1]);
    case Joint::Kind::worm_pair: {
      const auto world = [&](std::size_t k) {
        const Frame place = mechanism.placement(joint.markers.at(k).body);
        return Frame{place.at + place.axes * joint.markers[k].frame.at,
                     place.axes * joint.markers[k].frame.axes};
      };
      const Frame worm = world(0), wheel = world(1);
      const WormForce f = worm_force(joint.teeth, worm.axes.col(2), wheel.axes.col(2), wheel.at - worm.at);
      return std::abs(joint.teeth.radii[1] * f.second / (joint.teeth.radii[0] * f.first));
    }
    default:
      return 0;
  }
}

}  // namespace trammel::mechanism
