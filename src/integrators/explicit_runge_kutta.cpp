#include "integrators/explicit_runge_kutta.h"

#include "forms/take_state.h"
#include "integrators/first_stage.h"
#include "integrators/ode_step.h"

namespace trammel::integrators {

void ExplicitRungeKutta::prepare(State& state) { forget_first_stage(state); }

StepResult ExplicitRungeKutta::step(forms::OdeForm& form, State& state, double h) {
  StepResult result;
  form.pack(state, y_);
  stages_.resize(y_.size());
  y_next_.resize(y_.size());

  result.report = first_stage(form, state, y_, stages_[0], result.iterations);
  if (result.report.accepted())
    merge(stages_.evaluate(form, state.t, h, y_, 1, tableau_.stages, result.iterations), result.report);
  result.report.iterations = result.iterations;
  if (!result.report.accepted()) return result;
  // y₊ = y + h Σ b_i k_i
  stages_.lead(y_, tableau_.b, h, y_next_);

  forms::take(state, trial_);
  forms::Kept kept;
  if (!complete(form, state.t + h, y_next_, h, trial_, kept, result)) return result;
  remember_first_stage(form, kept, y_.size(), trial_);
  forms::exchange(state, trial_);
  return result;
}

}  // namespace trammel::integrators
