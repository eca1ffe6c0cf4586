#include "integrators/ode_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

double relative_norm(std::span<const double> e, std::span<const double> y, std::span<const double> scale) {
  return relative_norm(e, y, y, scale);
}

double relative_norm(std::span<const double> e, std::span<const double> y, std::span<const double> z,
                     std::span<const double> scale) {
  double norm = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double part = std::abs(e[i]) / std::max({std::abs(y[i]), std::abs(z[i]), scale[i]});
    if (std::isnan(part)) return part;
    norm = std::max(norm, part);
  }
  return norm;
}

void merge_mark(const Report& report, Report& total) {
  if (report.outcome != Outcome::marked || total.outcome != Outcome::ok) return;
  const int iterations = total.iterations;
  total = report;
  total.iterations = iterations;
}

void merge(const Report& report, Report& total) {
  if (!report.accepted()) total = report;
  merge_mark(report, total);
}

Report not_finite(double t) {
  Report report;
  report.outcome = Outcome::not_finite;
  report.message = fmt::format(
      "a NaN or an infinity appeared at t = {:.6g} s; try a smaller step, or look for a division by zero", t);
  return report;
}

bool complete(OdeForm& form, double t, std::span<const double> y, double h, State& trial, Kept& kept,
              StepResult& result) {
  const int iterations = result.report.iterations;
  if (!all_finite(y)) {
    result.report = not_finite(trial.t);
    result.report.iterations = iterations;
    return false;
  }
  kept = Kept::as_is;
  Violation left;
  Report report = form.unpack(t, y, trial);
  if (report.accepted()) report = form.accepted(trial, h, kept, left);
  if (!report.accepted()) {
    result.report = report;
    result.report.iterations = iterations;
    return false;
  }
  merge_mark(report, result.report);
  result.violation.take_larger(left);
  return true;
}

}  // namespace trammel
