#include "formulations/projection.h"

#include "formulations/rows.h"

namespace trammel {
namespace {

constexpr int kPositionSweeps = 20;
constexpr int kSweeps = 6;
constexpr double kProjected = 1e-15;  // rounding of quantities of order one

}  // namespace

Projector::Projector(const System& system, SolverChoice choice)
    : system_(system),
      terms_(system.make_terms()),
      tangent_(system, choice),
      mass_(effective_mass(system, terms_)),
      weight_(terms_.Phi.size(), 0),
      work_(terms_.Q.size(), 0),
      lambda_(terms_.Phi.size(), 0),
      start_(static_cast<std::size_t>(system.sizes().q), 0),
      back_(terms_.Q.size(), 0) {}

bool Projector::factor(const State& s, int rows) {
  system_.evaluate(s, kAskPosition | kAskGamma, terms_);
  std::fill(weight_.begin(), weight_.end(), 0.0);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
    weight_[r] = automatic_penalty(row_compliance(system_.jacobian(), terms_.Phi_v, r, mass_));
  return tangent_.factor(terms_, weight_, 0, 0) == FactorStatus::ok;
}

Report Projector::positions(State& s) {
  Report report;
  const auto holonomic = static_cast<std::size_t>(system_.sizes().holonomic);
  start_ = s.q;
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  double last = INFINITY;
  for (int i = 0; i < kPositionSweeps; ++i) {
    if (!factor(s, system_.sizes().holonomic)) {
      report.outcome = Outcome::singular;
      return report;
    }
    Worst worst;
    for (std::size_t r = 0; r < holonomic; ++r) {
      worst.see(terms_.Phi[r], system_.rows()[r].scale, r);
      if (i > 0) lambda_[r] += weight_[r] * terms_.Phi[r];
    }
    report.violation = worst.size;
    report.worst_row = worst.row;
    report.iterations = i;
    if (!std::isfinite(worst.size)) {
      report.outcome = Outcome::not_finite;
      return report;
    }
    // Closed to rounding, or as far as rounding lets it.
    if (worst.size <= kProjected || (i > 2 && worst.size >= 0.5 * last)) break;
    last = worst.size;
    std::fill(work_.begin(), work_.end(), 0.0);
    system_.difference(s.q, start_, back_);  // q* − q
    system_.add_mass_times(terms_, back_, 1, work_);
    for (std::size_t r = 0; r < holonomic; ++r)
      add_row(system_.jacobian(), terms_.Phi_v, r, -(lambda_[r] + weight_[r] * terms_.Phi[r]), work_);
    tangent_.solve(work_);
    system_.retract(s.q, work_);
  }
  return report;
}

// After a solve, M Δx = −Φ_vᵀ(w · what is left): the sum over sweeps is the impulse.
double Projector::sweep(std::vector<double>& x, std::span<const double> bias, std::span<double> impulse) {
  double left = INFINITY;
  for (int i = 0;; ++i) {
    Worst worst;
    std::fill(work_.begin(), work_.end(), 0.0);
    for (std::size_t r = 0; r < weight_.size(); ++r) {
      const double rate = row_times(system_.jacobian(), terms_.Phi_v, r, x) + bias[r];
      worst.see(rate, system_.rows()[r].scale, r);
      add_row(system_.jacobian(), terms_.Phi_v, r, -weight_[r] * rate, work_);
      if (i > 0 && !impulse.empty()) impulse[r] += weight_[r] * rate;
    }
    const bool stalled = i > 1 && worst.size >= 0.5 * left;
    left = worst.size;
    if (left <= kProjected || stalled || i == kSweeps || !std::isfinite(left)) return left;
    tangent_.solve(work_);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += work_[k];
  }
}

Report Projector::velocities(State& s, double& left) {
  Report report;
  if (!factor(s, system_.sizes().rows)) report.outcome = Outcome::singular;
  if (report.accepted()) left = sweep(s.v, terms_.Phi_t);
  return report;
}

Report Projector::velocities_to(State& s, std::span<const double> target, std::span<double> impulse,
                                double& left) {
  Report report;
  std::fill(impulse.begin(), impulse.end(), 0.0);
  if (!factor(s, system_.sizes().rows)) {
    report.outcome = Outcome::singular;
    return report;
  }
  for (std::size_t r = 0; r < target.size(); ++r) terms_.Phi_t[r] -= target[r];
  left = sweep(s.v, terms_.Phi_t, impulse);
  return report;
}

Report Projector::accelerations(State& s, double& left) {
  Report report;
  if (!factor(s, system_.sizes().rows)) report.outcome = Outcome::singular;
  if (report.accepted()) left = sweep(s.a, terms_.gamma);
  return report;
}

Violation Projector::violation(const State& s) {
  system_.evaluate(s, kAskPosition | kAskGamma, terms_);
  Worst position, velocity, acceleration;
  for (std::size_t r = 0; r < weight_.size(); ++r) {
    const double scale = system_.rows()[r].scale;
    position.see(terms_.Phi[r], scale, r);
    velocity.see(row_times(system_.jacobian(), terms_.Phi_v, r, s.v) + terms_.Phi_t[r], scale, r);
    acceleration.see(row_times(system_.jacobian(), terms_.Phi_v, r, s.a) + terms_.gamma[r], scale, r);
  }
  return {position.size, velocity.size, acceleration.size};
}

}  // namespace trammel
