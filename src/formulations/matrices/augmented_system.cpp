#include "formulations/matrices/augmented_system.h"

#include <algorithm>
#include <cmath>

#include "formulations/rows/penalty_mobility.h"
#include "formulations/rows/row_parameters.h"
#include "formulations/rows/rows.h"
#include "math/spans.h"

namespace trammel::formulations {
namespace {

constexpr int kMultiplierIterations = 100;
constexpr double kSmallChange = 1e-14;  // of what is solved for: rounding
// Passes that change so little, and hardly less than the one before, only shuffle rounding.
constexpr double kShuffled = 1e-13, kHardlyLess = 0.5;
// A step so long along a direction follows what rows contradict each other by.
constexpr double kTooLong = 1e8;
// A pass contracts by about 1e-6 where the constraints are independent or redundant, by less next to a
// singular position. Where it does, the next one is known without making it.
constexpr double kFast = 1e-3;
// Off their constraints, as at the stages of a step, rows that are redundant contradict each other a little.
// Passes follow that slowly, by less than half each; it is nothing of the motion.
constexpr double kContradictory = 0.5;
// Where solutions to rounding contract by less, conjugate directions take fewer of them.
constexpr double kSlow = 0.1;
// Other solutions of a step may contract so much less than its first.
constexpr double kSafe = 10;
// What two passes leave is to be below what is allowed by so much: an error estimate must not see it. One
// pass is so much cheaper that a few more steps next to singular positions do not matter. Where more are
// needed, what is left lies where the constraints all but lose rank, and steps are rejected for less.
constexpr double kUnseen = 1e-3, kUnseenSlow = 1e-5;

}  // namespace

AugmentedSystem::AugmentedSystem(const system::Dynamics& system, const ResolvedPlan& plan)
    : system_(system),
      tangent_(system, plan.solver),
      loops_(system.jacobian()),
      constraint_scale_(plan.constraint_scale),
      passes_(plan.formulation == FormulationKind::penalty ? 0 : plan.alf_iterations),
      penalty_(by_row(system, plan.penalty.value_or(0), plan.penalty_of)),
      mobility_(penalty_mobility(system, system.make_terms())),
      least_(least_compliance(system, mobility_)),
      alpha_(penalty_.size(), 0),
      increment_(mobility_.size(), 0),
      rate_(penalty_.size(), 0),
      direction_(penalty_.size(), 0),
      turned_(penalty_.size(), 0),
      zero_(penalty_.size(), 0) {
  left_.fill(INFINITY);
}

Report AugmentedSystem::factor(const system::Terms& terms) {
  Report report;
  const auto holonomic = static_cast<std::size_t>(system_.sizes().holonomic);
  loops_.squares(terms.Phi_v, mobility_, alpha_);
  for (std::size_t r = 0; r < alpha_.size(); ++r) {
    // The scale says what Φ is multiplied by; A v + b is as the person wrote it.
    const double scale = r < holonomic ? constraint_scale_ : 1;
    alpha_[r] = penalty_[r] > 0 ? penalty_[r] * scale * scale : automatic_penalty(alpha_[r], least_[r]);
  }
  const linalg::FactorStatus status = tangent_.factor(terms, alpha_, 0, 0);
  if (status != linalg::FactorStatus::ok)
    report.outcome = status == linalg::FactorStatus::not_finite ? Outcome::not_finite : Outcome::singular;
  return report;
}

// Pass i changes x by `change` of its size: so much the one before had left. Until more is known, the pass
// itself leaves nothing.
void AugmentedSystem::learn(int i, double change) {
  const auto k = static_cast<std::size_t>(i);
  if (k > 0 && k <= left_.size()) left_[k - 1] = change;
  if (k < left_.size()) left_[k] = kSmallChange;
}

// Whether pass i leaves less than is allowed; the one before has changed x by `last` of its size. The first
// solution makes two passes to know what one leaves.
bool AugmentedSystem::enough(int i, double change, double last, double allowed, bool first) const {
  if (redundant_ && i > 1 && change > kContradictory * last) return true;
  const bool one_will_do = kSafe * left_[0] <= allowed;
  if (i == 0 || (first && i == 1)) return one_will_do && i == (first ? 1 : 0);
  if (i == 1) return kSafe * left_[1] <= kUnseen * allowed && change <= kSafe * left_[0];
  // All that would follow, if passes go on to contract as this one did.
  return change < last && change * (change / (last - change)) <= kUnseenSlow * allowed;
}

// To rounding; `least` is the smallest change so far. Where passes contract fast the next one is known
// without making it.
bool AugmentedSystem::converged(int i, double change, double last, double least) const {
  if (alpha_.empty()) return true;  // T is M
  const double next = i > 1 && change < kFast * last ? change * (change / last) : change;
  return next <= kSmallChange || (least <= kShuffled && change > kHardlyLess * last);
}

// Conjugate gradients for Φ_v T⁻¹Φ_vᵀ Δμ = s, preconditioned by α: x stays the one that balances f. Returns
// their number.
int AugmentedSystem::follow_conjugates(const system::Terms& terms, std::span<const double> c,
                                       std::span<double> x, std::span<double> mu) {
  const std::size_t rows = mu.size();
  loops_.times(terms.Phi_v, x, c, rate_);
  std::fill(direction_.begin(), direction_.end(), 0.0);
  double before = INFINITY;
  for (int k = 0; k < kMultiplierIterations; ++k) {
    double size = 0, curvature = 0;
    for (std::size_t r = 0; r < rows; ++r) size += alpha_[r] * rate_[r] * rate_[r];
    for (std::size_t r = 0; r < rows; ++r)
      direction_[r] = alpha_[r] * rate_[r] + (size / before) * direction_[r];
    before = size;
    math::set_zero(increment_);
    loops_.press(terms.Phi_v, direction_.data(), zero_.data(), zero_.data(), increment_);
    tangent_.solve(increment_);
    loops_.times(terms.Phi_v, increment_, zero_, turned_);
    for (std::size_t r = 0; r < rows; ++r) curvature -= direction_[r] * turned_[r];
    if (!(size < kTooLong * curvature)) return k;
    const double way = size / curvature;
    math::add_scaled(x, way, increment_.data());
    math::add_scaled(mu, way, direction_.data());
    math::add_scaled(rate_, way, turned_.data());
    if (way * math::largest(increment_) <= kSmallChange * math::largest(x)) return k + 1;
  }
  return kMultiplierIterations;
}

// The last pass needs the multipliers alone.
void AugmentedSystem::end(const system::Terms& terms, std::span<const double> c, std::span<const double> x,
                          std::span<double> mu) {
  loops_.times(terms.Phi_v, x, c, rate_);
  math::add_products(mu, alpha_.data(), rate_.data());
}

Report AugmentedSystem::solve(const system::Terms& terms, std::span<const double> f,
                              std::span<const double> c, double allowed, std::span<double> x,
                              std::span<double> mu) {
  Report report;
  const RowLoops::Correction rows{terms.Phi_v, c, {}, alpha_};
  math::set_zero(mu);
  math::copy(increment_, f.data());
  loops_.press(terms.Phi_v, mu.data(), alpha_.data(), c.data(), increment_);
  const bool first = left_[0] == INFINITY;
  double last = INFINITY, least = INFINITY;
  for (int i = 0;; ++i) {
    tangent_.solve(increment_);
    i == 0 ? math::copy(x, increment_.data()) : math::add_scaled(x, 1, increment_.data());
    const double size = math::largest(x), change = !(size > 0) ? 0
                                                   : i == 0    ? 1
                                                               : math::largest(increment_) / size;
    least = std::min(least, change);
    report.iterations = i;
    if (!std::isfinite(size + change)) {
      report.outcome = Outcome::not_finite;
      return report;
    }
    if (first) learn(i, change);
    if (passes_ >= 0 ? i == passes_
                     : converged(i, change, last, least) || i == kMultiplierIterations ||
                           (allowed > 0 && enough(i, change, last, allowed, first))) {
      if (allowed == 0) end(terms, c, x, mu);
      return report;
    }
    if (conjugates_ && least > kShuffled && passes_ < 0 && allowed == 0 && !redundant_ && i > 1 &&
        change > kSlow * last) {
      report.iterations += follow_conjugates(terms, c, x, mu);
      end(terms, c, x, mu);
      return report;
    }
    last = change;
    math::copy(increment_, f.data());
    system_.add_mass_times(terms, x, -1, increment_);
    loops_.augment(rows, x, mu, increment_);
  }
}

}  // namespace trammel::formulations
