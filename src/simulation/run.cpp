#include "trammel/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "simulation/plan_check.h"
#include "simulation/recorder.h"

namespace trammel {
namespace {

using Clock = std::chrono::steady_clock;

// Steps between two calls of the progress function.
constexpr long kProgressSteps = 256;
// A reaction this many steps from a marked one is not "away from" it.
constexpr double kNearSteps = 3;

// Every how many steps a row is written.
long output_stride(const Plan& plan, double step) {
  const double interval = (plan.output_interval > 0 ? plan.output_interval : plan.duration / kRows) / step;
  return std::max(1L, std::lround(interval));
}

std::string row_name(const Simulation& simulation, int row) {
  if (row < 0) return {};
  const RowOwner& owner = simulation.system().rows()[static_cast<std::size_t>(row)];
  if (owner.kind == RowOwner::Kind::body && !owner.joints.empty()) return owner.joints.front();
  return owner.name;
}

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
    if (summary_.energy_drift > std::max(kPart * largest_kinetic_, kRounding * largest_part_) &&
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
    const Energy energy = simulation_.energy();
    summary_.energy_drift = std::max(summary_.energy_drift, std::abs(energy.balance() - start_));
    largest_kinetic_ = std::max(largest_kinetic_, energy.kinetic);
    largest_part_ = std::max({largest_part_, std::abs(energy.potential), std::abs(energy.work)});
    if (step.report.outcome != Outcome::marked) return summary_.violation.take_larger(step.violation);
    summary_.marked_violation.take_larger(step.violation);
    const bool own_penalty = simulation_.plan().penalty || !simulation_.plan().penalty_of.empty();
    summary_.marked_steps.push_back(
        {simulation_.state().t,
         step.report.message + (own_penalty ? ", or by a penalty too small for the step" : ""),
         row_name(simulation_, step.report.worst_row)});
  }

 private:
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

}  // namespace

std::string explain(const Report& report, const Simulation& simulation) {
  if (!report.message.empty()) return report.message;
  const std::string joint = row_name(simulation, report.worst_row);
  const std::string where = joint.empty()
                                ? ""
                                : fmt::format("; the worst constraint is that of '{}' ({:.1e} of its size)",
                                              joint, report.violation);
  const double h = landing_interval(simulation.plan());
  switch (report.outcome) {
    case Outcome::ok:
    case Outcome::marked:
      return {};
    case Outcome::not_converged:
      return fmt::format(
          "the step did not converge, even in steps of {:.2g} s{}; try a smaller step, look whether the "
          "joints can go "
          "on from here (a linkage at the end of its reach), or whether forces jump or become very stiff",
          h / 64, where);
    case Outcome::singular:
      return fmt::format(
          "the equations are singular{}; some direction has neither mass nor a joint to hold it", where);
    case Outcome::not_finite:
      return fmt::format(
          "a number is no longer finite{}; look for a force or driver that divides by zero or takes the "
          "root of a negative number here",
          where);
    default:
      return report.message;
  }
}

std::string explain(const AssemblyReport& report, const Simulation& simulation) {
  if (report.report.accepted()) return {};
  if (!report.conflicts.empty()) {
    std::string names;
    for (std::size_t k = 0; k < std::min<std::size_t>(report.conflicts.size(), 5); ++k)
      names += (names.empty() ? "'" : ", '") + report.conflicts[k] + "'";
    if (report.conflicts.size() > 5) names += fmt::format(" and {} more", report.conflicts.size() - 5);
    bool given = false;
    for (const Point& point : simulation.mechanism().points) given = given || point.velocity;
    for (const Body& body : simulation.mechanism().bodies)
      given = given || body.velocity || body.angular_velocity;
    for (const Joint& joint : simulation.mechanism().joints) given = given || joint.speed;
    if (const auto& own = simulation.mechanism().generalized)
      for (const auto& q : own->coordinates) given = given || q.rate;
    if (given)
      return fmt::format(
          "the given initial velocities contradict each other, the drivers or the joints, at {}; give fewer "
          "of them",
          names);
    return fmt::format(
        "the drivers ask for velocities at the start that the joints or each other do not allow, or that are "
        "not finite, "
        "at {}; look at their derivatives at t = 0",
        names);
  }
  if (report.open.empty()) {
    return report.report.message.empty() ? explain(report.report, simulation) : report.report.message;
  }
  std::string text = "the mechanism cannot be assembled";
  for (std::size_t k = 0; k < std::min<std::size_t>(report.open.size(), 5); ++k)
    text += fmt::format("{} '{}' stays open by {:.3g} {}", k == 0 ? ":" : ",", report.open[k].owner,
                        report.open[k].gap, report.open[k].is_angle ? "rad" : "m");
  if (report.open.size() > 5) text += fmt::format(" and {} more", report.open.size() - 5);
  return text + "; check lengths and places, or give a better starting position";
}

RunSummary run(Simulation& simulation, ResultSink& sink, const Progress& progress) {
  RunSummary summary;
  const auto begin = Clock::now();
  const Plan& plan = simulation.plan();
  // A duration that is a whole number of steps but for rounding is one.
  const double h = landing_interval(plan);
  const long steps = std::max(1L, std::lround(std::ceil(plan.duration / h - 1e-9)));
  const long stride = output_stride(plan, h);
  Watch watch(simulation, summary);
  Recorder recorder(simulation);
  std::vector<RunSummary::Peak> peaks;
  const auto write = [&](const StepResult& last) {
    sink.write(recorder.row(simulation, last));
    peaks.push_back(recorder.peak());
  };

  write({});
  for (long n = 1; n <= steps; ++n) {
    const bool last = n == steps;
    const double target = last ? plan.duration : static_cast<double>(n) * h;
    const StepResult step = simulation.step(last ? plan.duration - simulation.state().t : h);
    if (!step.report.accepted()) {
      summary.status = RunStatus::failed;
      summary.message = fmt::format("at t = {:.6g} s, step {}: {}", simulation.state().t, n,
                                    explain(step.report, simulation));
      break;
    }
    if (!step.ended) simulation.set_time(target);
    watch.see(step);
    const bool marked = step.report.outcome == Outcome::marked;
    if (n % stride == 0 || last || step.ended) write(step);
    if (marked && plan.strict) {
      summary.status = RunStatus::failed;
      summary.message = fmt::format("at t = {:.6g} s, step {}: {} (--strict)", target, n,
                                    summary.marked_steps.back().reason);
      break;
    }
    if (step.ended) break;
    if (progress && n % kProgressSteps == 0 && !progress(target)) {
      summary.status = RunStatus::stopped;
      summary.message = fmt::format("stopped at t = {:.6g} s", target);
      break;
    }
  }
  watch.warn();
  if (summary.status == RunStatus::ok && !summary.marked_steps.empty()) summary.status = RunStatus::marked;
  if (summary.status <= RunStatus::marked && !summary.warnings.empty()) summary.status = RunStatus::doubtful;
  summary.time = simulation.state().t;
  summary.rejected_steps = simulation.rejected_steps();
  summary.reactions = recorder.reactions();
  summary.peak_reaction = peak_away(peaks, summary.marked_steps, kNearSteps * h);
  summary.coordinate_changes = simulation.coordinate_changes();
  summary.solver_fallovers = simulation.solver_fallovers();
  summary.solver = simulation.solver_name();
  summary.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return summary;
}

}  // namespace trammel
