#include "formulations/projection/projection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "forms/residual_form.h"
#include "formulations/rows/penalty_mobility.h"
#include "formulations/rows/rounding.h"
#include "formulations/rows/rows.h"
#include "math/spans.h"

namespace trammel::formulations {
namespace {

constexpr int kPositionSweeps = 20;
constexpr int kSweeps = 6;
constexpr double kProjected = 1e-15;  // rounding of quantities of order one
constexpr double kRounded = 1e-13;    // of larger ones
// A way so short need not be the very shortest: it errs by its square.
constexpr double kShort = 1e-4;
// A sweep contracts by 1e-6 with a factor of its own, by the way with an older one. Less says that the factor
// is too old, or a singular position close.
constexpr double kContracts = 1e-4;
// Of what counts as one: where sweeps stall, rows at least so long are closed once more without the shorter
// ones. The penalty of a row of length ε carries the rounding of Φ up to 1/(2 kShortestRow) times into those
// that say the same, as redundant rows do; closing these again by so much moves the short one by ε times
// that. A short row that no other one says opens instead: then the sweeps stand.
constexpr double kLongRow = 0.01;
// Of the velocities or accelerations that a row adds up: what rounding may leave of them.
constexpr double kSummed = 1e-11;

Worst largest_open(const std::vector<double>& Phi, const std::vector<double>& inverse_scale,
                   std::size_t rows) {
  Worst worst;
  for (std::size_t r = 0; r < rows; ++r) worst.see(Phi[r], inverse_scale[r], r);
  return worst;
}

}  // namespace

Projector::Projector(const system::Dynamics& system, SolverChoice choice)
    : system_(system),
      terms_(system.make_terms()),
      tangent_(system, choice),
      loops_(system.jacobian()),
      mobility_(penalty_mobility(system, terms_)),
      least_(least_compliance(system, mobility_)),
      inverse_scale_(inverse_scales(system)),
      weight_(terms_.Phi.size(), 0),
      work_(terms_.Q.size(), 0),
      lambda_(terms_.Phi.size(), 0),
      bias_(terms_.Phi.size(), 0),
      rate_(terms_.Phi.size(), 0),
      start_(static_cast<std::size_t>(system.sizes().q), 0),
      back_(terms_.Q.size(), 0) {}

// Velocities are projected where positions have just been: nothing is evaluated or factored twice.
void Projector::evaluate(const State& s, bool near) {
  if (evaluated_ && s.seen_time() == at_.t && s.q == at_.q && s.x == at_.x && s.inputs == at_.inputs) return;
  evaluated_ = true;
  if (!near) factored_rows_ = -1;
  at_factor_ = false;
  at_.t = s.seen_time();
  at_.q = s.q;
  at_.x = s.x;
  at_.inputs = s.inputs;
  system_.evaluate(s, system::kAskPosition, terms_);
}

bool Projector::factor(int rows) {
  if (rows == factored_rows_) return true;
  factored_rows_ = -1;
  loops_.squares(terms_.Phi_v, mobility_, weight_);
  for (std::size_t r = 0; r < weight_.size(); ++r)
    weight_[r] = r < static_cast<std::size_t>(rows) ? automatic_penalty(weight_[r], least_[r]) : 0;
  if (tangent_.factor(terms_, weight_, 0, 0) != linalg::FactorStatus::ok) return false;
  factored_Phi_v_ = terms_.Phi_v;
  factored_rows_ = rows;
  at_factor_ = true;
  return true;
}

bool Projector::factor_long_rows(int rows) {
  constexpr double kLonger = (kLongRow / kShortestRow) * (kLongRow / kShortestRow);
  factored_rows_ = -1;
  loops_.squares(terms_.Phi_v, mobility_, weight_);
  bool some_short = false;
  for (std::size_t r = 0; r < weight_.size(); ++r) {
    const bool asked = r < static_cast<std::size_t>(rows), is_long = weight_[r] >= kLonger * least_[r];
    some_short = some_short || (asked && !is_long);
    weight_[r] = asked && is_long ? automatic_penalty(weight_[r], least_[r]) : 0;
  }
  if (!some_short || tangent_.factor(terms_, weight_, 0, 0) != linalg::FactorStatus::ok) return false;
  factored_Phi_v_ = terms_.Phi_v;
  at_factor_ = true;
  return true;
}

// One factor serves all sweeps of a short way, if it is applied to the rows that it was made of: then what is
// left contracts by the way. Rows that have turned by ε since would come w ε times into the correction.
Report Projector::positions(State& s) {
  Report report;
  if (weight_.empty()) return report;
  const auto holonomic = static_cast<std::size_t>(system_.sizes().holonomic);
  start_ = s.q;
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  bool near = false;
  double last = INFINITY;
  for (int i = 0; i < kPositionSweeps; ++i) {
    evaluate(s, near);
    const double worst = math::largest(std::span(terms_.Phi).first(holonomic), inverse_scale_);
    report.violation = worst;
    report.iterations = i;
    if (!std::isfinite(worst)) {
      report.outcome = Outcome::not_finite;
      break;
    }
    // Closed to rounding, or as far as rounding lets it.
    const bool stalled = worst >= 0.5 * last;
    if (worst <= kProjected || (stalled && (i > 2 || (i > 1 && worst <= kRounded)))) break;
    if (i == 0) near = worst <= kShort;
    if (worst > kContracts * last) near = false;
    if (!near) factored_rows_ = -1;
    last = worst;
    if (!factor(system_.sizes().holonomic)) {
      report.outcome = Outcome::singular;
      return report;
    }
    math::set_zero(work_);
    if (i > 0) {
      system_.difference(s.q, start_, back_);  // q* − q
      system_.add_mass_times(terms_, back_, 1, work_);
    }
    loops_.press(factored_Phi_v_, lambda_.data(), weight_.data(), terms_.Phi.data(), work_);
    tangent_.solve(work_);
    // The multipliers that balance M (q − q*) are those of Φ as it was linearized, not as it will be.
    loops_.times(factored_Phi_v_, work_, terms_.Phi, rate_);
    math::add_products(std::span(lambda_).first(holonomic), weight_.data(), rate_.data());
    system_.retract(s.q, work_);
  }
  if (report.accepted() && report.violation > kRounded && factor_long_rows(system_.sizes().holonomic)) {
    evaluate(s);
    math::set_zero(work_);
    math::set_zero(lambda_);
    loops_.press(factored_Phi_v_, lambda_.data(), weight_.data(), terms_.Phi.data(), work_);
    tangent_.solve(work_);
    kept_ = s.q;
    system_.retract(s.q, work_);
    evaluate(s);
    if (!(largest_open(terms_.Phi, inverse_scale_, holonomic).size < report.violation)) {
      s.q = kept_;
      evaluate(s);
    }
  }
  const Worst worst = largest_open(terms_.Phi, inverse_scale_, holonomic);
  report.violation = worst.size;
  report.worst_row = worst.row;
  return report;
}

double Projector::sweep(std::vector<double>& x, std::span<const double> bias) {
  double left = INFINITY;
  bool closed_long = false;
  math::set_zero(lambda_);
  for (int i = 0;; ++i) {
    loops_.times(terms_.Phi_v, x, bias, rate_);
    const double now = math::largest(rate_, inverse_scale_);
    if (closed_long && !(now < left)) {
      x = kept_;
      return left;
    }
    const bool stalled = i > 1 && now >= 0.5 * left, slow = now > kContracts * left;
    left = now;
    if (left <= kProjected || !std::isfinite(left)) return left;
    if (slow && !at_factor_ && left > kRounded) {
      const int rows = std::exchange(factored_rows_, -1);
      if (!factor(rows)) return INFINITY;
    } else if (stalled || i == kSweeps) {
      if (closed_long || left <= kRounded || !factor_long_rows(factored_rows_)) return left;
      closed_long = true;
      kept_ = x;
    }
    math::set_zero(work_);
    loops_.press(factored_Phi_v_, lambda_.data(), weight_.data(), rate_.data(), work_);
    tangent_.solve(work_);
    math::add_scaled(x, 1, work_.data());
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
    math::add_scaled(x, 1, work_.data());
  }
}

Report Projector::velocities(State& s, double& left) {
  Report report;
  left = 0;
  if (weight_.empty()) return report;
  evaluate(s);
  if (!factor(system_.sizes().rows)) report.outcome = Outcome::singular;
  if (report.accepted()) left = sweep(s.v, terms_.Phi_t);
  return report;
}

Report Projector::velocities_to(State& s, std::span<const double> target, std::span<double> impulse,
                                double& left) {
  Report report;
  std::fill(impulse.begin(), impulse.end(), 0.0);
  forget();  // impulses are told: they need the very rows
  evaluate(s);
  if (!factor(system_.sizes().rows)) {
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
  left = 0;
  if (weight_.empty()) return report;
  evaluate(s);
  if (!factor(system_.sizes().rows)) report.outcome = Outcome::singular;
  if (!report.accepted()) return report;
  system_.evaluate(s, system::kAskGamma, terms_);
  left = sweep(s.a, terms_.gamma);
  return report;
}

Violation Projector::violation(const State& s) {
  if (weight_.empty()) return {};
  forget();
  system_.evaluate(s, system::kAskPosition | system::kAskGamma, terms_);
  return violation(s, terms_);
}

Violation Projector::violation(const State& s, const system::Terms& terms) {
  if (weight_.empty()) return {};
  const auto holds = [&](const std::vector<double>& x, const std::vector<double>& bias) {
    loops_.times(terms.Phi_v, x, bias, rate_);
    return math::largest(rate_, inverse_scale_);
  };
  return {math::largest(terms.Phi, inverse_scale_), holds(s.v, terms.Phi_t), holds(s.a, terms.gamma)};
}

Violation closed_to(const system::Dynamics& system, const system::Terms& terms, const State& s, double far) {
  const system::RowPattern& rows = system.jacobian();
  double speed = 0, acceleration = 0;
  for (std::size_t r = 0; r < terms.Phi.size(); ++r) {
    double v = std::abs(terms.Phi_t[r]), a = std::abs(terms.gamma[r]);
    for (auto k = static_cast<std::size_t>(rows.start[r]); k < static_cast<std::size_t>(rows.start[r + 1]);
         ++k) {
      const auto column = static_cast<std::size_t>(rows.column[k]);
      v += std::abs(terms.Phi_v[k] * s.v[column]);
      a += std::abs(terms.Phi_v[k] * s.a[column]);
    }
    speed = std::max(speed, v / system.rows()[r].scale);
    acceleration = std::max(acceleration, a / system.rows()[r].scale);
  }
  const Violation& slow = forms::kClosed;
  // What is not known of positions is not known of Φ_v either.
  const double rounding = position_rounding(system, terms, s, far), summed = std::max(kSummed, rounding);
  return {std::max(slow.position, rounding), std::max(slow.velocity, summed * speed),
          std::max(slow.acceleration, summed * acceleration)};
}

}  // namespace trammel::formulations
