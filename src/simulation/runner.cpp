#include "simulation/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrators/ode_step.h"
#include "simulation/acting_values.h"
#include "simulation/explain.h"
#include "simulation/method_table.h"
#include "simulation/open_rows.h"
#include "simulation/own_parts.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "simulation/stop_run.h"

namespace trammel::simulation {
namespace {

// Steps between two calls of the progress function, at most; fewer where steps take long.
constexpr long kProgressSteps = 256;
constexpr double kPatience = 0.02;  // s
// Masses that differ by more may be what makes a motion fast.
constexpr double kLight = 1e3;
// An expression that has grown by this factor since the start may be what makes steps ever shorter.
constexpr double kExpressionGrown = 1e3;
// A kinetic energy that has grown by this factor since half the time: the motion becomes faster.
constexpr double kFaster = 10;
// A reaction this many steps from a marked one is not "away from" it.
constexpr double kNearSteps = 3;
// Checkpoints take at most a hundredth of the time. A run that is killed loses at most a fiftieth of what it
// has computed, or what the sink's interval is: so the number of checkpoints grows as the logarithm of a long
// run.
constexpr double kCost = 100, kLost = 0.02;

}  // namespace

Runner::Runner(Simulation& simulation, Output& output, ResultSink* keeper, const Progress& progress,
               RunSummary& summary)
    : simulation_(simulation),
      plan_(simulation.resolved()),
      output_(output),
      keeper_(keeper != nullptr && std::isfinite(keeper->checkpoint_interval()) &&
                      history_keeper(plan_) == nullptr
                  ? keeper
                  : nullptr),
      progress_(progress),
      summary_(summary),
      watch_(simulation, summary),
      landing_(landing_interval(plan_)),
      stride_(output_stride(plan_)),
      times_(plan_),
      // Whoever names both a rule and a step wants to land on its multiples.
      glides_(simulation.dense() && (plan_.falls_back || plan_.step == 0)),
      at_{simulation.state().t, 0},
      interval_(keeper_ ? keeper_->checkpoint_interval() : 0) {
  due_ = keeper_ && interval_ == 0;
}

void Runner::run() {
  if (rows_written_ == 0) {
    see_range();
    if (!write(simulation_.state(), {})) return finish();
  }
  // A controller that was stopped at the start is heard before the first step.
  if (simulation_.sampling().make && !goes_on(simulation_.state().t)) return finish();
  try {
    glides_ ? glide() : land();
  } catch (const StopRun&) {
    stop(simulation_.state().t);
  }
  if (summary_.status == RunStatus::stopped && keeper_) keep();
  finish();
}

void Runner::fail(double t, const std::string& reason) {
  std::string words = reason;
  if (!watch_.growth().empty()) {
    std::string cause = expression_with_pole(simulation_, simulation_.state());
    if (cause.empty()) cause = expression_that_doubles(simulation_);
    const bool told = !cause.empty() && reason.starts_with(cause);
    words = told ? watch_.growth(reason) : watch_.growth(cause) + ": " + reason;
  }
  summary_.status = RunStatus::failed;
  summary_.message = fmt::format("at t = {:.6g} s, step {}: {}", t, taken_, words);
}

// False: the state has no finite numbers, and the run ends here.
bool Runner::write(const State& state, const StepResult& last) {
  if (const std::string name = output_.write(state, last); !name.empty()) {
    const std::string own = own_part_not_finite(simulation_);
    if (!own.empty())
      fail(state.t, own + "; " + kLookWhy);
    else
      fail(state.t,
           fmt::format("'{}' is no longer a finite number; {}", name,
                       controls_error(plan_)
                           ? "look for a force that grows without bound, or give a shorter duration"
                           : "take a smaller step, a tolerance, or another formulation, or look for a "
                             "force that grows without bound"));
    return false;
  }
  ++rows_written_;
  written_ = state.t;
  if (!output_.rounding() || last.report.outcome == Outcome::marked) return true;
  summary_.marked_violation.take_larger(last.violation);
  summary_.marked_steps.push_back({state.t,
                                   "a row so close to a singular position that rounding decides on its "
                                   "reactions: they mean nothing",
                                   "", true});
  return true;
}

void Runner::see_range() {
  if (glides_ || stride_ > 1) range_.see(simulation_.reader(simulation_.state()), simulation_.state());
}

// What a step means for the run; false: it ends here.
bool Runner::take(const StepResult& step) {
  ++taken_;
  const double t = simulation_.state().t;
  if (!step.report.accepted()) {
    fail(t, explain(step.report, simulation_));
    return false;
  }
  watch_.see(step);
  see_range();
  stiff_ = stiff_ || step.stiff;
  if (step.report.outcome == Outcome::marked && plan_.strict) {
    summary_.status = RunStatus::failed;
    summary_.message = fmt::format("at t = {:.6g} s, step {}: {} (--strict)", t, taken_,
                                   summary_.marked_steps.back().reason);
    return false;
  }
  if (step.ended) return false;
  if (--until_asked_ <= 0 && !goes_on(t)) return false;
  return makes_headway(t);
}

// False where steps become so short that the run would not come to its end.
bool Runner::makes_headway(double t) {
  if (!controls_error(plan_) || t >= plan_.duration) return true;
  const std::optional<double> size = pace_.hopeless(static_cast<double>(summary_.steps), t, plan_.duration);
  if (!size) return true;
  const std::string grown = expression_grown(simulation_, kExpressionGrown);
  const bool faster = watch_.grown() > kFaster;
  const double ratio = mass_ratio(simulation_.mechanism());
  const std::string steps = fmt::format(
      "the steps that the tolerance {:.1g} allows become ever shorter, now {:.2g} s: to the end it would "
      "take "
      "more than {:.0e} of them",
      step_tolerance(plan_), *size, Pace::kMostSteps);
  if (faster || !grown.empty())
    fail(t,
         fmt::format(
             "{}{}{}; look for a force or driver that grows without bound, give a shorter duration, or "
             "a step instead of the tolerance",
             steps, faster ? ", for the motion becomes ever faster" : "", grown.empty() ? "" : "; " + grown));
  else
    fail(t, fmt::format(
                "{}, though the motion does not become faster: something vibrates that fast, as a force, "
                "a stiff spring or a light body between heavy ones may do{}; allow a larger tolerance, or "
                "give a step instead",
                steps, ratio > kLight ? fmt::format(" (masses differ by {:.0e})", ratio) : ""));
  return false;
}

// False when a person has stopped the run.
bool Runner::goes_on(double t) {
  const Clock::time_point now = Clock::now();
  const bool slow = now - asked_ > std::chrono::duration<double>(kPatience);
  asked_ = now;
  between_ = slow ? std::max(1L, between_ / 4) : std::min(kProgressSteps, 2 * between_);
  until_asked_ = between_;
  due_ = due_ || (keeper_ && now - kept_ >= std::chrono::duration<double>(interval_));
  if (!progress_ || progress_(t)) return true;
  stop(t);
  return false;
}

void Runner::stop(double t) {
  summary_.status = RunStatus::stopped;
  summary_.message = fmt::format("stopped at t = {:.6g} s", t);
}

// Lands on every multiple of the interval, and keeps a row at every so many of them.
void Runner::land() {
  Landings landings(simulation_, landing_, plan_.duration);
  landings.resume(at_);
  while (!landings.done()) {
    if (due_) keep();
    const StepResult step = landings.next();
    const bool goes_on = take(step);
    const long n = at_.taken + 1;
    if (step.report.accepted() && (n % stride_ == 0 || landings.done() || step.ended) &&
        !write(simulation_.state(), step))
      return;
    at_ = landings.count();
    if (!goes_on) return;
  }
}

// A row within a step may lie closer to a singular position than any step: there its constraints of
// velocities and accelerations do not close, and its reactions mean nothing. False: the run ends here.
bool Runner::judge_row(const State& at, StepResult& row) {
  const std::string why = projects_every_step(plan_) ? why_open(simulation_, at, row.violation) : "";
  if (!why.empty()) {
    row.report.outcome = Outcome::marked;
    row.report.message = fmt::format(
        "a row within a step whose constraints do not close, {}: its reactions mean nothing", why);
  }
  if (row.report.outcome != Outcome::marked) {
    summary_.violation.take_larger(row.violation);
    return true;
  }
  summary_.marked_violation.take_larger(row.violation);
  summary_.marked_steps.push_back({at.t, row.report.message, "", true});
  if (!plan_.strict) return true;
  summary_.status = RunStatus::failed;
  summary_.message = fmt::format("at t = {:.6g} s: {} (--strict)", at.t, row.report.message);
  return false;
}

// A row within the step that has just been taken.
bool Runner::write_at(double t, const StepResult& step) {
  State at;
  StepResult row = simulation_.between(t, at);
  summary_.iterations += row.iterations;
  if (!row.report.accepted()) {
    summary_.status = RunStatus::failed;
    summary_.message = fmt::format("at t = {:.6g} s: {}", t, explain(row.report, simulation_));
    return false;
  }
  if (!judge_row(at, row)) return false;
  if (row.report.outcome != Outcome::marked) row.report = step.report;
  row.iterations = step.iterations;
  if (!write(at, row)) return false;
  if (row.report.outcome != Outcome::marked) watch_.see(output_.energy());
  return true;
}

// One step; of the method's own size where the motion within it will be known.
StepResult Runner::advance(double target) {
  const double t = simulation_.state().t;
  const double most = plan_.step > 0 ? std::min(plan_.step, plan_.duration - t) : plan_.duration - t;
  StepResult step = simulation_.dense() ? simulation_.advance(most) : simulation_.step(target - t);
  if (step.report.accepted() && integrators::same_time(simulation_.state().t, target))
    simulation_.set_time(target);
  return step;
}

// Steps as the tolerance allows; rows at multiples of the interval are taken from within them. Where the run
// ends within a step, rows up to there are written, and one of the end unless a person has stopped it: then
// the rows are those that it would have had.
void Runner::glide() {
  StepResult step;
  bool over = false;
  for (; at_.taken < times_.rows; ++at_.taken) {
    const double target = times_.at(at_.taken + 1);
    if ((at_.taken + 1) % kProgressSteps == 0 && !over && !goes_on(target)) over = true;
    while (simulation_.state().t < target) {
      if (over && summary_.status != RunStatus::stopped && written_ < simulation_.state().t &&
          !write(simulation_.state(), step))
        return;
      if (over) return;
      if (due_) keep();
      step = advance(target);
      over = !take(step);
      if (!step.report.accepted()) return;
    }
    if (!(simulation_.state().t == target ? write(simulation_.state(), step) : write_at(target, step)))
      return;
  }
}

// Between two steps, when every row up to here has been written: what the last step left is then not needed.
void Runner::keep() {
  const Clock::time_point begin = Clock::now();
  spent_ = {earlier_.rejected + simulation_.rejected_steps(),
            earlier_.fallovers + simulation_.solver_fallovers(), seconds()};
  state_ = to_bytes(simulation_.state());
  math::ByteWriter bytes;
  describe(bytes);
  output_.save(bytes);
  keeper_->checkpoint(bytes.bytes());
  kept_ = Clock::now();
  const double asked = keeper_->checkpoint_interval();
  due_ = asked == 0;
  interval_ =
      std::max({asked, kCost * std::chrono::duration<double>(kept_ - begin).count(), kLost * spent_.seconds});
}

void Runner::resume(const std::vector<std::string>& checkpoints) {
  for (const std::string& checkpoint : checkpoints) {
    math::ByteReader bytes(checkpoint);
    describe(bytes);
    output_.load(bytes);
  }
  if (checkpoints.empty()) return;
  earlier_ = spent_;
  simulation_.restore(state_from_bytes(state_));
}

template <class Bytes>
void Runner::describe(Bytes& bytes) {
  bytes(rows_written_);
  bytes(glides_), bytes(at_.start), bytes(at_.taken), bytes(taken_), bytes(stiff_), bytes(written_);
  bytes(spent_.rejected), bytes(spent_.fallovers), bytes(spent_.seconds);
  bytes(summary_.steps), bytes(summary_.iterations), bytes(summary_.energy_drift);
  fields(bytes, summary_.violation);
  fields(bytes, summary_.marked_violation);
  new_ones(bytes, summary_.marked_steps, saved_marks_);
  new_ones(bytes, summary_.events, saved_events_);
  watch_.describe(bytes);
  pace_.describe(bytes);
  range_.describe(bytes);
  bytes(state_);
}

double Runner::seconds() const {
  return earlier_.seconds + std::chrono::duration<double>(Clock::now() - begun_).count();
}

void Runner::finish() {
  watch_.warn();
  if (summary_.status == RunStatus::ok && !summary_.marked_steps.empty()) summary_.status = RunStatus::marked;
  if (summary_.status <= RunStatus::marked && !summary_.warnings.empty())
    summary_.status = RunStatus::doubtful;
  summary_.time = simulation_.state().t;
  summary_.rejected_steps = earlier_.rejected + simulation_.rejected_steps();
  output_.finish(summary_, kNearSteps * landing_);
  summary_.coordinate_changes = simulation_.coordinate_changes();
  summary_.solver_fallovers = earlier_.fallovers + simulation_.solver_fallovers();
  summary_.solver = simulation_.solver_name();
  summary_.choice = simulation_.choice();
  if (summary_.choice.empty() && stiff_)
    summary_.choice = fmt::format(
        "{} with {}: the motion is stiff, and an implicit rule would take longer steps; leave formulation "
        "and integrator out, or use radau9 or augmented-lagrangian-index3",
        name_of(plan_.formulation), name_of(plan_.integrator));
  summary_.wall_seconds = seconds();
}

}  // namespace trammel::simulation
