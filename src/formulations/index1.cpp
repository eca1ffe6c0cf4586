#include "formulations/index1.h"

#include "formulations/rows.h"

namespace trammel {
namespace {

// The iteration contracts by 1e-6; five passes reach rounding even where the effective mass is rough.
constexpr int kPasses = 12;
constexpr double kSmallChange = 1e-14;

}  // namespace

Index1Solver::Index1Solver(const System& system, SolverChoice choice)
    : system_(system),
      terms_(system.make_terms()),
      tangent_(system, choice),
      mass_(effective_mass(system, terms_)),
      weight_(static_cast<std::size_t>(system.sizes().rows), 0),
      work_(static_cast<std::size_t>(system.sizes().v), 0) {}

bool Index1Solver::factor(const State& s) {
  system_.evaluate(s, kAskPosition | kAskGamma | kAskForces, terms_);
  for (std::size_t r = 0; r < weight_.size(); ++r)
    weight_[r] = automatic_penalty(row_compliance(system_.jacobian(), terms_.Phi_v, r, mass_));
  return tangent_.factor(terms_, weight_, 0, 0) == FactorStatus::ok;
}

// Q − M v̇ − Φ_vᵀλ
void Index1Solver::residual(const State& s, std::span<double> r) const {
  std::copy(terms_.Q.begin(), terms_.Q.end(), r.begin());
  system_.add_mass_times(terms_, s.a, -1, r);
  for (std::size_t k = 0; k < weight_.size(); ++k)
    add_row(system_.jacobian(), terms_.Phi_v, k, -s.lambda[k], r);
}

Report Index1Solver::accelerations(State& s) {
  Report report;
  if (!factor(s)) {
    report.outcome = Outcome::singular;
    return report;
  }
  std::fill(s.a.begin(), s.a.end(), 0.0);
  std::fill(s.lambda.begin(), s.lambda.end(), 0.0);
  const auto excess = [&](std::size_t r) {
    return weight_[r] * (row_times(system_.jacobian(), terms_.Phi_v, r, s.a) + terms_.gamma[r]);
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    residual(s, work_);
    for (std::size_t r = 0; r < weight_.size(); ++r)
      add_row(system_.jacobian(), terms_.Phi_v, r, -excess(r), work_);
    tangent_.solve(work_);
    double change = 0, size = 1e-300;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      s.a[i] += work_[i];
      change = larger(change, work_[i]);
      size = std::max(size, std::abs(s.a[i]));
    }
    for (std::size_t r = 0; r < weight_.size(); ++r) s.lambda[r] += excess(r);
    report.iterations = pass + 1;
    if (!std::isfinite(change)) {
      report.outcome = Outcome::not_finite;
      return report;
    }
    if (change <= kSmallChange * size) break;
  }
  return report;
}

}  // namespace trammel
