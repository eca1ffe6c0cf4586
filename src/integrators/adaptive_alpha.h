// Error control for the Newmark family: steps of generalized-α as large as a tolerance allows.
//
//   e = κ h² (v̇₊ − v̇ₙ),   |e_i| ≤ tolerance · scale_i      Zienkiewicz & Xie (1991), for κ of the whole
//   family
//
// is the local error of positions: the rule's Taylor remainder with v⃛ ≈ (v̇₊ − v̇ₙ)/h from projected
// accelerations. Auxiliary states follow the trapezoidal rule: e = h³/12 x⃛, from three rates. The slot "step
// control": the step proposed, the last error, the step before and the rates before it.
#pragma once

#include <span>

#include "integrators/generalized_alpha.h"
#include "integrators/step_controller.h"

namespace trammel::integrators {

class AdaptiveAlpha {
 public:
  // scale: what counts as one on each coordinate.
  AdaptiveAlpha(AlphaRule rule, double tolerance, double convergence, int max_iterations,
                std::span<const double> scale);

  // Advances the state by h, in as many steps as the tolerance asks, landing exactly on state.t + h; on
  // failure the state is untouched.
  StepResult step(forms::ResidualForm& form, State& state, double h);
  void prepare(State& state) const;
  // The size of the next step, s; 0: none was taken yet.
  double proposed(const State& state) const;
  long rejected() const { return rejected_; }

 private:
  double error(const State& from, const State& to, double h) const;
  double first_proposal(const State& state) const;
  void remember(double h);

  GeneralizedAlpha rule_;
  double constant_, tolerance_;
  std::span<const double> scale_;
  StepController controller_;
  State trial_, next_;
  long rejected_ = 0;
};

}  // namespace trammel::integrators
