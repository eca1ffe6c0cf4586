#include "integrators/embedded_pair.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "forms/take_state.h"
#include "integrators/error_control.h"
#include "integrators/first_stage.h"
#include "integrators/ode_step.h"

namespace trammel::integrators {
namespace {

// After the controller's own memory: steps dearer than an implicit rule's, steps since, and the usual step.
constexpr std::size_t kHeldDown = StepController::kMemory, kFree = kHeldDown + 1, kUsual = kFree + 1,
                      kPairMemory = kUsual + 1;
// So many such steps say that the motion is stiff; so many others that it no longer is. Hairer & Wanner
// (1996), IV.2.
constexpr int kStiff = 15, kNoLonger = 6;
// The next step could be so much longer: nothing holds it down.
constexpr double kCut = 1.5;
// The trapezoidal rule leaves h²/12 |Δv̇| in each step, which costs so many evaluations.
constexpr double kTrapezoidal = 1. / 12, kImplicitCost = 3;
// Of the tolerance: less is noise of the stages of a stiff motion.
constexpr double kLeftInVelocity = 10;
// A projection takes the error across the constraints away: less than the estimate, away from singular
// positions.
constexpr double kMostMoved = 1;
// An error of so many times what is allowed is not that of a smooth motion: a stage lies next to a singular
// position. Steps of other lengths may have all their stages far enough from it: shorter ones by so much,
// down to so much of the first; then longer ones too, from so many times the usual one on. Steps that only
// shrink come closer, where what rounding leaves of the constraints grows.
constexpr double kSuspect = 20, kNextLeap = 0.8, kShortestLeap = 0.3, kLongestLeap = 2, kNextLongLeap = 0.9;
// The usual step is the largest of late; each step forgets so much of it.
constexpr double kForget = 0.8;
// Where in a step the defect of its dense output is looked at, and how much of it is error: a third for the
// hump, and it may be of another shape. That of dop853 where forces follow from the time alone is small at
// both places, and large between them.
constexpr double kHump = 0.2113, kBetween = 0.35, kOfDefect = 0.5;
// Within a step over a singular position it may be so many times as large: steps to its rows come closer to
// that position, where they are dear and may fail.
constexpr double kLeapt = 10;
// The coarse estimate of an eighth-order pair counts by so much.
constexpr double kCoarse = 0.1;

Spoken spoken(const PairTableau& pair) {
  return {pair.name, "allow a larger tolerance, or use radau5 if the motion is stiff"};
}

}  // namespace

double trapezoidal_tolerance(double tolerance) { return std::pow(tolerance, 1.5); }

EmbeddedPair::EmbeddedPair(const PairTableau& pair, const OdeOptions& options)
    : pair_(pair),
      tolerance_(options.tolerance),
      trapezoidal_tolerance_(trapezoidal_tolerance(std::max(options.tolerance, options.stiffness_judged_at))),
      stages_(pair.rule, pair.further),
      controller_(pair.rule.order, pair.damping) {}

void EmbeddedPair::prepare(State& state) {
  state.remember(control_of(pair_), 0).assign(kPairMemory, 0.0);
  forget_first_stage(state);
}

// Relative to the tolerance.
double EmbeddedPair::estimate(forms::OdeForm& form, double h) {
  const auto norm = [&](const Tableau::Row& weights) {
    stages_.combine(weights, h, error_);
    return relative_norm(error_, y_, y_next_, form.scale()) / tolerance_;
  };
  const double fine = norm(pair_.e);
  if (pair_.e_coarse == Tableau::Row{} || fine == 0) return fine;
  return fine * (fine / std::hypot(fine, kCoarse * norm(pair_.e_coarse)));
}

// How far projections have taken the end of the step, and what a step further they would, relative to what
// they may; what several steps have left together says nothing of one. Where a singular position is so close
// that the rate jumps, no step could begin.
double EmbeddedPair::moved(forms::OdeForm& form, double h) {
  if (kept_ != forms::Kept::projected || !form.judged_by_projection()) return 0;
  for (std::size_t i = 0; i < y_.size(); ++i) error_[i] = y_kept_[i] - y_next_[i];
  double norm = relative_norm(error_, y_, y_next_, form.scale());
  if (knows_rate_) {
    const std::span<const double> last = stages_[pair_.rule.stages - 1];
    for (std::size_t i = 0; i < y_.size(); ++i) error_[i] = h * (rate_[i] - last[i]);
    norm = std::max(norm, relative_norm(error_, y_, y_next_, form.scale()));
  }
  return norm / (kMostMoved * tolerance_);
}

// The stages, y₊, and the state `next_` that the form makes of it; `error` relative to what is allowed. The
// last stage is never guarded: what it differs by from the rate after the projection tells how close a
// singular position is.
Report EmbeddedPair::stages_and_end(forms::OdeForm& form, const State& state, double h, bool guarded,
                                    double& error, StepResult& result) {
  const int last = pair_.rule.stages - 1;
  t_ = state.t + h;
  form.guard(guarded);
  form.relax(tolerance_);
  Report report = stages_.evaluate(form, state.t, h, y_, 1, last, result.iterations);
  form.guard(false);
  if (report.accepted()) report = stages_.evaluate(form, state.t, h, y_, last, last + 1, result.iterations);
  if (!report.accepted()) return report;
  math::copy(y_next_, stages_.last_place().data());  // where the last stage is taken
  error = estimate(form, h);
  if (!std::isfinite(error) || !math::all_finite(y_next_)) return not_finite(state.t);
  if (error > 1) return report;
  forms::take(state, next_);
  end_ = {};
  if (!complete(form, t_, y_next_, h, next_, kept_, end_)) return end_.report;
  merge_mark(report, end_.report);
  knows_rate_ = kept_ != forms::Kept::new_chart && form.rate_of_accepted(next_, y_kept_, rate_);
  if (!knows_rate_ && kept_ != forms::Kept::new_chart) form.pack(next_, y_kept_);
  error = std::max(error, moved(form, h));
  return report;
}

// Over a singular position, by steps of several sizes. Their rates are guarded: what stages have across the
// constraints grows beyond bounds there.
bool EmbeddedPair::leap(forms::OdeForm& form, const State& state, const Lengths& lengths,
                        StepResult& result) {
  if (!form.guard(true)) return false;
  for (double h = lengths.longest; h > lengths.shortest; h *= lengths.ratio) {
    form.pack(state, y_);
    double error = 0;
    const Report report = stages_and_end(form, state, h, true, error, result);
    if (report.accepted() && error <= 1) {
      controller_.propose(h);
      keep(form, h, error, result);
      leapt_ = true;
      return true;
    }
    ++rejected_;
  }
  form.pack(state, y_);
  return false;
}

// Whether the trapezoidal rule would come further with as many evaluations, at its own tolerance τ₂. Where
// stability holds explicit steps down this tells it, whatever the eigenvalues.
bool EmbeddedPair::looks_stiff(forms::OdeForm& form, double h) const {
  const std::span<const double> first = stages_[0], last = stages_[pair_.rule.stages - 1];
  const std::span<const double> scale = form.scale();
  // Over all stages: at the ends of a step alone a quick oscillation may look as if nothing changed. Nor does
  // the trapezoidal rule see what v̇ does between them: that is left in the velocity.
  double change = 0, between = 0;
  for (int stage = 1; stage < pair_.rule.stages; ++stage) {
    const std::span<const double> here = stages_[stage];
    const double c = pair_.rule.c[static_cast<std::size_t>(stage)];
    for (auto i = static_cast<std::size_t>(form.positions()); i < y_.size(); ++i) {
      change = std::max(change, std::abs((here[i] - first[i]) / scale[i]));
      between = std::max(between, std::abs((here[i] - first[i] - c * (last[i] - first[i])) / scale[i]));
    }
  }
  if (kTrapezoidal * h * between > kLeftInVelocity * tolerance_) return false;
  // Its step is h ∛(τ₂ / what it would leave in h).
  const double longer = std::cbrt(trapezoidal_tolerance_ / (kTrapezoidal * h * h * change));
  return change > 0 && longer * (pair_.rule.stages - 1) > kImplicitCost;
}

// Into the state that a step leads to: the controller's memory, and ẏ there where it is known.
void EmbeddedPair::remember(forms::OdeForm& form, double h) {
  std::vector<double>& memory = next_.remember(control_of(pair_), kPairMemory);
  controller_.remember(memory);
  // A step that the caller cut short, for a landing or a largest step, says nothing.
  const bool cut = controller_.proposed() > kCut * h;
  if (!cut && looks_stiff(form, h)) {
    memory[kHeldDown] += 1;
    memory[kFree] = 0;
  } else if (memory[kHeldDown] > 0 && ++memory[kFree] == kNoLonger) {
    memory[kHeldDown] = memory[kFree] = 0;
  }
  memory[kUsual] = std::max(h, kForget * memory[kUsual]);
  if (knows_rate_) {
    remember_first_stage(y_kept_, rate_, next_);
  } else if (kept_ == forms::Kept::as_is) {
    // At y₊ itself: a form may let another y stand for the same state.
    remember_first_stage(y_next_, stages_[pair_.rule.stages - 1], next_);
  } else {
    forget_first_stage(next_);
  }
}

void EmbeddedPair::keep(forms::OdeForm& form, double h, double error, StepResult& result) {
  merge_mark(end_.report, result.report);
  result.violation.take_larger(end_.violation);
  controller_.accept(h, error);
  remember(form, h);
  h_ = h;
  leapt_ = false;
}

// `next_`, and what it cost, at most `most` later.
Report EmbeddedPair::find_step(forms::OdeForm& form, const State& state, double most, StepResult& result) {
  Report failed;  // why the last attempt could not be completed
  const double usual = std::max(controller_.proposed(), (*state.recall(control_of(pair_)))[kUsual]);
  const double first = controller_.fitted(most), shortest = kShortestLeap * first;
  bool leapt = false;
  for (int tries = 0;; ++tries) {
    const double h = controller_.fitted(most);
    if (h < most && too_small(h, state.t))
      return failed.accepted() ? stuck(spoken(pair_), "the step became too small", state.t, h) : failed;
    double error = 0;
    const Report report = stages_and_end(form, state, h, false, error, result);
    if (report.accepted() && error <= 1) {
      keep(form, h, error, result);
      return {};
    }
    ++rejected_;
    failed = report;
    // Nor is a step of a smooth motion rejected twice.
    if (!leapt && (!report.accepted() || error > kSuspect || tries > 0)) {
      leapt = true;
      if (leap(form, state, {kNextLeap * first, shortest, kNextLeap}, result) ||
          leap(form, state, {std::min(most, kLongestLeap * usual), shortest, kNextLongLeap}, result))
        return {};
    }
    report.accepted() ? controller_.reject(h, error) : controller_.reject_failed(h);
    form.pack(state, y_);
  }
}

StepResult EmbeddedPair::advance(forms::OdeForm& form, State& state, double most) {
  assert(most > 0);
  StepResult result;
  form.pack(state, y_);
  stages_.resize(y_.size());
  for (auto* y : {&y_next_, &y_kept_, &rate_, &error_, &place_}) y->resize(y_.size());
  controller_.recall(state.remember(control_of(pair_), kPairMemory));
  result.report = first_stage(form, state, y_, stages_[0], result.iterations);
  if (!result.report.accepted()) return result;
  if (!(controller_.proposed() > 0)) {
    controller_.propose(first_step_size(form, state.t, y_, stages_[0], tolerance_, pair_.rule.order, y_next_,
                                        stages_[1], result.iterations));
  }
  const Report found = find_step(form, state, most, result);
  if (!found.accepted()) {
    result.report = found;
    return result;
  }
  result.stiff = (*next_.recall(control_of(pair_)))[kHeldDown] >= kStiff;
  result.report.iterations = result.iterations;
  dense_is_set_ = false;
  forms::exchange(before_, state);
  forms::exchange(state, next_);
  return result;
}

StepResult EmbeddedPair::step(forms::OdeForm& form, State& state, double h) {
  return advance_by(*this, spoken(pair_), form, state, h, start_);
}

// Of a step over a singular position with its own rates, which are guarded.
Report EmbeddedPair::make_dense(forms::OdeForm& form, int& evaluations) {
  if (dense_is_set_) return {};
  const int stages = pair_.rule.stages;
  form.guard(leapt_);
  const Report report =
      stages_.evaluate(form, before_.t, h_, y_, stages, stages + pair_.further, evaluations);
  if (report.accepted()) {
    dense_.set(pair_, h_, y_, y_next_, stages_);
    dense_is_set_ = true;
    dense_error_ = defect(form, evaluations) / (leapt_ ? kLeapt : 1);
  }
  form.guard(false);
  return report.accepted() ? Report{} : report;
}

// How much the motion within the step errs, in units of what is allowed: by its defect h (ẏ − f), which its
// error follows. Both vanish at the ends, together with that of ẏ; of a single hump θ²(1 − θ)² the defect is
// largest at kHump.
double EmbeddedPair::defect(forms::OdeForm& form, int& evaluations) {
  double most = 0;
  for (const double theta : {kHump, 1 - kHump, kBetween}) {
    if (leapt_ && theta == kBetween) break;  // may be next to the singular position, where no rate is sure
    dense_.at(theta, place_);
    ++evaluations;
    if (!form.rate(before_.t + theta * h_, place_, error_).accepted())
      return std::numeric_limits<double>::infinity();
    dense_.slope(theta, place_);
    for (std::size_t i = 0; i < error_.size(); ++i) error_[i] = place_[i] - h_ * error_[i];
    const double norm = relative_norm(error_, y_, y_next_, form.scale());
    if (std::isnan(norm)) return std::numeric_limits<double>::infinity();
    most = std::max(most, kOfDefect * norm / tolerance_);
  }
  return most;
}

double EmbeddedPair::dense_error(forms::OdeForm& form) {
  form.pack(before_, y_);
  int evaluations = 0;
  return make_dense(form, evaluations).accepted() ? dense_error_ : std::numeric_limits<double>::infinity();
}

StepResult EmbeddedPair::between(forms::OdeForm& form, double t, State& state, Wanted wanted) {
  StepResult result;
  result.steps = 0;
  form.pack(before_, y_);
  result.report = make_dense(form, result.iterations);
  if (!result.report.accepted()) return result;
  dense_.at((t - before_.t) / h_, error_);
  within_step(form, before_, t, error_, wanted, state, result);
  return result;
}

}  // namespace trammel::integrators
