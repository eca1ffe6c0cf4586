#include "analysis/work_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/timed_run.h"
#include "simulation/plan_check.h"

namespace trammel::analysis {
namespace {

constexpr double kFactors[] = {kCoarsestFactor, 2, 1, 0.5, 0.25};  // of the row's own step
constexpr double kTolerances[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
constexpr double kShort = 0.02, kEnough = 0.1;  // s: a shorter run is repeated, until this much was computed
constexpr int kRepeats = 10;

WorkPrecisionPoint point_of(const Plan& plan) {
  WorkPrecisionPoint point;
  (simulation::controls_error(plan) ? point.tolerance : point.step) =
      simulation::controls_error(plan) ? plan.tolerance : plan.step;
  return point;
}

WorkPrecisionPoint not_run(const Plan& plan) {
  WorkPrecisionPoint point = point_of(plan);
  point.status = "failed";
  point.reason = fmt::format("not run: it would take more than {} s", kPatience);
  return point;
}

// One run for the motion, and more for its time where it is short.
WorkPrecisionPoint measure(const Mechanism& mechanism, const Plan& plan, double interval,
                           const Reference& reference, const Ask& ask) {
  TimedRun first = timed_run(mechanism, plan, interval, ask);
  double least = first.seconds, spent = first.seconds;
  for (int k = 1; k < kRepeats && first.seconds < kShort && first.steps > 0 && spent < kEnough; ++k) {
    const double again = timed_run(mechanism, plan, interval, ask).seconds;
    least = std::min(least, again);
    spent += again;
  }
  WorkPrecisionPoint point = point_of(plan);
  point.seconds = least;
  point.status = first.status;
  point.reason = first.reason;
  if (first.steps == 0 || !reference.problem.empty()) return point;
  point.error = SampledMotion::largest_difference(first.motion, reference.motion);
  judge(reference, *point.error, plan.accuracy, point.status, point.reason);
  return point;
}

std::vector<Plan> sweep(const Plan& plan, double interval) {
  std::vector<Plan> all;
  const auto add = [&](double step, double tolerance) {
    Plan own = plan;
    own.output_interval = interval;
    own.step = step;
    own.tolerance = tolerance;
    all.push_back(own);
  };
  if (!simulation::controls_error(plan)) {
    for (const double factor : kFactors)
      if (factor * plan.step <= plan.duration) add(factor * plan.step, plan.tolerance);
    return all;
  }
  for (const double tolerance : kTolerances) {
    // Free steps, unless gains come from the step.
    add(0, tolerance);
    if (!check_plan(all.back()).empty()) all.back().step = plan.step;
  }
  return all;
}

// A run has one verdict: that of the row, which knows its energies too.
void take_verdict(const Comparison& row, WorkPrecisionPoint& point) {
  if (row.status == "ok" || point.status == "failed") return;
  point.status = row.status;
  point.reason = row.reason;
}

WorkPrecisionCurve curve(const Mechanism& mechanism, const Comparison& row, double interval,
                         const Reference& reference, const Announce& next, const Ask& ask) {
  WorkPrecisionCurve out;
  if (row.status == "refused") return out;
  const bool controlled = simulation::controls_error(row.plan);
  bool hopeless = false;
  for (const Plan& plan : sweep(row.plan, interval)) {
    if (next)
      next(controlled
               ? fmt::format("{}, {}, tolerance {:.0e}", row.formulation, row.integrator, plan.tolerance)
               : fmt::format("{}, {}, step {:.3g} s", row.formulation, row.integrator, plan.step));
    out.points.push_back(hopeless ? not_run(plan) : measure(mechanism, plan, interval, reference, ask));
    // Half the step takes twice the time.
    hopeless = hopeless || out.points.back().seconds > kPatience / 2;
    if (controlled ? plan.tolerance == row.plan.tolerance : plan.step == row.plan.step)
      take_verdict(row, out.points.back());
    if (!controlled && plan.step == row.plan.step) out.as_is = out.points.back();
  }
  if (out.as_is) return out;
  Plan own = row.plan;
  if (controlled && own.tolerance == 0) own.tolerance = kDefaultTolerance;
  own.output_interval = interval;
  out.as_is = measure(mechanism, own, interval, reference, ask);
  take_verdict(row, *out.as_is);
  return out;
}

}  // namespace

WorkPrecision work_precision(const Mechanism& mechanism, const Comparisons& compared, const Announce& next,
                             const Ask& ask) {
  WorkPrecision out;
  out.reference = compared.reference;
  for (const Comparison& row : compared.rows)
    out.curves.push_back(curve(mechanism, row, compared.interval, out.reference, next, ask));
  return out;
}

}  // namespace trammel::analysis
