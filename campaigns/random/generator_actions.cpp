// The generator's couplers, drivers, forces and velocities.
#include <algorithm>

#include "generator_parts.h"

namespace trammel::campaigns::random {
namespace {

using JointKind = JointSpec::Kind;

int one_of(const std::vector<int>& list, Dice& dice) {
  return list[static_cast<std::size_t>(dice.below(static_cast<int>(list.size())))];
}

bool is_angle(const Specification& spec, int joint) {
  return spec.joints[static_cast<std::size_t>(joint)].kind == JointKind::revolute;
}

double body_size(const Specification& spec, int body) {
  return body < 0 ? spec.size : spec.bodies[static_cast<std::size_t>(body)].size;
}

// Before anything moves: what turns, swings or vibrates does so at about this rate.
double usual_rate(const Specification& spec) {
  const double g = spec.gravity.norm();
  return std::sqrt((g > 0 ? g : 9.81) / spec.size);
}

// The smaller mass and moment of two bodies, so that no force is much for either.
double least_mass(const Specification& spec, int a, int b) {
  double mass = INFINITY;
  for (int body : {a, b})
    if (body >= 0) mass = std::min(mass, spec.bodies[static_cast<std::size_t>(body)].mass);
  return mass;
}
double least_moment(const Specification& spec, int a, int b) {
  double moment = INFINITY;
  for (int body : {a, b}) {
    if (body < 0) continue;
    const Matrix3d& I = spec.bodies[static_cast<std::size_t>(body)].inertia;
    moment = std::min(moment, spec.planar ? I(2, 2) : I.diagonal().minCoeff());
  }
  return moment;
}

// Inertia along a joint's coordinate, roughly.
double coordinate_inertia(const Specification& spec, int joint) {
  const JointSpec& j = spec.joints[static_cast<std::size_t>(joint)];
  return is_angle(spec, joint) ? least_moment(spec, j.a, j.b) : least_mass(spec, j.a, j.b);
}

double coordinate_at_start(const Specification& spec, int joint) {
  const JointSpec& j = spec.joints[static_cast<std::size_t>(joint)];
  const auto angle = [&](int b) { return b < 0 ? 0 : spec.bodies[static_cast<std::size_t>(b)].angle; };
  return spec.planar && is_angle(spec, joint) ? angle(j.a) - angle(j.b) : 0;
}

LawSpec draw_law(Dice& dice, double size, double rate) {
  LawSpec law;
  law.c0 = size * dice.between(-1, 1);
  if (dice.chance(0.6)) {
    law.amplitude = size * dice.between(-1, 1);
    law.frequency = rate * dice.between(0.5, 2);
    law.phase = dice.between(-3, 3);
  }
  return law;
}

// Sometimes a force also depends on the motion of a joint.
void add_signal(LawSpec& law, const Specification& spec, Dice& dice, double size, double rate) {
  const std::vector<int> joints = joints_with(spec, true, true, false);
  if (joints.empty() || !dice.chance(0.3)) return;
  const int joint = one_of(joints, dice);
  const JointSpec& j = spec.joints[static_cast<std::size_t>(joint)];
  const double unit = is_angle(spec, joint) ? 1 : std::min(body_size(spec, j.a), body_size(spec, j.b));
  const bool speed = dice.chance(0.5);
  law.signals.push_back({0.3 * size * dice.between(-1, 1) / (speed ? unit * rate : unit), joint, speed});
}

}  // namespace

std::vector<int> joints_with(const Specification& spec, bool angle, bool displacement, bool cylindrical) {
  std::vector<int> out;
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    const JointKind kind = spec.joints[j].kind;
    if ((angle && kind == JointKind::revolute) || (displacement && kind == JointKind::prismatic) ||
        (cylindrical && kind == JointKind::cylindrical))
      out.push_back(static_cast<int>(j));
  }
  return out;
}

void draw_couplers(Specification& spec, Dice& dice) {
  const std::vector<int> angles = joints_with(spec, true, false, true),
                         slides = joints_with(spec, false, true, true),
                         cylinders = joints_with(spec, false, false, true),
                         single = joints_with(spec, true, true, false);
  for (int attempt = 0; attempt < 2; ++attempt) {
    JointSpec joint;
    joint.a = joint.b = kGroundBody;
    const double ratio = dice.sign() * dice.over(0.3, 3);
    const int what = dice.below(4);
    if (what == 0 && angles.size() > 1) {
      joint.kind = JointKind::gear;
      joint.of[0] = one_of(angles, dice), joint.of[1] = one_of(angles, dice);
      joint.value = ratio;
    } else if (what == 1 && !angles.empty() && !slides.empty()) {
      joint.kind = JointKind::rack;
      joint.of[0] = one_of(angles, dice), joint.of[1] = one_of(slides, dice);
      joint.value = ratio * body_size(spec, spec.joints[static_cast<std::size_t>(joint.of[1])].a);
    } else if (what == 2 && !cylinders.empty()) {
      joint.kind = JointKind::screw;
      joint.of[0] = joint.of[1] = one_of(cylinders, dice);
      joint.value = 2 * M_PI * ratio * body_size(spec, spec.joints[static_cast<std::size_t>(joint.of[0])].a);
    } else if (what == 3 && single.size() > 1) {
      joint.kind = JointKind::velocity;
      joint.of[0] = one_of(single, dice), joint.of[1] = one_of(single, dice);
      joint.value = ratio;
      if (is_angle(spec, joint.of[0]))
        joint.value *= is_angle(spec, joint.of[1]) ? 1 : 1 / spec.size;
      else
        joint.value *= is_angle(spec, joint.of[1]) ? spec.size : 1;
    } else {
      continue;
    }
    const bool twice = joint.of[0] == joint.of[1] && joint.kind != JointKind::screw;
    if (!twice) try_joint(spec, joint, false, 1);
  }
}

void draw_drivers(Specification& spec, Dice& dice) {
  using Kind = DriverSpec::Kind;
  const double rate = usual_rate(spec);
  const int count = 1 + dice.below(2);
  for (int attempt = 0; attempt < 3 && static_cast<int>(spec.drivers.size()) < count; ++attempt) {
    DriverSpec driver;
    driver.a = dice.below(static_cast<int>(spec.bodies.size()));
    driver.b = dice.below(static_cast<int>(spec.bodies.size()) + 1) - 1;
    const double size = body_size(spec, driver.a);
    driver.at =
        spec.bodies[static_cast<std::size_t>(driver.a)].position + 0.7 * size * dice.vector(spec.planar);
    driver.second = driver.at + size * dice.between(0.7, 2) * dice.direction(spec.planar);
    const std::vector<int> joints = joints_with(spec, true, true, false);
    const int what = dice.below(6);
    double unit = 1, start = 0;
    if (what < 3 && !joints.empty()) {
      driver.kind = what == 2 ? Kind::speed : Kind::joint;
      driver.of = one_of(joints, dice);
      start = coordinate_at_start(spec, driver.of);
      const JointSpec& j = spec.joints[static_cast<std::size_t>(driver.of)];
      unit = is_angle(spec, driver.of) ? 1 : std::min(body_size(spec, j.a), body_size(spec, j.b));
    } else if (what == 3 && spec.planar) {
      driver.kind = Kind::body_angle, driver.of = driver.a;
      start = spec.bodies[static_cast<std::size_t>(driver.a)].angle;
    } else if (what == 4 && driver.a != driver.b) {
      driver.kind = Kind::distance;
      start = (driver.at - driver.second).norm(), unit = 0.3 * start;
    } else {
      driver.kind = Kind::position;
      driver.component = dice.below(spec.planar ? 2 : 3);
      start = driver.at[driver.component], unit = 0.5 * size;
    }
    LawSpec& law = driver.law;
    law.amplitude = 0.6 * unit * dice.between(-1, 1), law.frequency = rate * dice.between(0.5, 2);
    law.phase = dice.between(-3, 3);
    if (driver.kind == Kind::speed) {
      law.c0 = unit * rate * dice.between(-1, 1), law.amplitude *= rate;
    } else {
      law.c0 = start - law.amplitude * std::sin(law.phase);
      if (dice.chance(0.5)) law.c1 = 0.5 * unit * rate * dice.between(-1, 1);
    }
    Mobility before, after;
    is_regular(spec, before);
    spec.drivers.push_back(driver);
    if (!is_regular(spec, after) || after.rank != before.rank + 1) spec.drivers.pop_back();
  }
}

void draw_forces(Specification& spec, Dice& dice) {
  using Kind = ForceSpec::Kind;
  const double rate = usual_rate(spec);
  const int n = static_cast<int>(spec.bodies.size()), count = dice.below(4);
  for (int i = 0; i < count; ++i) {
    ForceSpec force;
    force.a = dice.below(n), force.b = dice.below(n + 1) - 1;
    if (force.a == force.b) force.b = kGroundBody;
    const double size = std::min(body_size(spec, force.a), body_size(spec, force.b));
    force.at =
        spec.bodies[static_cast<std::size_t>(force.a)].position + 0.7 * size * dice.vector(spec.planar);
    force.second = force.at + size * dice.between(0.7, 2) * dice.direction(spec.planar);
    force.kind = static_cast<Kind>(dice.below(8));
    const std::vector<int> joints = joints_with(spec, true, true, false);
    double inertia = least_mass(spec, force.a, force.b), unit = size;
    if (force.kind == Kind::joint_spring || force.kind == Kind::joint_law || force.kind == Kind::friction) {
      if (joints.empty()) continue;
      force.joint = one_of(joints, dice);
      inertia = coordinate_inertia(spec, force.joint);
      unit = is_angle(spec, force.joint) ? 1 : size;
    }
    const double stiffness = inertia * rate * rate * dice.over(0.2, 5),
                 damping = inertia * rate * dice.over(0.02, 1);
    force.stiffness = stiffness;
    force.damping = dice.chance(0.6) ? damping : 0;
    force.preload = dice.chance(0.4) ? stiffness * unit * dice.between(-0.5, 0.5) : 0;
    force.free = force.joint >= 0 ? coordinate_at_start(spec, force.joint) + unit * dice.between(-0.5, 0.5)
                                  : (force.at - force.second).norm() * dice.between(0.7, 1.3);
    force.coulomb = stiffness * unit * dice.between(0, 0.5);
    force.viscous = force.damping;
    force.transition = unit * rate * dice.between(0.3, 1);
    force.body_axes = dice.chance(0.4);
    const double moment = least_moment(spec, force.a, force.b) * rate * rate;
    for (LawSpec& law : force.laws) {
      const double strength = force.kind == Kind::torque ? moment : stiffness * unit;
      law = draw_law(dice, strength, rate);
      add_signal(law, spec, dice, strength, rate);
    }
    if (force.kind == Kind::bushing) {
      const double turn = moment * dice.over(0.5, 3);
      for (int k = 0; k < 6; ++k) {
        force.K(k, k) = k < 3 ? stiffness * dice.between(0.5, 2) : turn * dice.between(0.5, 2);
        force.C(k, k) = force.damping > 0 ? 0.2 * force.K(k, k) / rate : 0;
      }
      if (dice.chance(0.3) && !spec.planar) force.K(0, 1) = force.K(1, 0) = 0.2 * stiffness;
    }
    spec.forces.push_back(force);
  }
}

void draw_velocities(Specification& spec, Dice& dice) {
  const double rate = usual_rate(spec), fast = dice.over(0.3, 3), stated = dice.between(0, 1.3);
  for (BodySpec& body : spec.bodies) {
    body.velocity = body.size * rate * fast * dice.vector(spec.planar);
    body.spin = rate * fast * dice.vector(false);
    if (spec.planar) body.spin.head<2>().setZero();
    body.given = dice.chance(stated);
  }
}

}  // namespace trammel::campaigns::random
