#include "integrators/ode_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel::integrators {

double relative_norm(std::span<const double> e, std::span<const double> y, std::span<const double> scale) {
  return relative_norm(e, y, y, scale);
}

double relative_norm(std::span<const double> e, std::span<const double> y, std::span<const double> z,
                     std::span<const double> scale) {
  math::Largest all;
  math::by_pairs(e.size(), [&all, e = e.data(), y = y.data(), z = z.data(), s = scale.data()](std::size_t k,
                                                                                              auto width) {
    using W = decltype(width);
    const auto larger = [](W a, W b) { return a > b ? a : b; };
    const auto size = [](W x) { return x < W{} ? -x : x; };
    const W unit = math::load<W>(s + k);
    const W value = larger(size(math::load<W>(y + k)), size(math::load<W>(z + k)));
    all.see(math::load<W>(e + k) / larger(unit < W{} ? W{} : value, size(unit)));
  });
  const double norm = all.value();
  return std::isfinite(norm) ? norm : NAN;
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

bool complete(forms::OdeForm& form, double t, std::span<const double> y, double h, State& trial,
              forms::Kept& kept, StepResult& result) {
  const int iterations = result.report.iterations;
  if (!math::all_finite(y)) {
    result.report = not_finite(trial.t);
    result.report.iterations = iterations;
    return false;
  }
  kept = forms::Kept::as_is;
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

}  // namespace trammel::integrators
