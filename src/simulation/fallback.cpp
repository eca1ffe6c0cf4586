#include "simulation/fallback.h"

#include <fmt/format.h>

#include <cmath>

#include "forms/take_state.h"
#include "formulations/rows/row_independence.h"
#include "integrators/embedded_pair.h"
#include "integrators/ode_step.h"
#include "simulation/resolve.h"

namespace trammel::simulation {
namespace {

// Why another method took over. With dependent constraints, as next to a singular position, both make
// explicit steps short.
constexpr double kStiff = 1, kFailed = 2, kStiffOrSingular = 3;
// Rows whose smallest singular value is above this are far from dependent, as in index 3.
constexpr double kIndependent = 0.01;

// A step of Radau costs an evaluation for each unknown and the cube of their number; index 3 takes a hundred
// steps instead, each of which costs their number.
constexpr int kMostUnknowns = 200;

const char* why(double reason) {
  return reason == kStiff    ? "the motion is stiff"
         : reason == kFailed ? "they failed"
                             : "the motion is stiff, or next to a singular position";
}

bool is_index3(const ResolvedPlan& plan) {
  return plan.formulation == FormulationKind::augmented_lagrangian_index3;
}

}  // namespace

ResolvedPlan fallback_plan(const ResolvedPlan& plan) {
  ResolvedPlan other = plan;
  other.formulation = FormulationKind::augmented_lagrangian_index3;
  other.integrator = IntegratorKind::trapezoidal;
  other.tolerance = integrators::trapezoidal_tolerance(step_tolerance(plan));
  other.project_positions = other.project_velocities = std::nullopt;
  other.falls_back = false;
  return other;
}

// In natural coordinates stiff directions turn with the bodies, which Newton's method does not follow in long
// steps.
ResolvedPlan stiff_plan(const ResolvedPlan& plan, const system::Dynamics& system) {
  const bool joints =
      plan.coordinates == CoordinatesKind::relative || plan.coordinates == CoordinatesKind::generalized;
  const auto& sizes = system.sizes();
  if (!joints || sizes.rows > 0 || sizes.q + sizes.v > kMostUnknowns) return fallback_plan(plan);
  ResolvedPlan other = plan;
  other.integrator = IntegratorKind::radau9;
  other.tolerance = step_tolerance(plan);
  other.falls_back = false;
  return other;
}

// Radau's steps hardly shrink with the tolerance, and are far longer than any of the trapezoidal rule.
double stiffness_judged_at(const ResolvedPlan& plan, const system::Dynamics& system) {
  constexpr double kRadau = 1e-6;
  return plan.falls_back && !is_index3(stiff_plan(plan, system)) ? kRadau : 0;
}

Fallback::Fallback(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan, const Make& make)
    : system_(std::move(system)), make_(make), plans_{plan, stiff_plan(plan, *system_), fallback_plan(plan)} {
  // Made at once: it may refuse the mechanism.
  method(kExplicitGoes);
}

// Radau after the first change, if that was for stiffness.
Fallback::Which Fallback::which(const State& state) const {
  const std::vector<double>* changes = state.recall(kFallback);
  if (changes == nullptr) return kExplicitGoes;
  const bool stiff = changes->size() == 2 && (*changes)[1] != kFailed;
  return stiff && !is_index3(plans_[kStiffGoes]) ? kStiffGoes : kIndex3Goes;
}

Method& Fallback::method(Which which) {
  std::unique_ptr<Method>& method = methods_[which];
  if (!method) method = make_(plans_[which]);
  return *method;
}

Report Fallback::fall_back(State& state, bool failed) {
  const double reason = failed ? kFailed : rows_are_independent(state) ? kStiff : kStiffOrSingular;
  if (!index1_) index1_ = std::make_unique<formulations::Index1Solver>(*system_);
  std::vector<double>& changes = state.remember(kFallback, 0);
  changes.insert(changes.end(), {state.t, reason});
  return begin(*system_, *index1_, method(which(state)), state);
}

bool Fallback::rows_are_independent(const State& state) const {
  if (system_->sizes().rows == 0) return true;
  system::Terms terms = system_->make_terms();
  system_->evaluate(state, system::kAskPosition, terms);
  return formulations::RowIndependence(*system_).smallest(terms) > kIndependent;
}

// Steps of a motion that is prescribed altogether are short for what it does, not for their stability. What
// rests, as on an end-stop, is left to the other method: it lands on every row, and sees what lets go.
bool Fallback::is_driven(const State& state) const {
  constexpr double kRests = 1e-9;  // of a coordinate's scale a second
  bool moves = false;
  for (std::size_t k = 0; k < state.v.size(); ++k)
    moves = moves || std::abs(state.v[k]) > kRests * system_->coordinate_scale()[k];
  return moves && system_->sizes().rows == system_->sizes().v && rows_are_independent(state);
}

// Where the last method fails too, all have to be told: what it says alone names another cause.
StepResult Fallback::go_on(State& state, double h) {
  StepResult result = method(kIndex3Goes).step(state, h);
  // A force that has no value here has none for any method, and a bead that has left its curve no equation.
  const Outcome outcome = result.report.outcome;
  if (result.report.accepted() || outcome == Outcome::not_finite || outcome == Outcome::out_of_range)
    return result;
  const std::vector<double>& changes = *state.recall(kFallback);
  std::string others = fmt::format("explicit steps, which {} at t = {:.6g} s",
                                   changes[1] == kFailed ? "failed" : "became too short", changes[0]);
  if (changes.size() > 2)
    others += fmt::format(", nor {}, which failed at t = {:.6g} s", name_of(plans_[kStiffGoes].integrator),
                          changes[2]);
  const std::string what = result.report.message.substr(0, result.report.message.find(';'));
  result.report.message = fmt::format(
      "neither {}, nor {} hold the tolerance {:.1g} here, as next to a singular position or where a force "
      "jumps{}; allow a larger tolerance, or give a step instead",
      others, kIndex3, step_tolerance(plans_[kExplicitGoes]), what.empty() ? "" : " (" + what + ")");
  return result;
}

StepResult Fallback::advance(State& state, double h) {
  stepped_ = which(state);
  if (stepped_ == kIndex3Goes) return go_on(state, h);
  StepResult result = method(stepped_).advance(state, h);
  if (result.stiff && is_driven(state)) result.stiff = false;
  if (result.report.accepted() && !result.stiff) return result;
  trial_ = state;
  const bool failed = !result.report.accepted();
  const Report report = fall_back(trial_, failed);
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
  forms::take(state, start_);
  const double end = state.t + h;
  while (state.t < end) {
    StepResult one = advance(state, end - state.t);
    total.take(one);
    if (integrators::same_time(state.t, end)) state.t = end;
    if (one.report.accepted()) continue;
    state = start_;
    break;
  }
  return total;
}

long Fallback::rejected() const {
  long all = 0;
  for (const auto& method : methods_) all += method ? method->rejected() : 0;
  return all;
}

int Fallback::solver_fallovers() const {
  int all = 0;
  for (const auto& method : methods_) all += method ? method->solver_fallovers() : 0;
  return all;
}

std::string Fallback::solver_name() const {
  std::string name;
  for (const auto& method : methods_)
    if (method) name = method->solver_name();
  return name;
}

std::string Fallback::choice(const State& state) const {
  const ResolvedPlan& first = plans_[kExplicitGoes];
  std::string text =
      fmt::format("{} with {}, projected: explicit steps of high order are the cheapest for tolerance {:.1g}",
                  name_of(first.formulation), name_of(first.integrator), step_tolerance(first));
  if (step_tolerance(first) < first.tolerance)
    text += fmt::format(", as which {:.3g} is taken: it would hardly save steps, and might miss a branch",
                        first.tolerance);
  const std::vector<double>* changes = state.recall(kFallback);
  for (std::size_t k = 0; changes != nullptr && k < changes->size(); k += 2) {
    const bool last = k + 2 == changes->size();
    const ResolvedPlan& next = plans_[last ? which(state) : kStiffGoes];
    text += fmt::format(", but {} at t = {:.4g} s; from there {} with {}", why((*changes)[k + 1]),
                        (*changes)[k], name_of(next.formulation), name_of(next.integrator));
  }
  return text;
}

}  // namespace trammel::simulation
