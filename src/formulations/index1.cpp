#include "formulations/index1.h"

#include "formulations/rows.h"
#include "math/spans.h"

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
      loops_(system.jacobian()),
      mobility_(effective_mobility(system, terms_)),
      weight_(static_cast<std::size_t>(system.sizes().rows), 0),
      work_(static_cast<std::size_t>(system.sizes().v), 0) {}

bool Index1Solver::factor(const State& s) {
  system_.evaluate(s, kAskPosition | kAskGamma | kAskForces, terms_);
  loops_.squares(terms_.Phi_v, mobility_, weight_);
  for (double& weight : weight_) weight = automatic_penalty(weight);
  return tangent_.factor(terms_, weight_, 0, 0) == FactorStatus::ok;
}

Report Index1Solver::accelerations(State& s) {
  Report report;
  if (!factor(s)) {
    report.outcome = Outcome::singular;
    return report;
  }
  std::fill(s.a.begin(), s.a.end(), 0.0);
  std::fill(s.lambda.begin(), s.lambda.end(), 0.0);
  const RowLoops::Correction rows{terms_.Phi_v, terms_.gamma, {}, weight_};
  work_ = terms_.Q;
  loops_.augment(rows, s.a, true, s.lambda, work_);
  for (int pass = 0; pass < kPasses; ++pass) {
    tangent_.solve(work_);
    add_scaled(s.a, 1, work_.data());
    const double change = largest(work_);
    work_ = terms_.Q;
    system_.add_mass_times(terms_, s.a, -1, work_);
    loops_.augment(rows, s.a, false, s.lambda, work_);
    report.iterations = pass + 1;
    if (!std::isfinite(change)) {
      report.outcome = Outcome::not_finite;
      return report;
    }
    if (change <= kSmallChange * largest(s.a)) break;
  }
  return report;
}

}  // namespace trammel
