// The generator's bodies and joints.
#include <algorithm>
#include <array>

#include "generator_parts.h"

namespace trammel::campaigns::random {
namespace {

using Kind = JointSpec::Kind;

template <class What>
struct Weighted {
  double weight;
  What what;
};

// How the bodies of a tree hang on each other.
const std::vector<Weighted<Kind>> kPlaneJoints = {
    {50, Kind::revolute},   {18, Kind::prismatic},    {3, Kind::fixed},
    {5, Kind::distance},    {5, Kind::point_on_line}, {4, Kind::rolling},
    {4, Kind::knife_along}, {2, Kind::knife_across},  {3, Kind::point_on_curve}};
const std::vector<Weighted<Kind>> kSpaceJoints = {
    {22, Kind::revolute},     {12, Kind::spherical},     {10, Kind::prismatic}, {10, Kind::cylindrical},
    {10, Kind::universal},    {5, Kind::planar},         {4, Kind::fixed},      {5, Kind::distance},
    {4, Kind::point_on_line}, {4, Kind::point_on_plane}, {3, Kind::rolling},    {3, Kind::rolling_disk},
    {2, Kind::knife_along},   {2, Kind::knife_across}};
// A plane linkage in space: its axes are parallel.
const std::vector<Weighted<Kind>> kFlatJoints = {
    {60, Kind::revolute}, {15, Kind::prismatic}, {8, Kind::cylindrical}, {8, Kind::planar}};
// What closes a loop.
const std::vector<Weighted<Kind>> kPlaneLoops = {
    {50, Kind::revolute},   {20, Kind::distance}, {15, Kind::point_on_line}, {6, Kind::prismatic},
    {6, Kind::knife_along}, {3, Kind::pursuit},   {6, Kind::point_on_curve}};
const std::vector<Weighted<Kind>> kSpaceLoops = {
    {25, Kind::spherical},   {25, Kind::distance},  {12, Kind::point_on_line}, {12, Kind::point_on_plane},
    {6, Kind::cylindrical},  {6, Kind::universal},  {6, Kind::planar},         {4, Kind::revolute},
    {4, Kind::knife_across}, {3, Kind::knife_along}};

// What a drawn mechanism is like as a whole.
struct Style {
  bool flat = false;  // plane linkage in space
  Vector3d normal = Vector3d::UnitZ();
  double mass = 1, mass_spread = 1, size_spread = 0.3;  // spreads in decades
};

double size_of(const Specification& spec, int body) {
  return body < 0 ? spec.size : spec.bodies[static_cast<std::size_t>(body)].size;
}
Vector3d place_of(const Specification& spec, int body) {
  return body < 0 ? Vector3d(Vector3d::Zero()) : spec.bodies[static_cast<std::size_t>(body)].position;
}

// Principal moments of a body with extents drawn at random, so that I1 + I2 ≥ I3.
Matrix3d draw_inertia(Dice& dice, double mass, double size, bool planar) {
  Vector3d squares;
  for (int k = 0; k < 3; ++k) squares[k] = std::pow(size * dice.over(0.1, 0.6), 2);
  const Vector3d moments =
      mass * Vector3d(squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]);
  if (planar) return Matrix3d(Vector3d(1, 1, moments.z()).asDiagonal());
  const Matrix3d R = Eigen::AngleAxisd(dice.between(0, 3), dice.direction(false)).toRotationMatrix();
  return dice.chance(0.5) ? Matrix3d(moments.asDiagonal())
                          : Matrix3d(R * moments.asDiagonal() * R.transpose());
}

BodySpec draw_body(const Specification& spec, Dice& dice, const Style& style, double near_mass) {
  BodySpec body;
  body.size = spec.size * std::pow(10, dice.between(-style.size_spread, style.size_spread));
  body.mass = style.mass * std::pow(10, dice.between(-style.mass_spread, style.mass_spread));
  if (near_mass > 0) body.mass = std::clamp(body.mass, 1e-6 * near_mass, 1e6 * near_mass);
  body.inertia = draw_inertia(dice, body.mass, body.size, spec.planar);
  if (spec.planar) {
    body.angle = dice.between(-3, 3) + (dice.chance(0.1) ? 2 * M_PI * (dice.below(5) - 2) : 0);
    body.orientation = Quaterniond(Eigen::AngleAxisd(body.angle, Vector3d::UnitZ()));
  } else {
    body.orientation = Quaterniond(Eigen::AngleAxisd(dice.between(0, 3), dice.direction(false)));
    if (dice.chance(0.08)) {
      body.rotor_axis = dice.direction(false);
      body.rotor_inertia = 0.2 * body.inertia.diagonal().minCoeff();
      body.rotor_speed = 5 * std::sqrt(10 / body.size) * dice.sign();
    }
  }
  if (dice.chance(0.6)) body.com = 0.5 * body.size * dice.vector(spec.planar);
  return body;
}

JointSpec joint_between(const Specification& spec, Dice& dice, const Style& style, Kind kind, int a, int b,
                        const Vector3d& at) {
  JointSpec joint;
  joint.kind = kind, joint.a = a, joint.b = b, joint.at = at;
  const double size = std::min(size_of(spec, a), size_of(spec, b));
  joint.axis = dice.direction(spec.planar);
  if (style.flat) {
    joint.axis = style.normal;
    if (kind == Kind::prismatic) {
      const Vector3d x = style.normal.unitOrthogonal(), y = style.normal.cross(x);
      const double angle = dice.between(0, 6);
      joint.axis = x * std::cos(angle) + y * std::sin(angle);
    }
  }
  joint.axis2 = joint.axis.cross(dice.direction(false)).normalized();
  joint.second = at;
  const Vector3d aside = dice.direction(spec.planar);
  switch (kind) {
    case Kind::distance:
    case Kind::pursuit:
      joint.second = at + size * dice.between(0.5, 1.5) * aside;
      break;
    case Kind::point_on_line:
      joint.second = at + size * dice.between(-1, 1) * joint.axis;
      break;
    case Kind::point_on_plane:
      joint.second = at + size * dice.between(-1, 1) * joint.axis2;
      break;
    case Kind::rolling:
      joint.value = size * dice.between(0.2, 1);
      joint.second = at - joint.value * joint.axis;
      break;
    case Kind::rolling_disk: {
      // The disk leans by 20 to 80 degrees against its plane.
      const double lean = dice.between(0.35, 1.4);
      joint.value = size * dice.between(0.2, 1);
      joint.axis2 = joint.axis * std::cos(lean) + joint.axis2 * std::sin(lean);
      joint.second = at - joint.value * std::sin(lean) * joint.axis;
      break;
    }
    case Kind::point_on_curve: {
      // An oval of six to nine places, of which `at` is one.
      const int n = 6 + dice.below(4);
      const double r = size * dice.between(0.7, 1.5), flat = dice.between(0.6, 1);
      const Vector3d center = at - r * joint.axis, y(-joint.axis.y(), joint.axis.x(), 0);
      for (int k = 0; k < n; ++k) {
        const double angle = 2 * M_PI * k / n;
        joint.curve.push_back(center + r * std::cos(angle) * joint.axis + flat * r * std::sin(angle) * y);
      }
      break;
    }
    default:
      break;
  }
  return joint;
}

void grow_tree(Specification& spec, Dice& dice, const Style& style, int bodies) {
  for (int b = 0; b < bodies; ++b) {
    const int parent = b == 0 ? kGroundBody : dice.chance(0.6) ? b - 1 : dice.below(b + 1) - 1;
    const double near = parent < 0 ? 0 : spec.bodies[static_cast<std::size_t>(parent)].mass;
    BodySpec body = draw_body(spec, dice, style, near);
    Vector3d at = place_of(spec, parent) + size_of(spec, parent) * dice.vector(spec.planar);
    body.position = at + body.size * dice.between(0.3, 1) * dice.direction(spec.planar);
    spec.bodies.push_back(body);
    if (dice.chance(0.05)) continue;  // floats
    const Kind kind = dice.pick(spec.planar ? kPlaneJoints : style.flat ? kFlatJoints : kSpaceJoints);
    const bool swapped = dice.chance(0.25);
    // A wheel or an edge is the new body's own.
    const bool own = kind >= Kind::knife_along || kind == Kind::point_on_curve;
    if (kind == Kind::rolling || kind == Kind::rolling_disk) at = body.position;
    try_joint(spec,
              swapped && !own ? joint_between(spec, dice, style, kind, parent, b, at)
                              : joint_between(spec, dice, style, kind, b, parent, at),
              false, 0);
  }
}

bool are_joined(const Specification& spec, int a, int b) {
  return std::any_of(spec.joints.begin(), spec.joints.end(),
                     [&](const JointSpec& j) { return (j.a == a && j.b == b) || (j.a == b && j.b == a); });
}

void close_loops(Specification& spec, Dice& dice, const Style& style, int loops) {
  const int n = static_cast<int>(spec.bodies.size());
  for (int attempt = 0; attempt < 4 * loops && loops > 0; ++attempt) {
    const int a = dice.below(n), b = dice.below(n + 1) - 1;
    if (a == b || are_joined(spec, a, b)) continue;
    const Vector3d at =
        place_of(spec, a) + size_of(spec, a) * dice.between(0.3, 1) * dice.direction(spec.planar);
    const Kind kind = dice.pick(spec.planar ? kPlaneLoops : style.flat ? kFlatJoints : kSpaceLoops);
    const int freedoms = dice.chance(0.04) ? 0 : 1;
    if (try_joint(spec, joint_between(spec, dice, style, kind, a, b, at), style.flat || freedoms == 0,
                  freedoms))
      --loops;
  }
}

// The same joint once more: a second hinge on its axis, a second slide beside it.
void double_joint(Specification& spec, Dice& dice) {
  if (spec.joints.empty()) return;
  JointSpec joint = spec.joints[static_cast<std::size_t>(dice.below(static_cast<int>(spec.joints.size())))];
  const double size = std::min(size_of(spec, joint.a), size_of(spec, joint.b)) * dice.between(0.3, 1);
  switch (joint.kind) {
    case Kind::revolute:
    case Kind::cylindrical:
      if (!spec.planar) joint.at += size * joint.axis;
      break;
    case Kind::prismatic:
    case Kind::planar:
    case Kind::fixed:
      joint.at += size * dice.direction(spec.planar);
      break;
    case Kind::spherical:
    case Kind::distance:
    case Kind::point_on_line:
      break;
    default:
      return;
  }
  try_joint(spec, joint, true, 0);
}

}  // namespace

int freedoms_of(const Specification& spec) {
  const Equations equations(spec);
  return equations.unknowns() - mobility(equations, equations.start()).rank;
}

bool try_joint(Specification& spec, const JointSpec& joint, bool may_be_redundant, int freedoms) {
  Mobility before, after;
  is_regular(spec, before);
  const std::size_t rows = Equations(spec).rows().size();
  spec.joints.push_back(joint);
  const bool regular = is_regular(spec, after);
  const Equations equations(spec);
  const bool full = after.rank - before.rank == static_cast<int>(equations.rows().size() - rows);
  if (regular && (full || may_be_redundant) && equations.unknowns() - after.rank >= freedoms) return true;
  spec.joints.pop_back();
  return false;
}

void draw_structure(Specification& spec, Dice& dice) {
  Style style;
  spec.planar = dice.chance(0.42);
  style.flat = !spec.planar && dice.chance(0.25);
  style.normal = dice.direction(false);
  spec.size = dice.over(1e-3, 1e3);
  style.mass = dice.over(1e-4, 1e4);
  style.mass_spread = dice.chance(0.25) ? dice.between(1, 3) : 0.5;
  style.size_spread = dice.chance(0.2) ? 1 : 0.3;
  if (dice.chance(0.8)) {
    spec.gravity = spec.planar ? Vector3d(0, -9.81, 0) : Vector3d(0, 0, -9.81);
    if (dice.chance(0.3)) spec.gravity = dice.over(0.5, 30) * dice.direction(spec.planar);
  }
  const std::vector<Weighted<int>> counts = {{15, 1}, {25, 2}, {25, 3}, {15, 4},
                                             {10, 5}, {5, 6},  {3, 7},  {2, 8}};
  grow_tree(spec, dice, style, dice.pick(counts));
  const std::vector<Weighted<int>> loops = {{45, 0}, {40, 1}, {15, 2}};
  close_loops(spec, dice, style, dice.pick(loops));
  if (dice.chance(0.12)) double_joint(spec, dice);
}

bool draw_parts(Specification& spec, Dice& dice) {
  draw_structure(spec, dice);
  if (dice.chance(0.25)) draw_couplers(spec, dice);
  draw_velocities(spec, dice);
  if (dice.chance(0.35)) draw_drivers(spec, dice);
  draw_forces(spec, dice);
  return true;
}

}  // namespace trammel::campaigns::random
