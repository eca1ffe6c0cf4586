// Independent coordinates where velocities are not the rates of positions: a body that turns about a fixed
// point, q a unit quaternion and v the angular velocity in the body, q ⊕ δ = q exp(δ).
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "formulations/accelerations/acceleration_form.h"
#include "integrators/ode_integrator.h"
#include "simulation/method_table.h"
#include "simulation/resolve.h"
#include "system/system.h"

namespace trammel::tests::independent_rotation_test {
namespace {

using Quaternion = Eigen::Quaterniond;

Quaternion turn(const Vec3& w) {
  const double angle = w.norm();
  if (angle < 1e-12) return Quaternion(1, 0.5 * w.x(), 0.5 * w.y(), 0.5 * w.z()).normalized();
  return Quaternion(Eigen::AngleAxisd(angle, w / angle));
}

Quaternion quaternion(std::span<const double> q) { return {q[0], q[1], q[2], q[3]}; }
Vec3 vector(std::span<const double> v) { return {v[0], v[1], v[2]}; }
void write(const Quaternion& r, std::span<double> q) {
  q[0] = r.w(), q[1] = r.x(), q[2] = r.y(), q[3] = r.z();
}

// Two freedoms: Φ = n·A e = 0 keeps the vector e of the body in the plane across n. Gravity pulls at c.
class Top final : public system::System {
 public:
  Top() {
    sizes_.q = 4;
    sizes_.v = 3;
    sizes_.rows = sizes_.holonomic = 1;
    rows_.resize(1);
    jacobian_.add_row({0, 1, 2});
    for (int i = 0; i < 3; ++i) {
      mass_pattern_.row.push_back(i);
      mass_pattern_.column.push_back(i);
      mass_.push_back(kInertia[i]);
    }
    inertia_scale_ = coordinate_scale_ = {1, 1, 1};
    position_scale_ = {1, 1, 1, 1};
  }
  State initial_state() const override {
    State s;
    s.q = {1, 0, 0, 0};
    s.v = {2, 0, 3};  // e = x stays across n = z
    s.a = {0, 0, 0};
    s.lambda = {0};
    return s;
  }
  void evaluate(const State& s, unsigned ask, system::Terms& terms) const override {
    const Mat3 A = quaternion(s.q).toRotationMatrix();
    const Vec3 w = vector(s.v), n = A.transpose() * Vec3::UnitZ(), e = Vec3::UnitX();
    if (ask & system::kAskPosition) {
      terms.Phi[0] = n.dot(e);
      const Vec3 row = e.cross(n);  // n·A(ω×e) = ω·(e × Aᵀn)
      for (int i = 0; i < 3; ++i) terms.Phi_v[static_cast<std::size_t>(i)] = row[i];
      terms.Phi_t[0] = 0;
    }
    if (ask & system::kAskGamma) terms.gamma[0] = n.dot(w.cross(w.cross(e)));
    if (ask & system::kAskForces) {
      const Vec3 spin = Vec3(kInertia.cwiseProduct(w));
      const Vec3 down = A.transpose() * Vec3(0, -9.81, 0);
      const Vec3 Q = kCentre.cross(down) - w.cross(spin);
      for (int i = 0; i < 3; ++i) terms.Q[static_cast<std::size_t>(i)] = Q[i];
      terms.potential = -kCentre.dot(down);
    }
  }
  void position_rate(std::span<const double> q, std::span<const double> v,
                     std::span<double> q_dot) const override {
    const Quaternion rate = quaternion(q) * Quaternion(0, 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]);
    write(rate, q_dot);
  }
  void retract(std::span<double> q, std::span<const double> delta) const override {
    write((quaternion(q) * turn(vector(delta))).normalized(), q);
  }
  void difference(std::span<const double> from, std::span<const double> to,
                  std::span<double> delta) const override {
    Quaternion r = quaternion(from).conjugate() * quaternion(to);
    if (r.w() < 0) r.coeffs() = -r.coeffs();
    const double sine = r.vec().norm();
    const Vec3 d = sine < 1e-12 ? Vec3(2 * r.vec()) : Vec3(2 * std::atan2(sine, r.w()) / sine * r.vec());
    std::copy(d.begin(), d.end(), delta.begin());
  }
  void normalize(std::span<double> q) const override { write(quaternion(q).normalized(), q); }

  std::vector<system::KnownVelocity> known_velocities(const State&) const override { return {}; }
  std::string accept_angles(State&, system::Terms&, double) const override { return {}; }
  std::vector<Pose> poses(const State&) const override { return {}; }
  std::vector<Vec3> point_positions(const State&) const override { return {}; }
  std::vector<system::Reading> readings(const State&, system::Terms&) const override { return {}; }
  void watch(const State&, system::Terms&, std::span<double>) const override {}
  std::vector<system::Wrench> reactions(const State&, system::Terms&) const override { return {}; }

  const Vec3 kInertia{0.3, 0.5, 0.7}, kCentre{0.4, 0.1, 0.2};
};

State after(const std::string& formulation, const std::string& choice, const std::string& integrate, double h,
            double end, double* energy = nullptr) {
  const auto top = std::make_shared<Top>();
  Plan plan;
  plan.formulation = formulation;
  plan.independent_choice = choice;
  plan.independent_integrate = integrate;
  const ResolvedPlan resolved = simulation::resolve(plan);
  const auto form = simulation::entry_of(resolved.formulation).acceleration_form(top, resolved);
  const auto rule = integrators::make_ode_integrator("rk4", {});
  State s = top->initial_state();
  rule->prepare(s);
  for (long i = std::lround(end / h); i > 0; --i) {
    const StepResult result = rule->step(*form, s, h);
    EXPECT_TRUE(result.report.accepted()) << integrate << ": " << result.report.message;
    if (!result.report.accepted()) break;
  }
  if (energy) {
    system::Terms terms = top->make_terms();
    top->evaluate(s, system::kAskForces, terms);
    *energy = top->kinetic_energy(s, terms) + terms.potential;
  }
  return s;
}

double distance(const State& a, const State& b) {
  return std::min((quaternion(a.q).coeffs() - quaternion(b.q).coeffs()).norm(),
                  (quaternion(a.q).coeffs() + quaternion(b.q).coeffs()).norm());
}

TEST(IndependentRotation, HasTheRulesOrderAndTheMotionOfTheMultipliers) {
  const double end = 2;
  const State reference = after("lagrange", "boolean", "minimal", 2.5e-4, end);
  for (const char* choice : {"boolean", "qr", "svd"})
    for (const char* integrate : {"minimal", "enlarged"}) {
      double energy = 0, before = 0;
      const State a = after("independent", choice, integrate, 4e-3, end),
                  b = after("independent", choice, integrate, 2e-3, end),
                  c = after("independent", choice, integrate, 1e-3, end, &energy);
      after("independent", choice, integrate, 1e-3, 0, &before);
      // Charts change at times that depend on the step: sixteen, within a factor of two.
      EXPECT_NEAR(std::log2(distance(a, b) / distance(b, c)), 4, 1) << choice << ", " << integrate;
      EXPECT_LT(distance(c, reference), 1e-8) << choice << ", " << integrate;
      EXPECT_NEAR(energy, before, 1e-7) << choice << ", " << integrate;
    }
}

}  // namespace
}  // namespace trammel::tests::independent_rotation_test
