#include "formulations/index3/algebraic.h"

#include <Eigen/Dense>

#include "formulations/matrices/dense_terms.h"
#include "formulations/rows/rows.h"
#include "linalg/dense.h"

namespace trammel::formulations {
namespace {

using Vector = Eigen::VectorXd;

Eigen::Map<const Vector> view(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

std::span<double> span_of(Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

Report singular() {
  Report report;
  report.outcome = Outcome::singular;
  report.message =
      "the equations cannot be solved here: the constraints lose rank, or a direction has no mass; use "
      "augmented-lagrangian-index3";
  return report;
}

}  // namespace

struct Algebraic::Factors {
  Eigen::LDLT<Eigen::MatrixXd> mass, compliance;
  Eigen::MatrixXd rows;
};

Algebraic::Algebraic(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan)
    : system_(std::move(system)),
      holonomic_(system_->sizes().holonomic),
      velocity_rows_(system_->sizes().rows - system_->sizes().holonomic),
      repeats_(plan.gyroscopic == "corrected" && (system_->has_damping() || system_->sizes().states > 0)),
      order_(plan.algebraic_order),
      terms_(system_->make_terms()),
      projector_(*system_, SolverChoice::automatic),
      watch_(*system_, true),
      factors_(std::make_shared<Factors>()) {}

bool Algebraic::factor(const State& at) {
  system_->evaluate(at, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  factors_->rows = dense_rows(*system_, terms_);
  factors_->mass.compute(dense_mass(*system_, terms_));
  factors_->compliance.compute(factors_->rows * factors_->mass.solve(factors_->rows.transpose()));
  // A pivot this much smaller than the largest has lost all its digits.
  const auto definite = [](const Eigen::LDLT<Eigen::MatrixXd>& f) {
    return f.rows() == 0 || f.vectorD().minCoeff() > 1e-14 * f.vectorD().cwiseAbs().maxCoeff();
  };
  return definite(factors_->mass) && definite(factors_->compliance);
}

Vector Algebraic::multipliers(const Vector& side) const {
  return factors_->compliance.solve(side + factors_->rows * factors_->mass.solve(view(terms_.Q)));
}

Vector Algebraic::acceleration(const Vector& lambda) const {
  return factors_->mass.solve(view(terms_.Q) - factors_->rows.transpose() * lambda);
}

Vector Algebraic::predictor_side(const Vector& phi_next, const Vector& v, double h) const {
  Vector side = phi_next / (h * h) + factors_->rows * v / h;
  side.tail(velocity_rows_) += (view(terms_.Phi_t) / h + view(terms_.gamma)).tail(velocity_rows_);
  return side;
}

Vector Algebraic::left_over(const State& state, const Trial& trial, double h) {
  State predicted = state;
  predicted.t = state.t + h;
  predicted.q = trial.q;
  Eigen::Map<Vector>(predicted.v.data(), trial.v.size()) = trial.v;
  system_->evaluate(predicted, system::kAskPosition, terms_);
  Vector left = 2 * view(terms_.Phi) / (h * h);
  if (velocity_rows_ == 0) return left;
  // qₙ ⊕ ½h(vᵖ + vₙ) differs from q₊ by h³.
  Vector way = 0.5 * h * (trial.v + view(state.v));
  predicted.q = state.q;
  system_->retract(predicted.q, span_of(way));
  system_->evaluate(predicted, system::kAskPosition, terms_);
  const Vector rate = dense_rows(*system_, terms_) * view(predicted.v) + view(terms_.Phi_t);
  left.tail(velocity_rows_) = rate.tail(velocity_rows_) / h;
  return left;
}

Vector Algebraic::corrector_side(const Vector& left, const Vector& change, double h) const {
  Vector side = factors_->rows * change / h;
  side.head(holonomic_) *= 2;
  return side + left;
}

std::string Algebraic::refusal(const State& state) {
  if (!factor(state) && factors_->mass.rows() > 0 &&
      factors_->mass.vectorD().minCoeff() <= 1e-14 * factors_->mass.vectorD().maxCoeff())
    return "algebraic needs mass in every direction, and this mechanism has none in some (a slender rod with "
           "axes, or a body without thickness); use augmented-lagrangian-index3, or give the body the "
           "inertia of "
           "its thickness";
  return watch_.refusal("algebraic", terms_);
}

bool Algebraic::correct(const State& state, double h, Trial& trial) {
  const Vector v = view(state.v);
  const Vector left = left_over(state, trial, h);
  State half = state;
  half.t = state.t + 0.5 * h;
  Vector way = 0.5 * h * trial.v;
  system_->retract(half.q, span_of(way));
  Eigen::Map<Vector>(half.v.data(), v.size()) = 0.5 * (v + trial.v);
  for (std::size_t k = 0; k < half.x.size(); ++k) half.x[k] += 0.5 * h * trial.x_dot[k];
  if (!factor(half)) return false;
  const Vector side = corrector_side(left, v - trial.v, h);
  const auto solve = [&] {
    trial.lambda = multipliers(side);
    trial.v = v + h * acceleration(trial.lambda);
  };
  solve();
  if (repeats_) {
    Eigen::Map<Vector>(half.v.data(), v.size()) = 0.5 * (v + trial.v);
    system_->evaluate(half, system::kAskForces, terms_);
    solve();
  }
  way = 0.5 * h * (trial.v + v);
  trial.q = state.q;
  system_->retract(trial.q, span_of(way));
  trial.x_dot = terms_.x_dot;
  return true;
}

StepResult Algebraic::step(State& state, double h) {
  StepResult result;
  const auto fail = [&](Report report) {
    result.report = std::move(report);
    return result;
  };
  const Vector v = view(state.v);
  // Constraints at the new time, everything else at the old one.
  State work = state;
  work.t = state.t + h;
  system_->evaluate(work, system::kAskPosition, terms_);
  const Vector phi_next = view(terms_.Phi);
  if (!factor(state)) return fail(singular());
  Trial trial;
  trial.lambda = multipliers(predictor_side(phi_next, v, h));
  trial.v = v + h * acceleration(trial.lambda);
  Vector way = h * trial.v;
  trial.q = state.q;
  system_->retract(trial.q, span_of(way));
  trial.x_dot = terms_.x_dot;
  if (order_ == 2 && !correct(state, h, trial)) return fail(singular());
  if (!view(trial.q).allFinite() || !trial.v.allFinite()) {
    Report report;
    report.outcome = Outcome::not_finite;
    return fail(report);
  }
  work.q = trial.q;
  Eigen::Map<Vector>(work.v.data(), v.size()) = trial.v;
  for (std::size_t k = 0; k < work.x.size(); ++k) work.x[k] += h * trial.x_dot[k];
  // Accelerations that belong to the new state; λ stays that of the step.
  if (!factor(work)) return fail(singular());
  Eigen::Map<Vector>(work.a.data(), v.size()) = acceleration(multipliers(view(terms_.gamma)));
  Eigen::Map<Vector>(work.lambda.data(), trial.lambda.size()) = trial.lambda;
  if (const Report angles = accept_angles(*system_, work, terms_, h); !angles.accepted()) return fail(angles);
  result.violation = projector_.violation(work);
  result.iterations = order_;
  result.report = watch_.see(work, terms_, system_->sizes().rows);
  if (result.report.accepted()) state = std::move(work);
  return result;
}

}  // namespace trammel::formulations
