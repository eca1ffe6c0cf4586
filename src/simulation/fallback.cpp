#include "simulation/fallback.h"

#include <fmt/format.h>

#include "integrators/embedded_pair.h"
#include "integrators/ode_step.h"
#include "simulation/plan_choice.h"

namespace trammel {
namespace {

constexpr double kStiff = 1, kFailed = 2;

}  // namespace

Plan fallback_plan(const Plan& plan) {
  Plan other = plan;
  other.formulation = kIndex3;
  other.integrator = "trapezoidal";
  other.tolerance = trapezoidal_tolerance(step_tolerance(plan));
  other.project_positions = other.project_velocities = std::nullopt;
  other.falls_back = false;
  return other;
}

Fallback::Fallback(std::shared_ptr<const System> system, const Plan& plan, std::unique_ptr<Method> first,
                   Make second)
    : system_(std::move(system)), plan_(plan), first_(std::move(first)), make_(std::move(second)) {}

bool Fallback::fell_back(const State& state) { return state.recall(kFallback) != nullptr; }

Method& Fallback::second() {
  if (!second_) second_ = make_();
  return *second_;
}

Report Fallback::fall_back(State& state, double reason) {
  if (!index1_) index1_ = std::make_unique<Index1Solver>(*system_);
  const Report report = begin(*system_, *index1_, second(), state);
  if (report.accepted()) state.remember(kFallback, 0) = {state.t, reason};
  return report;
}

// Where the second method fails too, both have to be told: what it says alone names another cause.
StepResult Fallback::go_on(State& state, double h) {
  StepResult result = second().step(state, h);
  if (result.report.accepted()) return result;
  const std::vector<double>& since = *state.recall(kFallback);
  const std::string why = result.report.message.substr(0, result.report.message.find(';'));
  result.report.message = fmt::format(
      "neither explicit steps, which {} at t = {:.6g} s, nor {} hold the tolerance {:.1g} here, as next to a "
      "singular position or where a force jumps{}; allow a larger tolerance, or give a step instead",
      since[1] == kStiff ? "became too short" : "failed", since[0], kIndex3, step_tolerance(plan_),
      why.empty() ? "" : " (" + why + ")");
  return result;
}

StepResult Fallback::advance(State& state, double h) {
  if (fell_back(state)) return go_on(state, h);
  StepResult result = first_->advance(state, h);
  if (result.report.accepted() && !result.stiff) return result;
  trial_ = state;
  const bool failed = !result.report.accepted();
  const Report report = fall_back(trial_, failed ? kFailed : kStiff);
  // Where the other cannot begin either, the first one's word stands.
  if (!report.accepted()) return result;
  if (failed) {
    result.report = {};
    result.steps = 0;
  }
  result.stiff = false;
  std::swap(state, trial_);
  return result;
}

StepResult Fallback::step(State& state, double h) {
  StepResult total;
  total.steps = 0;
  start_ = state;
  const double end = state.t + h;
  while (state.t < end) {
    StepResult one = advance(state, end - state.t);
    total.take(one);
    if (same_time(state.t, end)) state.t = end;
    if (one.report.accepted()) continue;
    state = start_;
    break;
  }
  return total;
}

long Fallback::rejected() const { return first_->rejected() + (second_ ? second_->rejected() : 0); }

int Fallback::solver_fallovers() const {
  return first_->solver_fallovers() + (second_ ? second_->solver_fallovers() : 0);
}

std::string Fallback::solver_name() const { return second_ ? second_->solver_name() : first_->solver_name(); }

std::string Fallback::choice(const State& state) const {
  std::string text =
      fmt::format("{} with {}, projected: explicit steps of high order are the cheapest for tolerance {:.1g}",
                  plan_.formulation, plan_.integrator, step_tolerance(plan_));
  if (step_tolerance(plan_) < plan_.tolerance)
    text += fmt::format(", as which {:.3g} is taken: it would hardly save steps, and might miss a branch",
                        plan_.tolerance);
  const std::vector<double>* memory = state.recall(kFallback);
  if (memory == nullptr) return text;
  const Plan other = fallback_plan(plan_);
  return text + fmt::format(", but {} at t = {:.4g} s; from there {} with {}",
                            (*memory)[1] == kStiff ? "the motion is stiff, or next to a singular position"
                                                   : "they failed",
                            (*memory)[0], other.formulation, other.integrator);
}

}  // namespace trammel
