#include "integrators/semi_implicit_euler.h"

#include <utility>

#include "integrators/ode_step.h"

namespace trammel {

// y_i += h ẏ_i(t, y) for first ≤ i < last
bool SemiImplicitEuler::advance(OdeForm& form, double t, double h, std::size_t first, std::size_t last,
                                StepResult& result) {
  const Report report = form.rate(t, y_, rate_);
  result.report.iterations = ++result.iterations;
  if (!report.accepted()) {
    result.report = report;
    result.report.iterations = result.iterations;
    return false;
  }
  merge_mark(report, result.report);
  for (std::size_t i = first; i < last; ++i) y_[i] += h * rate_[i];
  return true;
}

StepResult SemiImplicitEuler::step(OdeForm& form, State& state, double h) {
  StepResult result;
  form.pack(state, y_);
  const std::size_t n = y_.size(), positions = static_cast<std::size_t>(form.positions());
  rate_.resize(n);
  if (!advance(form, state.t, h, positions, n, result)) return result;
  if (!advance(form, state.t + h, h, 0, positions, result)) return result;

  trial_ = state;
  Kept kept;
  if (complete(form, state.t + h, y_, h, trial_, kept, result)) std::swap(state, trial_);
  return result;
}

}  // namespace trammel
