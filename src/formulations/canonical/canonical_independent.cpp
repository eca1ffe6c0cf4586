#include "formulations/canonical/canonical_independent.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>

#include "formulations/canonical/momenta.h"
#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::formulations {
namespace {

constexpr int kPositionIterations = 20;
constexpr double kOnConstraints = 1e-14;  // rounding of Φ, of what counts as one
constexpr double kOpen = 1e-9;            // an iteration that stalls above this has failed

Eigen::Map<const Eigen::VectorXd> view(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
Eigen::Map<Eigen::VectorXd> into(std::span<double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace

struct CanonicalIndependent::Factors {
  Eigen::PartialPivLU<Eigen::MatrixXd> dependent;  // Φ_d
  Eigen::LDLT<Eigen::MatrixXd> mass;               // RᵀM R
};

CanonicalIndependent::CanonicalIndependent(const std::shared_ptr<const system::Dynamics>& system,
                                           const ResolvedPlan& plan)
    : AccelerationForm(system, plan, true),
      factors_(std::make_unique<Factors>()),
      momentum_scale_(momentum_scale(*system)),
      moved_(terms_.Q.size(), 0),
      sigma_(terms_.Phi.size(), 0),
      product_(terms_.Q.size(), 0) {}

CanonicalIndependent::~CanonicalIndependent() = default;

Report CanonicalIndependent::singular() const {
  Report report;
  report.outcome = Outcome::singular;
  report.message = fmt::format(
      "the constraints lose rank here: a singular position, where {} cannot go on; use "
      "augmented-lagrangian-index3",
      name());
  return report;
}

Report CanonicalIndependent::solve_positions(State& s) {
  Report report;
  const Eigen::Index holonomic = system_->sizes().holonomic;
  double last = INFINITY;
  for (int i = 0; i < kPositionIterations; ++i) {
    system_->evaluate(s, system::kAskPosition, terms_);
    rows_ = dense_rows(*system_, terms_);
    Worst worst;
    for (std::size_t r = 0; r < static_cast<std::size_t>(holonomic); ++r)
      worst.see(terms_.Phi[r], 1 / system_->rows()[r].scale, r);
    report.violation = worst.size;
    report.worst_row = worst.row;
    if (worst.size <= kOnConstraints || (i > 1 && worst.size <= kOpen && worst.size >= 0.5 * last))
      return report;
    if (!std::isfinite(worst.size)) break;
    last = worst.size;
    // Φ_d δ_d = −Φ
    const Eigen::MatrixXd block = rows_.topRows(holonomic)(Eigen::all, position_columns_.dependent());
    const Eigen::VectorXd delta = block.partialPivLu().solve(view(terms_.Phi).head(holonomic));
    std::fill(moved_.begin(), moved_.end(), 0.0);
    into(moved_)(position_columns_.dependent()) = -delta;
    system_->retract(s.q, moved_);
  }
  report.outcome = Outcome::not_converged;
  report.message = "the dependent coordinates cannot be found from the independent ones; try a smaller step";
  return report;
}

Report CanonicalIndependent::factor() {
  const std::vector<Eigen::Index>&d = columns_.dependent(), &i = columns_.independent();
  const Eigen::Index n = rows_.cols(), f = static_cast<Eigen::Index>(i.size());
  const Eigen::MatrixXd block = rows_(Eigen::all, d);
  factors_->dependent.compute(block);
  R_ = Eigen::MatrixXd::Zero(n, f);
  if (f == 0) return {};
  R_(d, Eigen::all) = -factors_->dependent.solve(Eigen::MatrixXd(rows_(Eigen::all, i)));
  for (Eigen::Index k = 0; k < f; ++k) R_(i[static_cast<std::size_t>(k)], k) = 1;
  factors_->mass.compute(R_.transpose() * formulations::mass_times(*system_, terms_, R_));
  const Eigen::VectorXd pivots = factors_->mass.vectorD();
  Report report;
  if (!pivots.allFinite()) report.outcome = Outcome::not_finite;
  // All digits are lost: a motion that the constraints allow has no mass.
  if (pivots.minCoeff() <= 1e-14 * pivots.maxCoeff()) {
    report.outcome = Outcome::singular;
    report.message = "a motion that the constraints allow has no mass; use augmented-lagrangian-index3";
  }
  return report;
}

Eigen::VectorXd CanonicalIndependent::mass_times(const std::vector<double>& x) {
  std::fill(product_.begin(), product_.end(), 0.0);
  system_->add_mass_times(terms_, x, 1, product_);
  return view(product_);
}

Eigen::VectorXd CanonicalIndependent::multipliers(const Eigen::VectorXd& f) const {
  if (columns_.dependent().empty()) return {};
  return factors_->dependent.transpose().solve(Eigen::VectorXd(f(columns_.dependent())));
}

void CanonicalIndependent::solve(const Eigen::VectorXd& g, const Eigen::VectorXd& c, std::vector<double>& x) {
  std::fill(x.begin(), x.end(), 0.0);
  if (c.size() > 0) into(x)(columns_.dependent()) = Eigen::VectorXd(factors_->dependent.solve(c));
  if (g.size() > 0) into(x) += R_ * factors_->mass.solve(g - R_.transpose() * mass_times(x));
}

void CanonicalIndependent::pack_velocity(const State& s, std::span<double> u) {
  system_->evaluate(s, system::kAskPosition, terms_);
  rows_ = dense_rows(*system_, terms_);
  const Eigen::MatrixXd scaled = scaled_rows(*system_, terms_);
  const Eigen::Index holonomic = system_->sizes().holonomic;
  chosen_ = columns_.take(s, scaled);
  position_columns_ = columns_;
  packed_ = columns_.dependent();
  if (holonomic < rows_.rows()) chosen_ = chosen_ && position_columns_.choose(scaled.topRows(holonomic));
  if (!chosen_ || !factor().accepted()) return;
  into(u) = R_.transpose() * mass_times(s.v);
}

void CanonicalIndependent::velocity_scale(std::span<double> scale) const {
  std::fill(scale.begin(), scale.end(), 1.0);
  for (std::size_t k = 0; chosen_ && k < scale.size(); ++k)
    scale[k] = momentum_scale_[static_cast<std::size_t>(columns_.independent()[k])];
}

Report CanonicalIndependent::unpack_velocity(std::span<const double> u, State& s) {
  if (!chosen_) return singular();
  Report report = solve_positions(s);
  if (report.accepted()) report = factor();
  if (report.accepted()) solve(view(u), -view(terms_.Phi_t), s.v);
  return report;
}

Report CanonicalIndependent::velocity_rate(State& s, std::span<double> u_dot) {
  system_->evaluate(s, asked_for_rate(*system_), terms_);
  into(sigma_) = -multipliers(mass_times(s.v));
  momentum_rate(*system_, terms_, sigma_, product_);
  into(u_dot) = R_.transpose() * view(product_);
  if (system_->rheonomic()) solve_accelerations(s);
  return {};
}

void CanonicalIndependent::solve_accelerations(State& s) {
  solve(R_.transpose() * view(terms_.Q), -view(terms_.gamma), s.a);
  into(s.lambda) = multipliers(view(terms_.Q) - mass_times(s.a));
}

Report CanonicalIndependent::accelerate(State& s) {
  system_->evaluate(s, system::kAskPosition | system::kAskGamma | system::kAskForces, terms_);
  rows_ = dense_rows(*system_, terms_);
  if (!columns_.renew(s, scaled_rows(*system_, terms_))) return singular();
  Report report = factor();
  if (report.accepted()) solve_accelerations(s);
  return report;
}

// A choice may be steep where no other is better: then it stays.
void CanonicalIndependent::renew(State&, const Violation&, forms::Kept& kept) {
  ColumnChoice best = position_columns_;
  const Eigen::MatrixXd rows = scaled_rows(*system_, terms_).topRows(system_->sizes().holonomic);
  const bool stays =
      columns_.dependent() == packed_ &&
      (!best.is_degraded(rows) || (best.choose(rows) && best.dependent() == position_columns_.dependent()));
  if (!stays) kept = forms::Kept::new_chart;
}

}  // namespace trammel::formulations
