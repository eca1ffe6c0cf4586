#include "formulations/accelerations/null_space.h"

#include <Eigen/Dense>

#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::formulations {

NullSpace::NullSpace(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan)
    : AccelerationForm(std::move(system), plan, true) {
  if (plan.stabilized) stabilization_ = stabilization_of(plan);
  if (system_->sizes().rows == 0) free_ = std::make_unique<TangentMatrix>(*system_, plan.solver);
}

// Nothing to hold: R = 1.
Report NullSpace::accelerate_free(State& s) {
  Report report;
  if (free_->factor(terms_, {}, 0, 0) != linalg::FactorStatus::ok) {
    report.outcome = Outcome::singular;
    report.message = "a direction has no mass; use augmented-lagrangian-index3";
    return report;
  }
  s.a = terms_.Q;
  free_->solve(s.a);
  return report;
}

Report NullSpace::accelerate(State& s) {
  Report report;
  system_->evaluate(s, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  if (free_) return accelerate_free(s);
  rows_ = dense_rows(*system_, terms_);
  const Eigen::Index n = rows_.cols(), m = rows_.rows(), f = n - m;
  if (!columns_.renew(s, scaled_rows(*system_, terms_))) {
    report.outcome = Outcome::singular;
    report.message = std::string(
        "the constraints lose rank here: a singular position, where null-space cannot go on; use "
        "augmented-lagrangian-index3");
    return report;
  }
  const std::vector<Eigen::Index>&d = columns_.dependent(), &i = columns_.independent();
  const Eigen::MatrixXd dependent = rows_(Eigen::all, d);
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(dependent);
  R_ = Eigen::MatrixXd::Zero(n, f);
  if (f > 0) {
    R_(d, Eigen::all) = -lu.solve(Eigen::MatrixXd(rows_(Eigen::all, i)));
    for (Eigen::Index k = 0; k < f; ++k) R_(i[static_cast<std::size_t>(k)], k) = 1;
  }
  Eigen::MatrixXd A(n, n);
  Eigen::VectorXd b(n);
  for (Eigen::Index r = 0; r < m; ++r)
    b[r] = constraint_side(*system_, terms_, s, static_cast<std::size_t>(r), stabilization_);
  A.topRows(m) = rows_;
  A.bottomRows(f) = mass_times(*system_, terms_, R_).transpose();
  const Eigen::Map<const Eigen::VectorXd> Q(terms_.Q.data(), n);
  b.tail(f) = R_.transpose() * Q;
  const Eigen::VectorXd a = A.partialPivLu().solve(b);
  Eigen::Map<Eigen::VectorXd>(s.a.data(), n) = a;
  // Φ_dᵀλ = (Q − M v̇)_d
  const Eigen::VectorXd rest = Q - mass_times(*system_, terms_, a);
  Eigen::Map<Eigen::VectorXd>(s.lambda.data(), m) = lu.transpose().solve(Eigen::VectorXd(rest(d)));
  return report;
}

}  // namespace trammel::formulations
