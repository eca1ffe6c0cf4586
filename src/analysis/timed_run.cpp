#include "analysis/timed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "simulation/landings.h"
#include "simulation/plan_check.h"
#include "trammel/run.h"

namespace trammel::analysis {
namespace {

// Of this thread: what else the machine does does not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void advance(Simulation& simulation, double interval, const Ask& ask, TimedRun& out) {
  const Plan& plan = simulation.plan();
  const double h = simulation::landing_interval(plan);
  const long stride = std::max(1L, std::lround(interval / h));
  const double begin = processor_seconds();
  out.motion.add(simulation);
  simulation::Landings landings(simulation, h, plan.duration);
  for (long n = 1; !landings.done(); ++n) {
    const StepResult step = landings.next();
    if (ask) ask();
    const double t = simulation.state().t;
    if (!step.report.accepted()) {
      out.status = "failed";
      out.reason = fmt::format("at t = {:.6g} s: {}", t, explain(step.report, simulation));
      break;
    }
    out.steps += step.steps;
    if (step.report.outcome == Outcome::marked && out.status == "ok") {
      out.status = "marked";
      out.reason = fmt::format("at t = {:.6g} s: {}", t, step.report.message);
    }
    if (n % stride != 0 && !landings.done() && !step.ended) continue;
    out.motion.add(simulation);
    if (step.ended) break;
    if (!landings.done() && processor_seconds() - begin > kPatience) {
      out.status = "failed";
      out.reason = fmt::format("given up at t = {:.6g} s after {} s of computing", t, kPatience);
      break;
    }
  }
  out.seconds = processor_seconds() - begin;
}

}  // namespace

TimedRun timed_run(const Mechanism& mechanism, const Plan& plan, double interval, const Ask& ask) {
  TimedRun out;
  const std::vector<std::string> problems = check_plan(plan);
  if (!problems.empty()) {
    out.status = "refused";
    out.reason = problems.front();
    return out;
  }
  Simulation simulation(mechanism, plan);
  const AssemblyReport assembly = simulation.assemble();
  if (!assembly.report.accepted()) {
    out.status = assembly.report.outcome == Outcome::refused ? "refused" : "failed";
    out.reason = explain(assembly, simulation);
    return out;
  }
  advance(simulation, interval, ask, out);
  return out;
}

}  // namespace trammel::analysis
