#include "integrators/semi_implicit_euler.h"

#include "forms/take_state.h"
#include "integrators/first_stage.h"
#include "integrators/ode_step.h"

namespace trammel::integrators {

void SemiImplicitEuler::prepare(State& state) { forget_first_stage(state); }

StepResult SemiImplicitEuler::step(forms::OdeForm& form, State& state, double h) {
  StepResult result;
  form.pack(state, y_);
  rate_.resize(y_.size());
  const auto border = static_cast<std::size_t>(form.positions());

  result.report = first_stage(form, state, y_, rate_, result.iterations);
  for (std::size_t i = border; i < y_.size(); ++i) y_[i] += h * rate_[i];
  if (result.report.accepted()) {
    ++result.iterations;
    merge(form.position_rate(state.t + h, y_, rate_), result.report);
  }
  result.report.iterations = result.iterations;
  if (!result.report.accepted()) return result;
  for (std::size_t i = 0; i < border; ++i) y_[i] += h * rate_[i];

  forms::take(state, trial_);
  forms::Kept kept;
  if (!complete(form, state.t + h, y_, h, trial_, kept, result)) return result;
  remember_first_stage(form, kept, y_.size(), trial_);
  forms::exchange(state, trial_);
  return result;
}

}  // namespace trammel::integrators
