// Masses and inertias that a body of matter can have.
//
// The principal moments of any body satisfy I1 + I2 ≥ I3 (equality: a flat plate), because
// I1 + I2 − I3 = 2 ∫ x3² dm. Massless rods, point masses and rigid bodies are legal; mass without inertia, or
// inertia without mass, is not that of a rigid body.
#include <fmt/format.h>

#include <cmath>

#include "linalg/dense.h"
#include "mechanism/validate_parts.h"

namespace trammel::mechanism {
namespace {

// Relative; admits what rounding to double does to a flat plate.
constexpr double kTriangleTolerance = 1e-9;

bool is_finite(const Body& body) {
  return std::isfinite(body.mass) && body.com.allFinite() && body.inertia.allFinite() &&
         std::isfinite(body.length) && body.placement.at.allFinite() && body.placement.axes.allFinite();
}

void validate_mass(const Body& body, Issues& issues) {
  const bool may_be_massless = body.kind != Body::Kind::rigid || body.inertia.isZero(0);
  if (body.mass > 0 || (may_be_massless && body.mass == 0)) return;
  issues.push_back({body.where, "mass", fmt::format("the mass of '{}' is {} kg", body.name, body.mass),
                    may_be_massless ? "give a mass of zero or more" : "give a positive mass"});
}

void validate_tensor(const Body& body, Issues& issues) {
  if ((body.inertia - body.inertia.transpose()).cwiseAbs().maxCoeff() > 0) {
    issues.push_back({body.where, "inertia", fmt::format("the inertia of '{}' is not symmetric", body.name),
                      "make each entry equal to its mirror image"});
    return;
  }
  const Vec3 moments = linalg::symmetric_eigen(body.inertia).values;  // ascending
  const std::string found = fmt::format("{:.6g}, {:.6g}, {:.6g}", moments[0], moments[1], moments[2]);
  if (moments[0] <= 0) {
    issues.push_back(
        {body.where, "inertia",
         fmt::format("the inertia of '{}' is not positive definite: its principal moments are {} kg.m²",
                     body.name, found),
         "check signs and products of inertia; a slender bar is {rod: [A, B], mass: …}"});
  } else if (moments[0] + moments[1] < moments[2] * (1 - kTriangleTolerance)) {
    issues.push_back(
        {body.where, "inertia",
         fmt::format("no body has the inertia of '{}': of its principal moments {} kg.m² the two smaller "
                     "must add up to the largest or more",
                     body.name, found),
         "check the numbers and the axes they refer to"});
  }
}

void validate_inertia(const Mechanism& mechanism, const Body& body, Issues& issues) {
  if (body.kind != Body::Kind::rigid || (body.mass == 0 && body.inertia.isZero(0))) return;
  if (!mechanism.is_planar) return validate_tensor(body, issues);
  if (body.inertia(2, 2) > 0) return;
  issues.push_back({body.where, "inertia",
                    fmt::format("the inertia of '{}' is {} kg.m²", body.name, body.inertia(2, 2)),
                    "give a positive number; a mass without extent is {point: P, mass: …}"});
}

void validate_frame(const Body& body, Issues& issues) {
  // 1e-9: far above the round-off of a product of rotations, far below any mistake
  const bool is_rotation =
      (body.placement.axes.transpose() * body.placement.axes - Mat3::Identity()).norm() < 1e-9 &&
      body.placement.axes.determinant() > 0;
  if (!is_rotation) {
    issues.push_back({body.where, "orientation",
                      fmt::format("the axes of '{}' are not a rotation", body.name),
                      "give right-handed orthonormal axes"});
  }
  if (body.kind == Body::Kind::rod && body.length <= 0) {
    issues.push_back({body.where, "length", fmt::format("the length of '{}' is {} m", body.name, body.length),
                      "give a positive length"});
  }
  if (body.rotor && (!(body.rotor->inertia >= 0) || !std::isfinite(body.rotor->speed))) {
    issues.push_back({body.where, "rotor", fmt::format("the rotor of '{}' has a negative inertia", body.name),
                      "give a moment of inertia of zero or more"});
  }
}

// A slender rod has neither inertia nor orientation about its axis: a spin along it alone would be lost.
void validate_spin(const Mechanism& mechanism, const Body& body, Issues& issues) {
  constexpr double kAcross = 1e-6;  // of the angular velocity: far above rounding of the rod's direction
  if (body.kind != Body::Kind::rod || mechanism.is_planar || !body.angular_velocity) return;
  const Vec3 omega = *body.angular_velocity, along = mechanism.placement(body.name).axes.col(0);
  if (omega.norm() == 0 || omega.cross(along).norm() > kAcross * omega.norm()) return;
  issues.push_back({body.where, "",
                    fmt::format("the rod '{}' does not turn about its own axis, along which its angular "
                                "velocity is given",
                                body.name),
                    "leave it out, or make it a rigid body with mass and inertia"});
}

}  // namespace

void validate_bodies(const Mechanism& mechanism, Issues& issues) {
  for (const Body& body : mechanism.bodies) {
    if (!is_finite(body)) {
      issues.push_back({body.where, "", fmt::format("body '{}' has a number that is not finite", body.name),
                        "give finite numbers"});
      continue;
    }
    validate_mass(body, issues);
    validate_inertia(mechanism, body, issues);
    validate_frame(body, issues);
    validate_spin(mechanism, body, issues);
  }
  for (const Point& point : mechanism.points) {
    if (!point.on.empty()) continue;
    issues.push_back({point.where, "", fmt::format("no body carries point '{}'", point.name),
                      "use it in a body (`rod:`, `point:`, `carries:`), add `on: ground`, or remove it",
                      true});
  }
}

}  // namespace trammel::mechanism
