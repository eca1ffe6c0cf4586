// Equations, first part: which measures and rows each joint, driver and force has.
#include <Eigen/Eigenvalues>
#include <cmath>

#include "equations.h"

namespace trammel::campaigns::random {
namespace {

using JointKind = JointSpec::Kind;
using MeasureKind = Measure::Kind;

}  // namespace

Equations::Equations(const Specification& spec) : spec_(spec), per_body_(spec.planar ? 3 : 6) {
  for (const BodySpec& body : spec.bodies) {
    const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(body.inertia);
    root_.push_back(eigen.operatorSqrt());
    inverse_root_.push_back(eigen.operatorInverseSqrt());
  }
  for (std::size_t b = 0; spec.planar && b < spec.bodies.size(); ++b) {
    Measure m;
    m.kind = MeasureKind::angle, m.a = static_cast<int>(b);
    m.ua = local(m.a, Vector3d::UnitX());
    body_angle_.push_back(add_measure(m));
    offset_.back() = spec.bodies[b].angle;
  }
  for (int j = 0; j < static_cast<int>(spec.joints.size()); ++j) add_joint(j);
  for (std::size_t d = 0; d < spec.drivers.size(); ++d) add_driver(d);
  add_forces();
  const Phase phase = start();
  const std::vector<Reading> readings = read(phase);
  for (const ConstraintRow& row : rows_) constants_.push_back(row_value(row, phase, readings));
}

Vector3d Equations::local(int body, const Vector3d& direction) const {
  return body < 0 ? direction
                  : spec_.bodies[static_cast<std::size_t>(body)].orientation.conjugate() * direction;
}

Vector3d Equations::local_point(int body, const Vector3d& place) const {
  return body < 0 ? place : local(body, place - spec_.bodies[static_cast<std::size_t>(body)].position);
}

int Equations::add_measure(const Measure& measure) {
  measures_.push_back(measure);
  turn_.push_back(measure.kind == MeasureKind::angle ? turns_++ : -1);
  offset_.push_back(0);
  return static_cast<int>(measures_.size()) - 1;
}

void Equations::hold(const Measure& measure) {
  rows_.push_back({{{1, add_measure(measure)}}, measure.of_positions()});
}

// A measure with the points of a joint, to be given a kind.
Measure Equations::between(const JointSpec& joint) const {
  Measure m;
  m.a = joint.a, m.b = joint.b;
  m.pa = local_point(joint.a, joint.at);
  m.pb = local_point(joint.b, joint.at);
  return m;
}

// u fixed in a, w in b: their product.
Measure Equations::product(const JointSpec& joint, const Vector3d& u, const Vector3d& w) const {
  Measure m = between(joint);
  m.kind = MeasureKind::dot, m.ua = local(joint.a, u), m.ub = local(joint.b, w);
  return m;
}

void Equations::hold_together(const JointSpec& joint) {
  Measure m = between(joint);
  for (int k = 0; k < (spec_.planar ? 2 : 3); ++k) {
    m.c = kGroundBody, m.dir = Vector3d::Unit(k);
    hold(m);
  }
}

// The axes of both bodies stay parallel.
void Equations::hold_parallel(const JointSpec& joint) {
  const Vector3d z = joint.axis.normalized(), x = z.unitOrthogonal(), y = z.cross(x);
  hold(product(joint, x, z)), hold(product(joint, y, z));
}

void Equations::hold_axes(const JointSpec& joint) {
  const Vector3d z = joint.axis.normalized(), x = z.unitOrthogonal(), y = z.cross(x);
  if (spec_.planar) {
    hold(product(joint, Vector3d::UnitX(), Vector3d::UnitY()));
  } else {
    hold(product(joint, x, y)), hold(product(joint, y, z)), hold(product(joint, z, x));
  }
}

// The point of m on its line, fixed in b: in the plane one direction across, in space two.
void Equations::hold_on_line(const JointSpec& joint, Measure m) {
  const Vector3d z = joint.axis.normalized(), x = z.unitOrthogonal();
  m.kind = MeasureKind::along, m.c = joint.b;
  m.dir = local(joint.b, spec_.planar ? Vector3d(Vector3d::UnitZ().cross(z)) : x);
  hold(m);
  if (spec_.planar) return;
  m.dir = local(joint.b, z.cross(x));
  hold(m);
}

void Equations::keep_angle(const JointSpec& joint) {
  Measure m = between(joint);
  const Vector3d axis = spec_.planar ? Vector3d(Vector3d::UnitZ()) : Vector3d(joint.axis.normalized()),
                 from = axis.unitOrthogonal();
  m.kind = MeasureKind::angle, m.c = joint.b, m.dir = local(joint.b, axis);
  m.ua = local(joint.a, from), m.ub = local(joint.b, from);
  angle_.back() = add_measure(m);
  const auto start = [&](int b) { return b < 0 ? 0.0 : spec_.bodies[static_cast<std::size_t>(b)].angle; };
  if (spec_.planar) offset_.back() = start(joint.a) - start(joint.b);
}

void Equations::keep_displacement(const JointSpec& joint) {
  Measure m = between(joint);
  m.kind = MeasureKind::along, m.c = joint.b, m.dir = local(joint.b, joint.axis.normalized());
  displacement_.back() = add_measure(m);
}

void Equations::add_joint(int index) {
  const JointSpec& joint = spec_.joints[static_cast<std::size_t>(index)];
  angle_.push_back(-1), displacement_.push_back(-1);
  Owner owner;
  owner.name = joint_name(index);
  owner.first = static_cast<int>(rows_.size());
  owner.body = joint.a >= 0 ? joint.a : joint.b;
  if (owner.body >= 0) owner.place = local_point(owner.body, joint.at);
  owners_.push_back(owner);
  switch (joint.kind) {
    case JointKind::revolute:
      hold_together(joint);
      if (!spec_.planar) hold_parallel(joint);
      keep_angle(joint);
      break;
    case JointKind::prismatic:
      hold_on_line(joint, between(joint)), hold_axes(joint), keep_displacement(joint);
      break;
    case JointKind::cylindrical:
      hold_on_line(joint, between(joint)), hold_parallel(joint), keep_angle(joint), keep_displacement(joint);
      break;
    case JointKind::universal:
      hold_together(joint), hold(product(joint, joint.axis.normalized(), joint.axis2.normalized()));
      break;
    case JointKind::spherical:
      hold_together(joint);
      break;
    case JointKind::fixed:
      hold_together(joint), hold_axes(joint);
      break;
    default:
      add_point_joint(index);
  }
  owners_.back().count = static_cast<int>(rows_.size()) - owners_.back().first;
}

// Joints of one point with a point, line, plane or curve of the other body; edges, wheels and couplers.
void Equations::add_point_joint(int index) {
  const JointSpec& joint = spec_.joints[static_cast<std::size_t>(index)];
  Measure m = between(joint);
  m.c = joint.b, m.dir = local(joint.b, joint.axis.normalized());
  if (joint.kind == JointKind::planar) return hold(m), hold_parallel(joint);
  m.pb = local_point(joint.b, joint.second);
  if (joint.a < 0 && joint.of[0] < 0) owners_.back().place = m.pb;
  switch (joint.kind) {
    case JointKind::distance:
      m.kind = MeasureKind::distance;
      return hold(m);
    case JointKind::point_on_line:
      return hold_on_line(joint, m);
    case JointKind::point_on_plane:
      return hold(m);
    case JointKind::point_on_curve: {
      std::vector<Vector3d> places;
      for (const Vector3d& place : joint.curve) places.push_back(local_point(joint.b, place));
      m.kind = MeasureKind::curve, m.spline = Spline(places);
      return hold(m);
    }
    case JointKind::pursuit:
      m.kind = MeasureKind::pursuit;
      return hold(m);
    case JointKind::knife_along:
    case JointKind::knife_across:
      return add_edge(joint, m);
    case JointKind::rolling:
    case JointKind::rolling_disk:
      return add_rolling(joint);
    default:
      add_coupler(index);
  }
}

void Equations::add_edge(const JointSpec& joint, Measure m) {
  const Vector3d z = joint.axis.normalized(), x = z.unitOrthogonal();
  const bool one = joint.kind == JointKind::knife_across;
  m.kind = MeasureKind::slip, m.c = joint.a;
  m.dir = local(joint.a, one ? z : spec_.planar ? Vector3d(Vector3d::UnitZ().cross(z)) : x);
  hold(m);
  if (one || spec_.planar) return;
  m.dir = local(joint.a, z.cross(x));
  hold(m);
}

void Equations::add_rolling(const JointSpec& joint) {
  const bool disk = joint.kind == JointKind::rolling_disk;
  const Vector3d n = joint.axis.normalized();
  Measure m = between(joint);
  m.pb = local_point(joint.b, joint.second);
  m.ub = local(joint.b, n), m.ua = local(joint.a, joint.axis2.normalized());
  m.radius = joint.value;
  m.kind = disk ? MeasureKind::disk_height : MeasureKind::along;
  m.c = joint.b, m.dir = m.ub;
  hold(m);
  m.kind = disk ? MeasureKind::disk_slip : MeasureKind::wheel_slip;
  const Vector3d x = n.unitOrthogonal();
  for (const Vector3d& t : {x, Vector3d(n.cross(x))}) {
    m.dir = local(joint.b, spec_.planar ? Vector3d(Vector3d::UnitZ().cross(n)) : t);
    hold(m);
    if (spec_.planar) break;
  }
  owners_.back().contact = static_cast<int>(measures_.size()) - 1;
}

int Equations::coordinate(int joint) const {
  return angle_of(joint) >= 0 ? angle_of(joint) : displacement_of(joint);
}

void Equations::add_coupler(int index) {
  const JointSpec& joint = spec_.joints[static_cast<std::size_t>(index)];
  Owner& owner = owners_.back();
  owner.is_wrench = false;
  owner.effort = 1;
  ConstraintRow row;
  switch (joint.kind) {
    case JointKind::gear:
      row.terms = {{1, angle_of(joint.of[0])}, {joint.value, angle_of(joint.of[1])}};
      break;
    case JointKind::rack:  // displacement = radius · angle
      row.terms = {{joint.value, angle_of(joint.of[0])}, {-1, displacement_of(joint.of[1])}};
      owner.effort = joint.value;
      break;
    case JointKind::screw:  // displacement = pitch/2π · angle
      row.terms = {{1, displacement_of(joint.of[0])}, {-joint.value / (2 * M_PI), angle_of(joint.of[0])}};
      break;
    default:
      row.terms = {{1, coordinate(joint.of[0])}, {joint.value, coordinate(joint.of[1])}};
      row.of_positions = false;
  }
  rows_.push_back(row);
}

void Equations::add_driver(std::size_t index) {
  const DriverSpec& driver = spec_.drivers[index];
  Owner owner;
  owner.name = driver_name(index);
  owner.first = static_cast<int>(rows_.size());
  owner.count = 1;
  owner.effort = 1;
  ConstraintRow row;
  row.target = &driver.law;
  row.target_is_rate = driver.kind == DriverSpec::Kind::speed;
  row.of_positions = !row.target_is_rate;
  Measure m;
  m.a = driver.a, m.b = driver.b;
  m.pa = local_point(driver.a, driver.at), m.pb = local_point(driver.b, driver.second);
  switch (driver.kind) {
    case DriverSpec::Kind::joint:
    case DriverSpec::Kind::speed: {
      row.terms = {{1, coordinate(driver.of)}};
      const Owner& joint = owners_[static_cast<std::size_t>(driver.of)];
      owner.body = joint.body, owner.place = joint.place;
      break;
    }
    case DriverSpec::Kind::body_angle:
      owner.body = driver.of;
      row.terms = {{1, angle_of_body(driver.of)}};
      break;
    case DriverSpec::Kind::distance:
      m.kind = MeasureKind::distance;
      owner.body = driver.a >= 0 ? driver.a : driver.b;
      owner.place = driver.a >= 0 ? m.pa : m.pb;
      row.terms = {{1, add_measure(m)}};
      break;
    case DriverSpec::Kind::position:
      m.kind = MeasureKind::along, m.dir = Vector3d::Unit(driver.component);
      m.b = kGroundBody, m.pb = Vector3d::Zero();
      owner.body = driver.a, owner.place = m.pa, owner.effort = 0;
      row.terms = {{1, add_measure(m)}};
      break;
  }
  rows_.push_back(row);
  owners_.push_back(owner);
}

void Equations::add_forces() {
  for (const ForceSpec& force : spec_.forces) {
    std::vector<int> used;
    Measure m;
    m.a = force.a, m.b = force.b;
    m.pa = local_point(force.a, force.at), m.pb = local_point(force.b, force.second);
    local_force_place_.push_back(m.pa);
    switch (force.kind) {
      case ForceSpec::Kind::spring:
      case ForceSpec::Kind::tension:
        m.kind = MeasureKind::distance;
        used = {add_measure(m)};
        break;
      case ForceSpec::Kind::joint_spring:
      case ForceSpec::Kind::joint_law:
      case ForceSpec::Kind::friction:
        used = {coordinate(force.joint)};
        break;
      case ForceSpec::Kind::bushing: {
        const auto axis = [](int k) { return Vector3d(Vector3d::Unit(k % 3)); };
        m.pb = local_point(force.b, force.at);
        m.kind = MeasureKind::along, m.c = force.b;
        for (int k = 0; k < 3; ++k) m.dir = local(force.b, axis(k)), used.push_back(add_measure(m));
        if (spec_.planar) {
          m.kind = MeasureKind::angle, m.dir = Vector3d::UnitZ();
          m.ua = local(force.a, axis(0)), m.ub = local(force.b, axis(0));
          used.push_back(add_measure(m));
          break;
        }
        // The sine of the rotation: half of b_(k+2)·a_(k+1) − b_(k+1)·a_(k+2).
        m.kind = MeasureKind::dot;
        for (int k = 0; k < 3; ++k)
          for (int side = 1; side <= 2; ++side) {
            m.ua = local(force.a, axis(k + side)), m.ub = local(force.b, axis(k + 3 - side));
            used.push_back(add_measure(m));
          }
        break;
      }
      default:
        break;
    }
    force_measures_.push_back(used);
  }
}

}  // namespace trammel::campaigns::random
