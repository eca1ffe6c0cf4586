#include "formulations/lagrange.h"

#include <Eigen/Dense>
#include <numbers>

#include "formulations/dense_terms.h"
#include "formulations/rows.h"

namespace trammel {
namespace {

Report failed(FactorStatus status) {
  Report report;
  if (status == FactorStatus::ok) return report;
  report.outcome = status == FactorStatus::not_finite ? Outcome::not_finite : Outcome::singular;
  report.message =
      "the equations cannot be solved here: the constraints depend on each other, or a direction has no "
      "mass; use "
      "augmented-lagrangian-index3";
  return report;
}

}  // namespace

Stabilization stabilization_of(const Plan& plan) {
  if (plan.stabilization == "welch") return {1 / plan.step, 1 / plan.step, 1 / plan.step};
  // Joli, Seguy & Feng (12): k_p = (0.2π)²/h², k_v = 2·0.1·0.2π/h
  const double b = 0.2 * std::numbers::pi / plan.step;
  if (plan.stabilization == "joli") return {0.1 * b, b, 0.2 * b};
  return {plan.stabilization_a, plan.stabilization_b, 2 * plan.stabilization_a};
}

double constraint_side(const System& system, const Terms& terms, const State& s, std::size_t row,
                       const Stabilization& gains) {
  const double rate = row_times(system.jacobian(), terms.Phi_v, row, s.v) + terms.Phi_t[row];
  if (static_cast<int>(row) >= system.sizes().holonomic) return -terms.gamma[row] - gains.c * rate;
  return -terms.gamma[row] - 2 * gains.a * rate - gains.b * gains.b * terms.Phi[row];
}

Lagrange::Lagrange(std::shared_ptr<const System> system, const Plan& plan)
    : AccelerationForm(std::move(system), plan, true) {
  if (plan.formulation == "baumgarte") stabilization_ = stabilization_of(plan);
  if (!plan.schur) whole_ = std::make_unique<KktMatrix>(*system_);
  rhs_.assign(static_cast<std::size_t>(system_->sizes().v + system_->sizes().rows), 0);
}

Report Lagrange::accelerate(State& s) {
  system_->evaluate(s, kAskPosition | kAskGamma | kAskForces, terms_);
  return plan_.schur ? accelerate_schur(s) : accelerate_whole(s);
}

Report Lagrange::accelerate_whole(State& s) {
  Report report = failed(whole_->factor(terms_));
  if (!report.accepted()) return report;
  const std::size_t n = s.v.size();
  std::copy(terms_.Q.begin(), terms_.Q.end(), rhs_.begin());
  for (std::size_t r = 0; r < s.lambda.size(); ++r)
    rhs_[n + r] = constraint_side(*system_, terms_, s, r, stabilization_);
  whole_->solve(rhs_);
  std::copy_n(rhs_.begin(), n, s.a.begin());
  std::copy(rhs_.begin() + static_cast<std::ptrdiff_t>(n), rhs_.end(), s.lambda.begin());
  return report;
}

Report Lagrange::accelerate_schur(State& s) {
  const auto n = static_cast<Eigen::Index>(s.v.size()), m = static_cast<Eigen::Index>(s.lambda.size());
  mass_ = dense_mass(*system_, terms_);
  rows_ = dense_rows(*system_, terms_);
  const Eigen::LDLT<Eigen::MatrixXd> mass(mass_);
  if (mass.vectorD().minCoeff() <= 1e-14 * mass.vectorD().maxCoeff()) return failed(FactorStatus::singular);
  const Eigen::Map<const Eigen::VectorXd> Q(terms_.Q.data(), n);
  Eigen::VectorXd c(m);
  for (Eigen::Index r = 0; r < m; ++r)
    c[r] = constraint_side(*system_, terms_, s, static_cast<std::size_t>(r), stabilization_);
  compliance_ = rows_ * mass.solve(rows_.transpose());
  const Eigen::VectorXd lambda = compliance_.ldlt().solve(rows_ * mass.solve(Q) - c);
  Eigen::Map<Eigen::VectorXd>(s.lambda.data(), m) = lambda;
  Eigen::Map<Eigen::VectorXd>(s.a.data(), n) = mass.solve(Q - rows_.transpose() * lambda);
  return {};
}

}  // namespace trammel
