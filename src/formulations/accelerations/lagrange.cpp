#include "formulations/accelerations/lagrange.h"

#include <Eigen/Dense>
#include <numbers>

#include "formulations/matrices/dense_terms.h"
#include "formulations/rows/rows.h"
#include "linalg/dense.h"

namespace trammel::formulations {
namespace {

Report failed(linalg::FactorStatus status) {
  Report report;
  if (status == linalg::FactorStatus::ok) return report;
  report.outcome = status == linalg::FactorStatus::not_finite ? Outcome::not_finite : Outcome::singular;
  report.message =
      "the equations cannot be solved here: the constraints depend on each other, or a direction has no "
      "mass; use augmented-lagrangian-index3";
  return report;
}

}  // namespace

Stabilization stabilization_of(const ResolvedPlan& plan) {
  if (plan.stabilization == "welch") return {1 / plan.step, 1 / plan.step, 1 / plan.step};
  // Joli, Seguy & Feng (12): k_p = (0.2π)²/h², k_v = 2·0.1·0.2π/h
  const double b = 0.2 * std::numbers::pi / plan.step;
  if (plan.stabilization == "joli") return {0.1 * b, b, 0.2 * b};
  return {plan.stabilization_a, plan.stabilization_b, 2 * plan.stabilization_a};
}

double constraint_side(const system::Dynamics& system, const system::Terms& terms, const State& s,
                       std::size_t row, const Stabilization& gains) {
  const double rate = row_times(system.jacobian(), terms.Phi_v, row, s.v) + terms.Phi_t[row];
  if (static_cast<int>(row) >= system.sizes().holonomic) return -terms.gamma[row] - gains.c * rate;
  return -terms.gamma[row] - 2 * gains.a * rate - gains.b * gains.b * terms.Phi[row];
}

struct WholeSystem::Schur {
  Eigen::LDLT<Eigen::MatrixXd> mass, compliance;
  Eigen::MatrixXd rows;
  Eigen::VectorXd f, mu;
};

WholeSystem::WholeSystem(const system::Dynamics& system, bool schur) : system_(system) {
  if (schur)
    schur_ = std::make_unique<Schur>();
  else
    whole_ = std::make_unique<KktMatrix>(system);
  both_.assign(static_cast<std::size_t>(system.sizes().v + system.sizes().rows), 0);
}

WholeSystem::~WholeSystem() = default;

Report WholeSystem::factor(const system::Terms& terms) {
  if (whole_) return failed(whole_->factor(terms));
  Schur& s = *schur_;
  s.rows = dense_rows(system_, terms);
  s.mass.compute(dense_mass(system_, terms));
  if (s.mass.vectorD().minCoeff() <= 1e-14 * s.mass.vectorD().maxCoeff())
    return failed(linalg::FactorStatus::singular);
  s.compliance.compute(s.rows * s.mass.solve(s.rows.transpose()));
  return {};
}

void WholeSystem::solve(std::span<const double> f, std::span<const double> c, std::span<double> x,
                        std::span<double> mu) {
  if (whole_) {
    const auto rows = std::copy(f.begin(), f.end(), both_.begin());
    std::copy(c.begin(), c.end(), rows);
    whole_->solve(both_);
    std::copy(both_.begin(), rows, x.begin());
    std::copy(rows, both_.end(), mu.begin());
    return;
  }
  Schur& s = *schur_;
  const auto n = static_cast<Eigen::Index>(f.size()), m = static_cast<Eigen::Index>(c.size());
  s.f = Eigen::Map<const Eigen::VectorXd>(f.data(), n);
  const Eigen::Map<const Eigen::VectorXd> side(c.data(), m);
  s.mu = s.compliance.solve(s.rows * s.mass.solve(s.f) - side);
  Eigen::Map<Eigen::VectorXd>(mu.data(), m) = s.mu;
  Eigen::Map<Eigen::VectorXd>(x.data(), n) = s.mass.solve(s.f - s.rows.transpose() * s.mu);
}

Lagrange::Lagrange(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan)
    : AccelerationForm(std::move(system), plan, true),
      equations_(*system_, plan.schur),
      side_(terms_.Phi.size(), 0) {
  if (plan.formulation == FormulationKind::baumgarte) stabilization_ = stabilization_of(plan);
}

Report Lagrange::accelerate(State& s) {
  system_->evaluate(s, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  Report report = equations_.factor(terms_);
  if (report.accepted()) solve_accelerations(s);
  return report;
}

void Lagrange::solve_accelerations(State& s) {
  for (std::size_t r = 0; r < side_.size(); ++r)
    side_[r] = constraint_side(*system_, terms_, s, r, stabilization_);
  equations_.solve(terms_.Q, side_, s.a, s.lambda);
}

}  // namespace trammel::formulations
