// What the rules for OdeForm share: norms, and the end of a step.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "forms/ode_form.h"
#include "math/spans.h"

namespace trammel::integrators {

// What an error of y is measured by: the larger of |y| and its scale; by the scale alone where that is
// negative.
inline double error_unit(double y, double scale) { return scale < 0 ? -scale : std::max(std::abs(y), scale); }
// max |e_i| / error_unit(y_i, scale_i); a NaN where one is not a finite number.
double relative_norm(std::span<const double> e, std::span<const double> y, std::span<const double> scale);
// The same with the larger of |y_i| and |z_i|.
double relative_norm(std::span<const double> e, std::span<const double> y, std::span<const double> z,
                     std::span<const double> scale);

// But for the last digit, which is the caller's, who may prefer whole numbers of steps.
inline bool same_time(double a, double b) {
  return std::abs(a - b) <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
}

// A mark met on the way stays: the first one goes into `total`.
void merge_mark(const Report& report, Report& total);
// The same, and a failure replaces `total`.
void merge(const Report& report, Report& total);
Report not_finite(double t);

// Turns y at time t into `trial`, which holds the state a step of size h earlier, and lets the form complete
// it. Report (the iterations apart) and violation go into the result; true when the form accepts the step.
[[nodiscard]] bool complete(forms::OdeForm& form, double t, std::span<const double> y, double h, State& trial,
                            forms::Kept& kept, StepResult& result);

}  // namespace trammel::integrators
