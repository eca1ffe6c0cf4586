#include "formulations/projection.h"

#include "formulations/rows.h"
#include "math/spans.h"

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
      loops_(system.jacobian()),
      mobility_(effective_mobility(system, terms_)),
      inverse_scale_(inverse_scales(system)),
      weight_(terms_.Phi.size(), 0),
      work_(terms_.Q.size(), 0),
      lambda_(terms_.Phi.size(), 0),
      bias_(terms_.Phi.size(), 0),
      rate_(terms_.Phi.size(), 0),
      start_(static_cast<std::size_t>(system.sizes().q), 0),
      back_(terms_.Q.size(), 0) {}

// Velocities are projected where positions have just been: nothing is evaluated or factored twice.
bool Projector::factor(const State& s, int rows) {
  if (rows == factored_rows_ && s.t == at_.t && s.q == at_.q && s.x == at_.x && s.inputs == at_.inputs)
    return true;
  factored_rows_ = -1;
  at_.t = s.t;
  at_.q = s.q;
  at_.x = s.x;
  at_.inputs = s.inputs;
  system_.evaluate(s, kAskPosition, terms_);
  loops_.squares(terms_.Phi_v, mobility_, weight_);
  for (std::size_t r = 0; r < weight_.size(); ++r)
    weight_[r] = r < static_cast<std::size_t>(rows) ? automatic_penalty(weight_[r]) : 0;
  if (tangent_.factor(terms_, weight_, 0, 0) != FactorStatus::ok) return false;
  factored_rows_ = rows;
  return true;
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
    const double worst = largest(std::span(terms_.Phi).first(holonomic), inverse_scale_);
    report.violation = worst;
    report.iterations = i;
    if (!std::isfinite(worst)) {
      report.outcome = Outcome::not_finite;
      break;
    }
    // Closed to rounding, or as far as rounding lets it.
    if (worst <= kProjected || (i > 2 && worst >= 0.5 * last)) break;
    last = worst;
    if (i > 0) add_products(std::span(lambda_).first(holonomic), weight_.data(), terms_.Phi.data());
    set_zero(work_);
    if (i > 0) {
      system_.difference(s.q, start_, back_);  // q* − q
      system_.add_mass_times(terms_, back_, 1, work_);
    }
    loops_.press(terms_.Phi_v, lambda_.data(), weight_.data(), terms_.Phi.data(), work_);
    tangent_.solve(work_);
    system_.retract(s.q, work_);
  }
  Worst worst;
  for (std::size_t r = 0; r < holonomic; ++r) worst.see(terms_.Phi[r], inverse_scale_[r], r);
  report.worst_row = worst.row;
  return report;
}

double Projector::sweep(std::vector<double>& x, std::span<const double> bias) {
  const RowLoops::Correction rows{terms_.Phi_v, bias, inverse_scale_, weight_};
  double left = INFINITY;
  for (int i = 0;; ++i) {
    set_zero(work_);
    const double now = loops_.correct(rows, x, work_);
    const bool stalled = i > 1 && now >= 0.5 * left;
    left = now;
    if (left <= kProjected || stalled || i == kSweeps || !std::isfinite(left)) return left;
    tangent_.solve(work_);
    add_scaled(x, 1, work_.data());
  }
}

// After a solve, M Δx = −Φ_vᵀ(w · what is left): the sum over sweeps is the impulse. What is left is small,
// and comes w times into the impulse: what rounding takes from M (x − x*) + Φ_vᵀ impulse = 0 is given back.
double Projector::sweep(std::vector<double>& x, std::span<const double> bias, std::span<double> impulse) {
  before_ = x;
  for (int i = 0;; ++i) {
    Worst worst;
    std::fill(work_.begin(), work_.end(), 0.0);
    for (std::size_t r = 0; r < weight_.size(); ++r) {
      const double rate = row_times(system_.jacobian(), terms_.Phi_v, r, x) + bias[r];
      worst.see(rate, inverse_scale_[r], r);
      if (i > 0) impulse[r] += weight_[r] * rate;
      add_row(system_.jacobian(), terms_.Phi_v, r, -impulse[r] - weight_[r] * rate, work_);
    }
    for (std::size_t k = 0; k < x.size(); ++k) back_[k] = before_[k] - x[k];
    system_.add_mass_times(terms_, back_, 1, work_);
    if (i == kSweeps || !std::isfinite(worst.size)) return worst.size;
    tangent_.solve(work_);
    add_scaled(x, 1, work_.data());
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
  bias_ = terms_.Phi_t;
  for (std::size_t r = 0; r < target.size(); ++r) bias_[r] -= target[r];
  left = sweep(s.v, bias_, impulse);
  return report;
}

Report Projector::accelerations(State& s, double& left) {
  Report report;
  if (!factor(s, system_.sizes().rows)) report.outcome = Outcome::singular;
  if (!report.accepted()) return report;
  system_.evaluate(s, kAskGamma, terms_);
  left = sweep(s.a, terms_.gamma);
  return report;
}

Violation Projector::violation(const State& s) {
  if (weight_.empty()) return {};
  factored_rows_ = -1;
  system_.evaluate(s, kAskPosition | kAskGamma, terms_);
  const auto holds = [&](const std::vector<double>& x, const std::vector<double>& bias) {
    loops_.times(terms_.Phi_v, x, bias, rate_);
    return largest(rate_, inverse_scale_);
  };
  return {largest(terms_.Phi, inverse_scale_), holds(s.v, terms_.Phi_t), holds(s.a, terms_.gamma)};
}

}  // namespace trammel
