#include "integrators/generalized_alpha.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forms/take_state.h"
#include "math/spans.h"

namespace trammel::integrators {
namespace {

// A step that lands next to a singular position converges slowly; it is accepted, and marked, if it is at
// least this good (lengths scaled to one).
constexpr double kWeakPosition = 1e-7;
constexpr double kWeakVelocity = 1e-3;
constexpr double kWeakIncrement = 1e-6;
// Increments that have been so much smaller grow: the iteration diverges, and only a shorter step helps.
// Increments that change by less than this factor in half of all iterations go to and fro.
constexpr double kSteady = 1.5;
// Increments that stay below this without end are rounding of positions that the coordinates do not show, as
// relative ones of a mechanism far from the origin.
constexpr double kTiny = 1e-9;
// Rounding makes every other increment larger than the one before. Where fewer are, of those in the second
// half of all iterations, they still become smaller: slowly, as where a light body vibrates.
constexpr double kRises = 0.2;

// After so many iterations a step that is not settled is looked at for what rounding leaves.
constexpr int kManyIterations = 5;

// An increment this many times the mechanism's size: the iteration runs away.
constexpr double kRunaway = 1e3;

// (a − v̇)/h: the algorithmic acceleration belongs to a time that is apart from t by a part of the step, so
// that its offset scales with the step.
constexpr MemorySlot kOffset{"algorithmic offset", Lifetime::step};

// resize() that costs a comparison where the size is right, as it is in all steps but the first.
void fit(std::vector<double>& x, std::size_t size) {
  if (x.size() != size) x.resize(size);
}

}  // namespace

AlphaRule AlphaRule::of(const ResolvedPlan& plan) {
  switch (plan.integrator) {
    case IntegratorKind::newmark:
      return {0, 0, plan.newmark_beta, plan.newmark_gamma};
    case IntegratorKind::hht: {
      const double a = plan.hht_alpha;
      return {0, -a, (1 - a) * (1 - a) / 4, 0.5 - a};
    }
    case IntegratorKind::generalized_alpha: {
      const double r = plan.spectral_radius;
      const double m = (2 * r - 1) / (r + 1), f = r / (r + 1);
      return {m, f, (1 - m + f) * (1 - m + f) / 4, 0.5 - m + f};
    }
    default:
      return {0, 0, 0.25, 0.5};
  }
}

// With aₙ = v̇ₙ + (α_m − α_f) h v⃛ the Taylor series of the rule leaves (β + (α_m − α_f)/2 − 1/6) h³ v⃛ in q;
// what a rule of first order (Newmark's with γ > ½) leaves in v is carried through the step.
double AlphaRule::error_constant() const {
  return std::abs(beta + 0.5 * (alpha_m - alpha_f) - 1.0 / 6) + std::abs(gamma - 0.5 + alpha_m - alpha_f);
}

GeneralizedAlpha::GeneralizedAlpha(AlphaRule rule, double tolerance, int max_iterations)
    : rule_(rule), tolerance_(tolerance), max_iterations_(max_iterations) {}

forms::Coeffs GeneralizedAlpha::coefficients(double h) const {
  const double da = 1 / (rule_.beta * h * h);  // ∂a₊/∂δ
  forms::Coeffs c;
  c.h = h;
  c.dv = rule_.gamma * h * da;
  c.da = (1 - rule_.alpha_m) / (1 - rule_.alpha_f) * da;
  c.dx = 0.5 * h;
  return c;
}

void GeneralizedAlpha::prepare(State& state) const {
  if (rule_.has_memory()) state.remember(kOffset, 0).assign(state.a.size(), 0.0);
}

std::vector<MemorySlot> GeneralizedAlpha::slots() const {
  if (rule_.has_memory()) return {kOffset, forms::kStateRates};
  return {forms::kStateRates};
}

// First guess: constant acceleration, δ = h vₙ + ½h² aₙ, a₊ = aₙ.
void GeneralizedAlpha::predict(const State& from, double h, const forms::Coeffs& c) {
  trial_.take_time(from);
  trial_.t = from.t + h;
  forms::take(from.q, trial_.q);
  forms::take(from.lambda, trial_.lambda);
  forms::take(from.x, trial_.x);
  forms::take(from.inputs, trial_.inputs);
  forms::take(from.memory, trial_.memory);
  fit(trial_.v, from.v.size());
  fit(trial_.a, from.a.size());
  if (rule_.has_memory()) {
    algorithmic_ = from.a;
    math::add_scaled(algorithmic_, h, from.recall(kOffset)->data());
  }
  const std::vector<double>& algorithmic = rule_.has_memory() ? algorithmic_ : from.a;
  math::by_pairs(
      from.a.size(), [h, v_n = from.v.data(), a_n = algorithmic.data(), v_to = trial_.v.data(),
                      a_to = trial_.a.data(), delta = increment_.data()](std::size_t i, auto width) {
        using W = decltype(width);
        const W v = math::load<W>(v_n + i), a = math::load<W>(a_n + i), ha = math::spread<W>(h) * a;
        math::store<W>(delta + i, math::spread<W>(h) * (v + math::spread<W>(0.5) * ha));
        math::store<W>(v_to + i, v + ha);
        math::store<W>(a_to + i, a);
      });
  // v̇₊ for a₊ = aₙ
  const double f = rule_.alpha_f;
  if (f != 0)
    for (std::size_t i = 0; i < from.a.size(); ++i) trial_.a[i] = (trial_.a[i] - f * from.a[i]) / (1 - f);
  if (!from.x.empty()) {
    const std::vector<double>& rate = trial_.remember(forms::kStateRates, from.x.size());
    for (std::size_t i = 0; i < from.x.size(); ++i) {
      x_known_[i] = from.x[i] + c.dx * rate[i];
      trial_.x[i] = from.x[i] + h * rate[i];
    }
  }
}

void GeneralizedAlpha::move(forms::ResidualForm& form, const forms::Coeffs& c) {
  form.move(trial_, increment_);
  math::by_pairs(increment_.size(), [dv = c.dv, da = c.da, v = trial_.v.data(), a = trial_.a.data(),
                                     delta = increment_.data()](std::size_t i, auto width) {
    using W = decltype(width);
    const W one = math::load<W>(delta + i);
    math::store<W>(v + i, math::load<W>(v + i) + math::spread<W>(dv) * one);
    math::store<W>(a + i, math::load<W>(a + i) + math::spread<W>(da) * one);
  });
}

int GeneralizedAlpha::halfway() const { return std::max(max_iterations_ / 2, kManyIterations); }

// Whether iteration i, one of many, leaves no more than rounding of the positions.
bool GeneralizedAlpha::only_rounding_left(forms::ResidualForm& form, double violation, int i) {
  if (i == halfway()) {
    halfway_increment_ = last_increment_;
    rises_ = 0;
  }
  if (i == kManyIterations) rounding_ = form.rounding(trial_);
  return std::max(last_increment_, violation) <= rounding_;
}

// Newton iteration; true when it converged. The increment's rate of decrease tells how far the last one
// reaches.
bool GeneralizedAlpha::iterate(forms::ResidualForm& form, const forms::Coeffs& c, StepResult& result) {
  double rate = 1;
  double& last = last_increment_;
  last = INFINITY;
  for (int i = 0;; ++i) {
    const forms::Residual residual = form.evaluate(trial_, c, i == 0);
    result.iterations = i;
    if (!residual.finite) {
      result.report.outcome = Outcome::not_finite;
      return false;
    }
    result.report.violation = residual.violation;
    if (i > 0 && last * std::min(rate, 1.0) <= tolerance_ && residual.violation <= tolerance_) return true;
    if (i >= kManyIterations && only_rounding_left(form, residual.violation, i)) return true;
    if (i == max_iterations_) return false;
    double norm = 0;
    result.report.outcome = form.solve(trial_, c, increment_, norm);
    if (result.report.outcome == Outcome::ok && norm > kRunaway)
      result.report.outcome = Outcome::not_converged;
    if (result.report.outcome != Outcome::ok) return false;
    rate = i > 0 ? norm / last : 1;
    rises_ += norm >= last ? 1 : 0;
    last = norm;
    move(form, c);
  }
}

// An iteration that did not converge: false where it does not meet the weaker criterion either. Where a force
// jumps, increments go to and fro without end, in shorter steps too; next to a singular position they crawl.
// Elsewhere, as where a light body vibrates under a large reaction, they converge slowly or diverge because
// the step is too long.
bool GeneralizedAlpha::nearly_converged(forms::ResidualForm& form, Report& report) const {
  if (report.outcome == Outcome::ok) {
    const double ratio = last_increment_ / halfway_increment_;
    const bool small = report.violation <= kWeakPosition && last_increment_ <= kWeakIncrement,
               to_and_fro = ratio > 1 / kSteady && ratio < kSteady;
    const bool rounding = std::max(last_increment_, halfway_increment_) <= kTiny &&
                          rises_ >= kRises * (max_iterations_ - halfway()),
               jump = to_and_fro && !form.constant_forces();
    if (!small || !(rounding || jump || form.near_singular())) report.outcome = Outcome::not_converged;
  }
  // A step may also fail because velocities or forces change too much in it: no constraint is to blame then.
  if (!(report.violation <= tolerance_)) report.worst_row = form.worst_row();
  return report.outcome == Outcome::ok;
}

// (1−α_m) a₊ + α_m aₙ = (1−α_f) v̇₊ + α_f v̇ₙ
void GeneralizedAlpha::follow(const State& from) {
  const double m = rule_.alpha_m, f = rule_.alpha_f;
  for (std::size_t i = 0; i < algorithmic_.size(); ++i)
    algorithmic_[i] = ((1 - f) * trial_.a[i] + f * from.a[i] - m * algorithmic_[i]) / (1 - m);
}

// Velocities and accelerations that meet the constraints, and the memory that goes with them.
Violation GeneralizedAlpha::project(forms::ResidualForm& form, const State& from, double h,
                                    const forms::Coeffs& c) {
  // The algorithmic acceleration follows from the unprojected v̇₊, unless that lacks forces.
  const bool split = form.projection_adds_forces();
  if (split) split_ = trial_.a;
  if (rule_.has_memory() && !split) follow(from);
  const Violation left = form.project(trial_, c);
  if (split)
    for (std::size_t i = 0; i < split_.size(); ++i) split_[i] = (trial_.a[i] - split_[i]) / c.da;
  if (rule_.has_memory()) {
    if (split) follow(from);
    std::vector<double>& offset = trial_.remember(kOffset, 0);
    for (std::size_t i = 0; i < offset.size(); ++i) offset[i] = (algorithmic_[i] - trial_.a[i]) / h;
  }
  return left;
}

// A step that meets the weaker criterion only, and why.
void GeneralizedAlpha::mark(forms::ResidualForm& form, bool converged, Report& report) const {
  const bool singular = form.near_singular();
  report.outcome = Outcome::marked;
  report.worst_row = form.worst_row();
  if (!converged)
    report.message =
        singular ? "the iteration converges slowly, as next to a singular position or where a force jumps"
        : last_increment_ <= kTiny ? "the iteration does not settle to the last digits, as where rounding is "
                                     "large: far from the origin"
                                   : "the iteration does not settle, as where a force jumps";
  else
    // Where it is not a singular position, the masses or rounding tell why, which this rule does not know.
    report.message = fmt::format("{}{}", kNotProjected, singular ? ", as next to a singular position" : "");
}

StepResult GeneralizedAlpha::step(forms::ResidualForm& form, State& state, double h) {
  StepResult result;
  fit(increment_, state.v.size());
  fit(x_known_, state.x.size());
  forms::Coeffs c = coefficients(h);
  c.x_known = x_known_;
  predict(state, h, c);
  form.move(trial_, increment_);

  const bool converged = iterate(form, c, result);
  Report& report = result.report;
  report.iterations = result.iterations;
  if (!converged && !nearly_converged(form, report)) return result;

  result.violation = project(form, state, h, c);
  result.violation.position = report.violation;
  const Violation& left = result.violation;
  if (!(left.velocity <= kWeakVelocity)) {
    report.outcome = Outcome::not_converged;
    return result;
  }
  const Violation projected{0, left.velocity, left.acceleration};
  if (!converged ||
      !(forms::within(projected, forms::kClosed) || forms::within(projected, form.closed_to(trial_))))
    mark(form, converged, report);

  const Report last_word = form.accept(state, trial_, c);
  if (!last_word.accepted()) {
    report.outcome = last_word.outcome;
    report.message = last_word.message;
    return result;
  }
  forms::exchange(state, trial_);
  return result;
}

}  // namespace trammel::integrators
