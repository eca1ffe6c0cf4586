// Derivatives of every constraint and force type against central differences along q ⊕ δ, in each kind of
// coordinates, on mechanisms that between them hold each type in the plane and in space. A type that no
// mechanism here uses fails the last test.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "system/natural/parts.h"
#include "system/system.h"
#include "trammel/model.h"

namespace trammel::tests::derivatives_test {
namespace {

// A force of a person's own: a repulsion f = k r/|r|³ between two points, and drag on the second.
class Repulsion final : public UserForce {
 public:
  Repulsion(UserPoint a, UserPoint b) : points_{std::move(a), std::move(b)} {}
  std::vector<UserPoint> points() const override { return points_; }
  void force(double, std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f) const override {
    const Vec3 r = x[1] - x[0];
    const Vec3 push = r / std::pow(r.norm(), 3);
    f[0] = -push;
    f[1] = push - 0.3 * v[1];
  }
  void derivatives(double, std::span<const Vec3> x, std::span<const Vec3>, Eigen::Ref<Eigen::MatrixXd> K,
                   Eigen::Ref<Eigen::MatrixXd> C) const override {
    const Vec3 r = x[1] - x[0];
    const double n = r.norm();
    const Mat3 d = Mat3::Identity() / std::pow(n, 3) - 3 * r * r.transpose() / std::pow(n, 5);
    K.block<3, 3>(0, 0) = d;
    K.block<3, 3>(0, 3) = -d;
    K.block<3, 3>(3, 0) = -d;
    K.block<3, 3>(3, 3) = d;
    C.block<3, 3>(3, 3) = -0.3 * Mat3::Identity();
  }

 private:
  std::vector<UserPoint> points_;
};

// A point on a breathing sphere: Φ = ½(|x|² − (2 + sin t)²).
class BreathingSphere final : public UserConstraint {
 public:
  explicit BreathingSphere(UserPoint p) : point_(std::move(p)) {}
  std::vector<UserPoint> points() const override { return {point_}; }
  double scale() const override { return 1; }
  double value(double t, std::span<const Vec3> x) const override {
    return 0.5 * (x[0].squaredNorm() - std::pow(2 + std::sin(t), 2));
  }
  void gradient(double, std::span<const Vec3> x, std::span<Vec3> g) const override { g[0] = x[0]; }
  double time_derivative(double t, std::span<const Vec3>) const override {
    return -(2 + std::sin(t)) * std::cos(t);
  }
  double gamma(double t, std::span<const Vec3>, std::span<const Vec3> v) const override {
    const double s = std::sin(t), c = std::cos(t);
    return v[0].squaredNorm() - (c * c - (2 + s) * s);
  }

 private:
  UserPoint point_;
};

const char* kPlanar = R"yaml(
trammel: 1
name: everything planar
plane: xy
gravity: [0, -9.81]
points:
  O: {at: [0, 0], on: ground}
  A: [1, 0.2]
  B: [2, -0.1]
bodies:
  crank:  {rod: [O, A], mass: 1}
  link:   {rod: [A, B], mass: 2}
  bob:    {point: B, mass: 0.5}
  plate:  {mass: 3, inertia: 0.4, com: [0.1, 0.2], at: [3, 1], angle: 0.3, points: {p: [1, 0], q: [0, 1]}}
  slider: {mass: 1, inertia: 0.1, at: [4, 1], points: {p: [0.2, 0]}}
  tail:   {mass: 1, inertia: 0.2, at: [5, 2], points: {p: [0.5, 0.5]}}
joints:
  slide:  {prismatic: [slider, plate], at: [4, 1], axis: [1, 0.2]}
  weld:   {fixed: [tail, slider], at: [4.5, 1.5]}
  hinge:  {revolute: [plate, crank], at: [1.2, 0.3]}
  rail:   {point-on-line: plate.q, through: [0, 1], along: [1, 1]}
  strut:  {distance: [plate.p, B], length: 1.7}
  cam:    {point-on-curve: tail.p, of: plate, through: [[1, 1], [2.5, 0.9], [4, 0.4], [5, -0.5]]}
  track:  {point-on-curve: B, closed: true, through: [[2, 0], [0, 2.5], [-2, 0], [0, -2]]}
  rack1:  {rack: [hinge, slide], radius: 0.1}
  follow: {coupler: [slide, hinge], equals: 0.1*sin(hinge.angle) + 0.05*slide.displacement^2}
  gears:  {gear-pair: [plate, slider], radii: [0.4, 0.6], centers: [[3, 1], [4, 1]], flank: positive}
  ring:   {gear-pair: [tail, plate], radii: [0.5, 2.7], internal: true, centers: [[5, 2], [3, 1]], flank: negative}
  either: {gear-pair: [slider, ground], radii: [0.4, 0.6], centers: [[4, 1], [4, 2]]}
  toothed: {rack-pair: [slider, plate], radius: 0.5, along: [1, 0.2], centers: [[4, 1], [4, 0.5]], flank: positive}
  belts:  {belt: [plate, slider], radii: [0.3, -0.4], centers: [[3, 1], [4, 1]], closed: false}
  belts2: {belt: [plate, tail], radii: [0.5, 0.2], centers: [[3, 1], [5, 2]], closed: false}
  roller: {cam: plate, follower: tail.p, radius: 0.2, through: [[1.5, 0.2], [0, 1.6], [-1.4, 0.1], [0.1, -1.5]]}
  flat:   {cam: slider, follower: tail.p, face: [-1, -0.6], through: [[0.6, 0], [0, 0.7], [-0.5, 0], [0, -0.6]]}
  hollow: {cam: ground, follower: B, side: left, closed: false, through: [[3, -1], [2, 0], [0.5, 0.2], [-1, -1]]}
  skate:  {knife-edge: plate, at: [3.2, 1.1], along: [1, 0.3]}
  skate2: {knife-edge: tail, at: [5.1, 2.2], across: [0.2, 1], on: plate}
  wheel:  {rolling: tail, radius: 0.3, through: [5, 1.5], normal: [0.1, 1]}
  wheel2: {rolling: slider, radius: 0.2, center: slider.p, along: [1, 0.1], on: plate, contact: false}
  hunt:   {pursuit: [plate.q, B]}
  mix:    {velocity: {hinge.rate: 1 + 0.2*t*slide.displacement, B.vx: sin(A.y), spring.rate: 2}, equals: cos(t) + crank.angle^2}
drivers:
  spin:   {speed: slide, equals: sin(2*t)}
  turn:   {speed: tail, equals: t^2}
  motor:  {angle: crank, equals: 0.5*t + 0.1*sin(3*t)}
  reach:  {distance: [tail.p, B], equals: 3 + 0.1*t^2}
  hand:   {position: slider.p, equals: [4 + sin(t), free]}
functions:
  bend: {spline: [[-2, 0], [-1, 1], [0, 1.5], [2, 9], [3, 8]], shape: monotone}
  wave: {spline: [[0, 0], [1, 2], [1.5, -1], [2, 0]], shape: periodic}
define:
  swing: lag*hinge.rate - drop
  drop:  sin(B.x)*B.vy + 0.1*twist.torque*plate.omega*plate.ey.x
states:
  lag: {derivative: hinge.angle - 2*lag^2 + drive, initial: 0.3}
inputs: {drive: 0.7}
forces:
  spring:  {spring: [O, B], stiffness: 100, length: 1, damping: 2, preload: 3}
  law:     {spring: [A, plate.p], tension: 5*law.length^2 + law.rate*t}
  twist:   {joint-spring: hinge, stiffness: 4, free: 0.1, damping: 0.5}
  cable:   {tendon: {hinge: 0.3, slide: 2}, stiffness: 40, length: 0.2, damping: 3, preload: 1}
  control: {joint-spring: slide, force: 3*slide.displacement + swing}
  rub:     {friction: slide, coulomb: 2, viscous: 0.1, transition: 0.5}
  engine:  {joint: hinge, torque: 2*t - 0.3*hinge.rate + B.x*hinge.angle}
  ram:     {joint: slide, force: slide.displacement^2 + A.vy}
  push:    {force: ["2*t*A.y", "-3"], at: plate.p, axes: world}
  thrust:  {force: ["1 + plate.rate", 2], at: slider.p, axes: body}
  torque:  {torque: 0.3 + crank.angle*t + bend(2*crank.angle) - wave(5*link.angle), on: link}
  bush:    {bushing: [tail, plate], at: [5, 1], stiffness: [10, 20, 3], damping: [1, 2, 0.3]}
  strap:   {belt: [plate, slider, tail], radii: [0.3, 0.2, -0.25], centers: [[3, 1], [4, 1], [5, 2]], stiffness: 50, damping: 4, pretension: 200}
  web:     {belt: [plate, tail], radii: [0.3, 0.2], centers: [[3, 1], [5, 2]], closed: false, tension: 40 + 9*web.stretch^2 + web.rate}
simulate: {duration: 1, step: 0.01}
)yaml";

const char* kSpatial = R"yaml(
trammel: 1
name: everything spatial
gravity: [0, 0, -9.81]
points:
  O: {at: [0, 0, 0], on: ground}
  A: [1, 0.2, 0.1]
  B: [2, -0.1, 0.4]
bodies:
  rod1:  {rod: [O, A], mass: 1}
  rod2:  {rod: [A, B], mass: 2}
  bob:   {point: B, mass: 0.5}
  a: {mass: 3, inertia: [0.4, 0.5, 0.6], com: [0.1, 0, 0.2], at: [3, 1, 0], points: {p: [1, 0, 0], q: [0, 1, 0]}}
  b: {mass: 1, inertia: {xx: 0.3, yy: 0.4, zz: 0.5, xy: 0.02, xz: 0.01, yz: -0.03}, at: [4, 1, 1], points: {p: [0.2, 0, 0.1]},
      rotor: {axis: [0, 0, 1], inertia: 0.02, speed: 50}}
  c: {mass: 1, inertia: [0.2, 0.2, 0.3], at: [5, 2, 0], points: {p: [0.5, 0.5, 0]}}
  d: {mass: 1, inertia: [0.2, 0.2, 0.3], at: [6, 2, 0], points: {p: [0.5, 0.5, 0]}}
  e: {mass: 1, inertia: [0.2, 0.2, 0.3], at: [7, 2, 0], points: {p: [0.5, 0.5, 0]}}
  f: {mass: 1, inertia: [0.2, 0.2, 0.3], at: [8, 2, 0], points: {p: [0.5, 0.5, 0]}}
joints:
  hinge:   {revolute: [a, ground], at: [2.8, 1, 0], axis: [0, 1, 0.2]}
  hinge2:  {revolute: [b, a], at: [3.8, 1, 0.4], axis: [1, 0, 0.2]}
  cyl:     {cylindrical: [c, b], at: [4.5, 2, 0.4], axis: [1, 1, 0.2]}
  slide:   {prismatic: [d, c], at: [5.5, 2, 0.4], axis: [1, 0, 0]}
  cross:   {universal: [e, d], at: [6.5, 2, 0], axes: [[0, 1, 0], [0, 0, 1]]}
  table:   {planar: [f, e], at: [7.5, 2, 0], normal: [0, 0.2, 1]}
  ball:    {spherical: [f, ground], at: [8.5, 2, 0]}
  weld:    {fixed: [f, a], at: [5, 5, 0]}
  balls1:  {spherical: [a, c], at: [3, 2, 1]}
  balls2:  {spherical: [a, d], at: [3, 1, 2]}
  balls3:  {spherical: [a, e], at: [2, 2, 2]}
  strut:   {distance: [a.q, B], length: 1.7}
  rail:    {point-on-line: b.p, through: [0, 1, 0], along: [1, 1, 0.3]}
  cam:     {point-on-curve: c.p, of: a, through: [[1, 1.2, 0.2], [2.2, 1.5, 0.1], [3.4, 1.4, -0.3], [4.5, 1, -0.5]]}
  track:   {point-on-curve: B, closed: true, through: [[2, 0, 0], [0, 2.5, 0.5], [-2, 0, 1], [0, -2, -0.5]]}
  ledge:   {point-on-plane: c.p, through: [0, 1, 0], normal: [0.1, 0, 1], of: d}
  gears:   {gear: [hinge, hinge2], ratio: -2}
  thread:  {screw: cyl, pitch: 0.01}
  rack1:   {rack: [hinge2, slide], radius: 0.1}
  follow:  {coupler: [slide, hinge2, cyl], equals: 0.1*hinge2.angle*cyl.angle + cyl.displacement^2}
  nut:     {screw-pair: [d, c], at: [5.5, 2, 0.4], axis: [1, 0.1, 0], pitch: 0.2}
  bent:    {constant-velocity: [e, b], at: [4.5, 1.5, 0.5], axes: [[1, 0, 0], [1, 0.3, 0.1]]}
  helical: {gear-pair: [a, b], radii: [0.4, 0.6], axis: [0, 0, 1], centers: [[3, 1, 0], [4, 1, 0]], helix-angle: 0.3, pressure-angle: 0.7, flank: positive}
  either:  {gear-pair: [c, d], radii: [0.4, 0.6], axis: [0, 0, 1], centers: [[5, 2, 0], [6, 2, 0]], helix-angle: -0.2}
  toothed: {rack-pair: [c, e], radius: 0.5, along: [1, 0, 0], axis: [0, 0, 1], centers: [[5, 2, 0], [5.2, 1.5, 0]], helix-angle: 0.2, flank: negative}
  bevel:   {bevel-pair: [a, b], radii: [0.4, 0.6], apex: [3.5, 1, 0.5], axes: [[1, 0.1, 0], [0.2, 0, 1]], spiral-angle: 0.3, flank: positive}
  bevel2:  {bevel-pair: [c, d], radii: [0.5, 0.3], apex: [5.5, 2, 0.5], axes: [[1, 0.1, 0], [0.2, 0, 1]]}
  worm:    {worm-pair: [c, d], radii: [0.3, 0.7], centers: [[5, 2, 0], [6, 2, 0]], axes: [[0, 0.1, 1], [0, 1, 0.3]], lead-angle: 0.2, flank: negative}
  worm2:   {worm-pair: [e, d], radii: [0.3, 0.7], centers: [[7, 2, 0], [6, 2, 0]], axes: [[0, 0, 1], [0, 1, 0]], lead-angle: -0.4}
  belts:   {belt: [a, c], radii: [0.3, -0.4], centers: [[3, 1, 0], [5, 2, 0]], axis: [0, 0, 1], closed: false}
  roller:  {cam: a, follower: c.p, radius: 0.2, through: [[1.5, 0.2, 0.1], [0, 1.6, 0.1], [-1.4, 0.1, 0.1], [0.1, -1.5, 0.1]]}
  flat:    {cam: b, follower: e.p, face: [-1, -0.4, 0.1], through: [[0.6, 0, 0], [0, 0.7, 0], [-0.5, 0, 0], [0, -0.6, 0]]}
  roll:    {rolling: c, radius: 0.4, through: [5, 2, -0.5], normal: [0.1, 0, 1]}
  roll2:   {rolling: e, radius: 0.2, center: e.p, normal: [0.1, 0.2, 1], on: b}
  coin:    {rolling: d, radius: 0.3, axis: [1, 0.4, 0.2], through: [6, 2, -0.3], normal: [0, 0.1, 1]}
  coin2:   {rolling: f, radius: 0.3, axis: [1, 0.1, 0.4], normal: [0.2, 0.1, 1], on: b}
  edge:    {knife-edge: e, at: [7.2, 2.1, 0.3], along: [1, 0.2, 0.1]}
  edge2:   {knife-edge: f, at: [8.2, 2.1, 0.3], across: [0.1, 1, 0.3], on: a}
  mix:     {velocity: {hinge.rate: 1 + 0.2*t*slide.displacement, B.vz: sin(A.y), cyl.angle_rate: 2}, equals: cos(t)*hinge2.angle^2}
drivers:
  spin:    {speed: slide, equals: sin(2*t)}
  motor:   {joint: hinge, equals: 0.5*t + 0.1*sin(3*t)}
  reach:   {distance: [f.p, B], equals: 6 + 0.1*t^2}
  hand:    {position: d.p, equals: [6 + sin(t), free, "cos(t)"]}
forces:
  spring:  {spring: [O, B], stiffness: 100, length: 1, damping: 2}
  cable:   {tendon: {hinge: 0.2, slide: 1.5}, stiffness: 40, length: 0.2, damping: 3, preload: 1}
  control: {joint-spring: hinge2, torque: 3*cyl.angle + cyl.displacement_rate - sin(B.x)*a.vz}
  twist:   {joint-spring: slide, stiffness: 4, damping: 0.5}
  rub:     {friction: hinge, coulomb: 2, viscous: 0.1, transition: 0.5}
  drive:   {joint: cyl, torque: 2*t - 0.3*cyl.angle_rate + B.x*hinge.angle}
  ram:     {joint: cyl, force: cyl.displacement^2 + A.vy}
  push:    {force: ["2*t*A.y", "-3", 0], at: a.p, axes: world}
  thrust:  {force: ["1 + hinge.rate", 2, "t"], at: b.p, axes: body}
  torque:  {torque: ["0.3 + a.omega.z*b.ey.x", "hinge.angle*t + rod1.omega.y", spring.force], on: c, axes: body}
  torque2: {torque: [0.3, 0.2, 0.1], on: rod2}
  strap:   {belt: [a, c], radii: [0.3, 0.2], centers: [[3, 1, 0], [5, 2, 0]], axis: [0, 0, 1], stiffness: 50, damping: 4, pretension: 200}
  bush:    {bushing: [d, b], at: [5, 1, 0], stiffness: [10, 20, 30, 3, 2, 1], damping: [1, 2, 3, 0.3, 0.2, 0.1]}
simulate: {duration: 1, step: 0.01}
)yaml";

Mechanism read(const char* text, bool planar) {
  ModelInput input = read_model_text(text, "derivatives.yaml");
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  Mechanism m = std::move(input.mechanism);
  const std::string body = planar ? "plate" : "a";
  const Vec3 at(0.4, 0.3, planar ? 0 : 0.2);
  m.forces.push_back(
      {"mine", std::make_shared<Repulsion>(UserPoint{kGround, Vec3(0.3, 0.4, 0)}, UserPoint{body, at}), {}});
  m.constraints.push_back({"shell", std::make_shared<BreathingSphere>(UserPoint{body, at})});
  return m;
}

using Case = std::tuple<bool, std::string>;  // planar, coordinates

class Derivatives : public testing::TestWithParam<Case> {
 protected:
  Derivatives()
      : planar_(std::get<0>(GetParam())),
        mechanism_(read(planar_ ? kPlanar : kSpatial, planar_)),
        system_(system::compile(mechanism_, std::get<1>(GetParam()))) {
    state_ = system_->initial_state();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> part(-0.3, 0.3);
    state_.t = 0.4;
    std::vector<double> aside(state_.v.size());
    for (double& d : aside) d = 0.2 * part(random);
    system_->retract(state_.q, aside);
    for (double& v : state_.v) v = 3 * part(random);
    for (double& a : state_.a) a = 5 * part(random);
  }

  system::Terms at(const State& s) const {
    system::Terms terms = system_->make_terms();
    system_->evaluate(s, system::kAskAll, terms);
    return terms;
  }
  // Φ_v x + y
  std::vector<double> along(const system::Terms& terms, const std::vector<double>& x,
                            std::vector<double> y) const {
    for (std::size_t i = 0; i < y.size(); ++i)
      for (int k = system_->jacobian().start[i]; k < system_->jacobian().start[i + 1]; ++k)
        y[i] += terms.Phi_v[static_cast<std::size_t>(k)] *
                x[static_cast<std::size_t>(system_->jacobian().column[static_cast<std::size_t>(k)])];
    return y;
  }
  // Φ̇ = Φ_v v + Φ_t, or A v + b
  std::vector<double> rate(const State& s) const {
    const system::Terms terms = at(s);
    return along(terms, s.v, terms.Phi_t);
  }
  // Moves along v, v̇ = a.
  State moved(double dt) const {
    State s = state_;
    s.t += dt;
    std::vector<double> way(s.v.size());
    for (std::size_t i = 0; i < s.v.size(); ++i) {
      way[i] = dt * (s.v[i] + 0.5 * dt * s.a[i]);
      s.v[i] += dt * s.a[i];
    }
    system_->retract(s.q, way);
    return s;
  }
  // Moves one coordinate.
  State aside(std::size_t column, double delta) const {
    State s = state_;
    std::vector<double> way(s.v.size(), 0.0);
    way[column] = delta;
    system_->retract(s.q, way);
    return s;
  }
  std::size_t holonomic() const { return static_cast<std::size_t>(system_->sizes().holonomic); }

  bool planar_;
  Mechanism mechanism_;
  std::shared_ptr<const system::System> system_;
  State state_;
};

// Central differences of step 1e-5 on quantities of order 1 to 100: error about 1e-8 of their size.
constexpr double kStep = 1e-5;
double tolerance(double size) { return 2e-7 * (1 + std::abs(size)); }

TEST_P(Derivatives, JacobianIsTheDerivativeOfTheConstraints) {
  const system::Terms here = at(state_);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(system_->sizes().rows, system_->sizes().v);
  const system::RowPattern& rows = system_->jacobian();
  for (int r = 0; r < rows.rows(); ++r)
    for (int k = rows.start[static_cast<std::size_t>(r)]; k < rows.start[static_cast<std::size_t>(r) + 1];
         ++k)
      J(r, rows.column[static_cast<std::size_t>(k)]) += here.Phi_v[static_cast<std::size_t>(k)];
  for (int j = 0; j < system_->sizes().v; ++j) {
    const auto c = static_cast<std::size_t>(j);
    const system::Terms p = at(aside(c, kStep)), m = at(aside(c, -kStep));
    for (int r = 0; r < system_->sizes().holonomic; ++r) {
      const auto i = static_cast<std::size_t>(r);
      EXPECT_NEAR((p.Phi[i] - m.Phi[i]) / (2 * kStep), J(r, j), tolerance(J(r, j)))
          << system_->rows()[i].name << " row " << r << " column " << j;
    }
  }
}

TEST_P(Derivatives, RatesAndGammaFollowFromTheConstraintsInTime) {
  const system::Terms here = at(state_);
  const std::vector<double> rate_here = rate(state_), acceleration = along(here, state_.a, here.gamma);
  const system::Terms p = at(moved(kStep)), m = at(moved(-kStep));
  const std::vector<double> rp = rate(moved(kStep)), rm = rate(moved(-kStep));
  for (std::size_t i = 0; i < rate_here.size(); ++i) {
    if (i < holonomic())
      EXPECT_NEAR((p.Phi[i] - m.Phi[i]) / (2 * kStep), rate_here[i], tolerance(rate_here[i]))
          << system_->rows()[i].name;
    else
      EXPECT_EQ(here.Phi[i], 0) << system_->rows()[i].name;
    EXPECT_NEAR((rp[i] - rm[i]) / (2 * kStep), acceleration[i], tolerance(acceleration[i]))
        << system_->rows()[i].name;
  }
}

TEST_P(Derivatives, TheJacobianChangesAtItsRate) {
  const system::Terms here = at(state_), p = at(moved(kStep)), m = at(moved(-kStep));
  const system::RowPattern& rows = system_->jacobian();
  for (std::size_t r = 0; r < system_->rows().size(); ++r)
    for (auto k = static_cast<std::size_t>(rows.start[r]); k < static_cast<std::size_t>(rows.start[r + 1]);
         ++k)
      EXPECT_NEAR((p.Phi_v[k] - m.Phi_v[k]) / (2 * kStep), here.Phi_v_dot[k], tolerance(here.Phi_v_dot[k]))
          << system_->rows()[r].name << " column " << rows.column[k];
  // M is constant.
  EXPECT_EQ(here.M_dot_v, std::vector<double>(state_.v.size(), 0.0));
}

TEST_P(Derivatives, AskedForAloneTheRatesAreTheSame) {
  system::Terms alone = system_->make_terms();
  system_->evaluate(state_, system::kAskRates, alone);
  EXPECT_EQ(alone.Phi_v_dot, at(state_).Phi_v_dot);
}

TEST_P(Derivatives, ConstraintsAreLinearInTheVelocities) {
  const system::Terms here = at(state_);
  for (double& v : state_.v) v = -2 * v + 1;
  const system::Terms there = at(state_);
  EXPECT_EQ(here.Phi_v, there.Phi_v);
  EXPECT_EQ(here.Phi_t, there.Phi_t);
}

TEST_P(Derivatives, RowsOfVelocitiesFollowTheHolonomicOnes) {
  const std::set<std::string> of_velocities = {"skate", "skate2", "wheel", "wheel2", "hunt",
                                               "mix",   "spin",   "turn",  "roll",   "roll2",
                                               "coin",  "coin2",  "edge",  "edge2"};
  std::size_t contacts = 0;
  for (std::size_t i = 0; i < system_->rows().size(); ++i) {
    const std::string& name = system_->rows()[i].name;
    if (i >= holonomic())
      EXPECT_TRUE(of_velocities.count(name)) << name;
    else
      contacts += of_velocities.count(name);
  }
  // Plane: one wheel keeps its height. Space: two balls and two disks.
  EXPECT_EQ(contacts, planar_ ? 1U : 4U);
  // Plane: one row each. Space: two of each rolling contact and of the edge along an axis, one of the others.
  EXPECT_EQ(system_->rows().size() - holonomic(), planar_ ? 8U : 13U);
}

TEST_P(Derivatives, StiffnessAndDampingAreTheDerivativesOfTheForces) {
  const system::Terms here = at(state_);
  const auto n = static_cast<Eigen::Index>(system_->sizes().v);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n), C = K;
  for (std::size_t k = 0; k < here.K.size(); ++k)
    K(system_->stiffness().row[k], system_->stiffness().column[k]) += here.K[k];
  for (std::size_t k = 0; k < here.C.size(); ++k)
    C(system_->damping().row[k], system_->damping().column[k]) += here.C[k];
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto c = static_cast<std::size_t>(j);
    for (const bool by_velocity : {false, true}) {
      State plus = aside(c, by_velocity ? 0 : kStep), minus = aside(c, by_velocity ? 0 : -kStep);
      if (by_velocity) {
        plus.v[c] += kStep;
        minus.v[c] -= kStep;
      }
      const system::Terms p = at(plus), m = at(minus);
      const Eigen::MatrixXd& exact = by_velocity ? C : K;
      for (Eigen::Index r = 0; r < n; ++r) {
        const auto i = static_cast<std::size_t>(r);
        EXPECT_NEAR(-(p.Q[i] - m.Q[i]) / (2 * kStep), exact(r, j), tolerance(exact(r, j)))
            << (by_velocity ? "C" : "K") << " at " << r << ", " << j;
      }
    }
  }
}

TEST_P(Derivatives, PowerOfForcesIsTheirVirtualWork) {
  // Gravity and springs have a potential, the rest has power: dV/dt = power − Q·v. A rotor does no work in a
  // rigid motion; points and vectors that move at will are not rigid, so it is left out there.
  if (std::get<1>(GetParam()) == "natural") {
    for (Body& body : mechanism_.bodies) body.rotor.reset();
    system_ = system::compile(mechanism_);
  }
  const system::Terms here = at(state_);
  double Qv = 0;
  for (std::size_t i = 0; i < state_.v.size(); ++i) Qv += here.Q[i] * state_.v[i];
  const double dV = (at(moved(kStep)).potential - at(moved(-kStep)).potential) / (2 * kStep);
  EXPECT_NEAR(dV, here.power - Qv, tolerance(Qv));
}

INSTANTIATE_TEST_SUITE_P(All, Derivatives,
                         testing::Combine(testing::Bool(), testing::Values("natural", "reference")),
                         [](const auto& which) {
                           return (std::get<0>(which.param) ? "Plane_" : "Space_") + std::get<1>(which.param);
                         });

TEST(DerivativesOfStates, ByTheStatesThemselves) {
  const auto system = system::compile(read(kPlanar, true));
  State s = system->initial_state();
  system::Terms terms = system->make_terms();
  system->evaluate(s, system::kAskAll, terms);
  // lag: ∂/∂lag (… − 2 lag²) = −4 lag
  EXPECT_DOUBLE_EQ(terms.x_dot_x[0], -4 * 0.3);
}

// Every pool of the two lists has at least one part in the mechanisms above.
template <int D>
void expect_all_types_used(const Mechanism& mechanism) {
  const system::NaturalParts<D> parts = system::lower<D>(mechanism, {}, system::Sharing::neighbours);
  const auto used = [](const auto& pool) { EXPECT_FALSE(pool.empty()) << typeid(pool).name(); };
  std::apply([&](const auto&... pool) { (used(pool), ...); }, parts.constraints);
  std::apply([&](const auto&... pool) { (used(pool), ...); }, parts.forces);
}

TEST(DerivativesOfAllTypes, EveryTypeIsTested) {
  expect_all_types_used<2>(read(kPlanar, true));
  expect_all_types_used<3>(read(kSpatial, false));
}

}  // namespace
}  // namespace trammel::tests::derivatives_test
