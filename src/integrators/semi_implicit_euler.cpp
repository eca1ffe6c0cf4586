#include "integrators/semi_implicit_euler.h"

#include <utility>

#include "integrators/ode_step.h"

namespace trammel {

// y_i += h ẏ_i(t, y) for positions, or for all others
bool SemiImplicitEuler::advance(OdeForm& form, double t, double h, bool positions, StepResult& result) {
  const Report report = positions ? form.position_rate(t, y_, rate_) : form.rate(t, y_, rate_);
  result.report.iterations = ++result.iterations;
  if (!report.accepted()) {
    result.report = report;
    result.report.iterations = result.iterations;
    return false;
  }
  merge_mark(report, result.report);
  const auto border = static_cast<std::size_t>(form.positions());
  for (std::size_t i = positions ? 0 : border; i < (positions ? border : y_.size()); ++i)
    y_[i] += h * rate_[i];
  return true;
}

StepResult SemiImplicitEuler::step(OdeForm& form, State& state, double h) {
  StepResult result;
  form.pack(state, y_);
  rate_.resize(y_.size());
  if (!advance(form, state.t, h, false, result)) return result;
  if (!advance(form, state.t + h, h, true, result)) return result;

  trial_ = state;
  Kept kept;
  if (complete(form, state.t + h, y_, h, trial_, kept, result)) std::swap(state, trial_);
  return result;
}

}  // namespace trammel
