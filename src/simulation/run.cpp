#include "trammel/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "integrators/ode_step.h"
#include "simulation/explain.h"
#include "simulation/landings.h"
#include "simulation/plan_check.h"
#include "simulation/recorder.h"
#include "simulation/resolve.h"
#include "simulation/run_alone.h"
#include "simulation/verify.h"

namespace trammel {
namespace {

using Clock = std::chrono::steady_clock;

// Steps between two calls of the progress function, at most; fewer where steps take long.
constexpr long kProgressSteps = 256;
constexpr double kPatience = 0.02;  // s
// A reaction this many steps from a marked one is not "away from" it.
constexpr double kNearSteps = 3;

// What rows close their constraints to: as steps of index 3 do.
constexpr Violation kClosed{1e-11, 1e-10, 1e-8};

class Watch {
 public:
  Watch(Simulation& simulation, RunSummary& summary) : simulation_(simulation), summary_(summary) {
    summary_.initial_energy = simulation.energy().kinetic + simulation.energy().potential;
    start_ = simulation.energy().balance();
  }
  // A motion that gains or loses this part of its energy is not the mechanism's, whatever its steps say.
  void warn() {
    constexpr double kPart = 0.05;
    // Of a mechanism at rest only rounding moves.
    constexpr double kRounding = 1e-6;
    // Nor do bodies that crawl by less than this part of their size in a second, or sink by less than this
    // part of it into an end-stop.
    constexpr double kStill = 1e-10, kSunk = 1e-9;
    const double size = simulation_.system().length_scale();
    const double still =
        total_mass() * (std::pow(kStill * size, 2) + simulation_.mechanism().gravity.norm() * kSunk * size);
    if (summary_.energy_drift > std::max({kPart * largest_kinetic_, kRounding * largest_part_, still}) &&
        summary_.steps > 0)
      summary_.warnings.push_back(fmt::format(
          "the energy balance drifts by {:.3g} J, of a largest kinetic energy of {:.3g} J: do not trust this "
          "motion; take a smaller step, or another formulation",
          summary_.energy_drift, largest_kinetic_));
    // A thousandth of its size open: no longer the mechanism that was described.
    constexpr double kOpen = 1e-3;
    if (summary_.violation.position > kOpen)
      summary_.warnings.push_back(fmt::format(
          "constraints open by up to {:.2g} of their size: do not trust this motion; give a larger "
          "penalty, projections, or another formulation",
          summary_.violation.position));
  }
  void see(const StepResult& step) {
    summary_.steps += step.steps;
    summary_.iterations += step.iterations;
    summary_.events.insert(summary_.events.end(), step.events.begin(), step.events.end());
    see(simulation_.energy());
    if (step.report.outcome != Outcome::marked) return summary_.violation.take_larger(step.violation);
    summary_.marked_violation.take_larger(step.violation);
    const bool own_penalty = simulation_.plan().penalty || !simulation_.plan().penalty_of.empty();
    summary_.marked_steps.push_back(
        {simulation_.state().t,
         step.report.message + (own_penalty ? ", or by a penalty too small for the step" : ""),
         simulation::row_name(simulation_, step.report.worst_row)});
  }
  // Of a step's end, or of a row within one.
  void see(const Energy& energy) {
    summary_.energy_drift = std::max(summary_.energy_drift, std::abs(energy.balance() - start_));
    largest_kinetic_ = std::max(largest_kinetic_, energy.kinetic);
    largest_part_ = std::max({largest_part_, std::abs(energy.potential), std::abs(energy.work)});
  }

 private:
  double total_mass() const {
    double sum = 0;
    for (const Body& body : simulation_.mechanism().bodies) sum += body.mass;
    return sum;
  }

  Simulation& simulation_;
  RunSummary& summary_;
  double start_ = 0, largest_kinetic_ = 0, largest_part_ = 0;
};

// The largest reaction among rows that are not next to a marked step.
RunSummary::Peak peak_away(const std::vector<RunSummary::Peak>& peaks, const std::vector<MarkedStep>& marked,
                           double near) {
  RunSummary::Peak largest;
  for (const auto& peak : peaks) {
    const auto close = [&](const MarkedStep& m) { return std::abs(m.t - peak.t) <= near; };
    if (peak.force > largest.force && std::none_of(marked.begin(), marked.end(), close)) largest = peak;
  }
  return largest;
}

// Where states at output times go.
class Output {
 public:
  virtual ~Output() = default;
  virtual void write(const State& state, const StepResult& last) = 0;
  // Of the state last written: whether rounding decides on its reactions, and its energies.
  virtual bool rounding() const { return false; }
  virtual Energy energy() const = 0;
  virtual void finish(RunSummary&, double) const {}
};

class Rows final : public Output {
 public:
  Rows(const Simulation& simulation, ResultSink& sink)
      : simulation_(simulation), sink_(sink), recorder_(simulation::recorder_of(simulation)) {}
  void write(const State& state, const StepResult& last) override {
    sink_.write(recorder_.row(simulation_.reader(state), state, last));
    peaks_.push_back(recorder_.peak());
  }
  bool rounding() const override { return recorder_.rounding(); }
  Energy energy() const override { return recorder_.energy(); }
  void finish(RunSummary& summary, double near) const override {
    summary.reactions = recorder_.reactions();
    summary.peak_reaction = peak_away(peaks_, summary.marked_steps, near);
  }

 private:
  const Simulation& simulation_;
  ResultSink& sink_;
  simulation::Recorder recorder_;
  std::vector<RunSummary::Peak> peaks_;
};

class Motion final : public Output {
 public:
  Motion(const Simulation& simulation, const std::function<void(const State&)>& seen)
      : simulation_(simulation), seen_(seen) {}
  void write(const State& state, const StepResult&) override {
    seen_(state);
    energy_ = simulation_.reader(state).energy(state);
  }
  Energy energy() const override { return energy_; }

 private:
  const Simulation& simulation_;
  const std::function<void(const State&)>& seen_;
  Energy energy_;
};

// The loop over steps: what it watches, writes and stops for.
class Runner {
 public:
  Runner(Simulation& simulation, Output& output, const Progress& progress, RunSummary& summary)
      : simulation_(simulation),
        plan_(simulation.resolved()),
        output_(output),
        progress_(progress),
        summary_(summary),
        watch_(simulation, summary) {}

  // Lands on every multiple of h, and keeps a row at every so many of them.
  void land(double h, long stride);
  // Steps as the tolerance allows; rows at multiples of the interval are taken from within them.
  void glide(double interval);
  void finish(double near);

 private:
  void write(const State& state, const StepResult& last);
  bool take(const StepResult& step);
  bool goes_on(double t);
  bool judge_row(double t, StepResult& row);
  bool write_at(double t, const StepResult& step);

  Simulation& simulation_;
  const ResolvedPlan& plan_;
  Output& output_;
  const Progress& progress_;
  RunSummary& summary_;
  Watch watch_;
  long taken_ = 0;                      // steps asked for
  long between_ = 1, until_asked_ = 1;  // steps between two calls of the progress function; until the next
  Clock::time_point asked_ = Clock::now();
  bool stiff_ = false;  // for the rule, in some step
};

void Runner::write(const State& state, const StepResult& last) {
  output_.write(state, last);
  if (!output_.rounding() || last.report.outcome == Outcome::marked) return;
  summary_.marked_violation.take_larger(last.violation);
  summary_.marked_steps.push_back({state.t,
                                   "a row so close to a singular position that rounding decides on its "
                                   "reactions: they mean nothing",
                                   "", true});
}

// What a step means for the run; false: it ends here.
bool Runner::take(const StepResult& step) {
  ++taken_;
  const double t = simulation_.state().t;
  if (!step.report.accepted()) {
    summary_.status = RunStatus::failed;
    summary_.message =
        fmt::format("at t = {:.6g} s, step {}: {}", t, taken_, explain(step.report, simulation_));
    return false;
  }
  watch_.see(step);
  stiff_ = stiff_ || step.stiff;
  if (step.report.outcome == Outcome::marked && plan_.strict) {
    summary_.status = RunStatus::failed;
    summary_.message = fmt::format("at t = {:.6g} s, step {}: {} (--strict)", t, taken_,
                                   summary_.marked_steps.back().reason);
    return false;
  }
  if (!step.ended && --until_asked_ <= 0 && !goes_on(t)) return false;
  return !step.ended;
}

// False when a person has stopped the run.
bool Runner::goes_on(double t) {
  const Clock::time_point now = Clock::now();
  const bool slow = now - asked_ > std::chrono::duration<double>(kPatience);
  asked_ = now;
  between_ = slow ? std::max(1L, between_ / 4) : std::min(kProgressSteps, 2 * between_);
  until_asked_ = between_;
  if (!progress_ || progress_(t)) return true;
  summary_.status = RunStatus::stopped;
  summary_.message = fmt::format("stopped at t = {:.6g} s", t);
  return false;
}

void Runner::land(double h, long stride) {
  simulation::Landings landings(simulation_, h, plan_.duration);
  write(simulation_.state(), {});
  for (long n = 1; !landings.done(); ++n) {
    const StepResult step = landings.next();
    const bool goes_on = take(step);
    if (step.report.accepted() && (n % stride == 0 || landings.done() || step.ended))
      write(simulation_.state(), step);
    if (!goes_on) return;
  }
}

// A row within a step may lie closer to a singular position than any step: there its constraints of
// velocities and accelerations do not close, and its reactions mean nothing. False: the run ends here.
bool Runner::judge_row(double t, StepResult& row) {
  const bool open = row.violation.position > kClosed.position || row.violation.velocity > kClosed.velocity ||
                    row.violation.acceleration > kClosed.acceleration;
  if (open && simulation::projects_every_step(plan_)) {
    row.report.outcome = Outcome::marked;
    row.report.message =
        "a row within a step whose constraints do not close, as next to a singular position: its reactions "
        "mean nothing";
  }
  if (row.report.outcome != Outcome::marked) {
    summary_.violation.take_larger(row.violation);
    return true;
  }
  summary_.marked_violation.take_larger(row.violation);
  summary_.marked_steps.push_back({t, row.report.message, "", true});
  if (!plan_.strict) return true;
  summary_.status = RunStatus::failed;
  summary_.message = fmt::format("at t = {:.6g} s: {} (--strict)", t, row.report.message);
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
  if (!judge_row(t, row)) return false;
  if (row.report.outcome != Outcome::marked) row.report = step.report;
  row.iterations = step.iterations;
  write(at, row);
  if (row.report.outcome != Outcome::marked) watch_.see(output_.energy());
  return true;
}

void Runner::glide(double interval) {
  const long rows = std::max(1L, std::lround(std::ceil(plan_.duration / interval - 1e-9)));
  const auto time_of = [&](long n) { return n == rows ? plan_.duration : static_cast<double>(n) * interval; };
  write(simulation_.state(), {});
  StepResult step;
  for (long n = 1; n <= rows; ++n) {
    const double target = time_of(n);
    if (n % kProgressSteps == 0 && !goes_on(target)) return;
    while (simulation_.state().t < target) {
      const double t = simulation_.state().t;
      const double most = plan_.step > 0 ? std::min(plan_.step, plan_.duration - t) : plan_.duration - t;
      step = simulation_.dense() ? simulation_.advance(most) : simulation_.step(target - t);
      if (step.report.accepted() && integrators::same_time(simulation_.state().t, target))
        simulation_.set_time(target);
      if (take(step)) continue;
      if (!step.report.accepted()) return;
      for (long last = n; time_of(last) < simulation_.state().t; ++last)
        if (!write_at(time_of(last), step)) return;
      write(simulation_.state(), step);
      return;
    }
    if (simulation_.state().t > target) {
      if (!write_at(target, step)) return;
    } else {
      write(simulation_.state(), step);
    }
  }
}

void Runner::finish(double near) {
  watch_.warn();
  if (summary_.status == RunStatus::ok && !summary_.marked_steps.empty()) summary_.status = RunStatus::marked;
  if (summary_.status <= RunStatus::marked && !summary_.warnings.empty())
    summary_.status = RunStatus::doubtful;
  summary_.time = simulation_.state().t;
  summary_.rejected_steps = simulation_.rejected_steps();
  output_.finish(summary_, near);
  summary_.coordinate_changes = simulation_.coordinate_changes();
  summary_.solver_fallovers = simulation_.solver_fallovers();
  summary_.solver = simulation_.solver_name();
  summary_.choice = simulation_.choice();
  if (summary_.choice.empty() && stiff_)
    summary_.choice = fmt::format(
        "{} with {}: the motion is stiff, and an implicit rule would take longer steps; leave formulation "
        "and integrator out, or use radau9 or augmented-lagrangian-index3",
        name_of(plan_.formulation), name_of(plan_.integrator));
}

RunSummary run_into(Output& output, Simulation& simulation, const Progress& progress) {
  RunSummary summary;
  const auto begin = Clock::now();
  const ResolvedPlan& plan = simulation.resolved();
  const double h = simulation::landing_interval(plan);
  const long stride = simulation::output_stride(plan);
  Runner runner(simulation, output, progress, summary);
  // Whoever names both a rule and a step wants to land on its multiples.
  if (simulation.dense() && (plan.falls_back || plan.step == 0))
    runner.glide(static_cast<double>(stride) * h);
  else
    runner.land(h, stride);
  runner.finish(kNearSteps * h);
  summary.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return summary;
}

}  // namespace

RunSummary simulation::run_alone(Simulation& simulation, ResultSink& sink, const Progress& progress) {
  Rows rows(simulation, sink);
  return run_into(rows, simulation, progress);
}

RunSummary simulation::run_motion(Simulation& simulation, const std::function<void(const State&)>& seen) {
  Motion motion(simulation, seen);
  return run_into(motion, simulation, {});
}

RunSummary run(Simulation& simulation, ResultSink& sink, const Progress& progress) {
  return simulation.plan().verify ? simulation::run_verified(simulation, sink, progress)
                                  : simulation::run_alone(simulation, sink, progress);
}

RunResult run(Simulation& simulation, const Progress& progress) {
  class Tables final : public ResultSink {
   public:
    explicit Tables(RunResult& result) : result_(result) {}
    void write(std::span<const double> row) override { append(result_.trajectory, row); }
    void write_errors(std::span<const double> row) override { append(result_.errors, row); }

   private:
    static void append(Trajectory& to, std::span<const double> row) {
      to.values.insert(to.values.end(), row.begin(), row.end());
    }
    RunResult& result_;
  };
  RunResult result;
  const AssemblyReport assembly = simulation.assemble();
  if (assembly.report.accepted()) {
    result.trajectory.channels = channels_of(simulation);
    result.errors.channels = error_channels(result.trajectory.channels);
    Tables tables(result);
    result.summary = run(simulation, tables, progress);
  } else {
    result.summary.status = RunStatus::failed;
    result.summary.message = explain(assembly, simulation);
  }
  result.summary.assembly = assembly;
  return result;
}

}  // namespace trammel
