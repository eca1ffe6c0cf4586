// Explicit Runge–Kutta pairs with error control and dense output: Dormand and Prince's of order 5(4)
// ("dopri5") and of order 8(5,3) ("dop853").
//
// The error estimate must satisfy |e_i| ≤ tolerance · max(|y_i|, scale_i) in every entry. So must, within a
// factor, the way by which the form's projections move the end of the step: next to a singular position they
// can take it to another branch, which no error estimate sees. A step that fails either way, or that the form
// does not accept, is repeated shorter, or, where the motion is not smooth, so that its stages lie elsewhere.
//
// The slot control_of(rule): the step proposed, the last error, how often in a row an implicit
// rule would have taken a longer one, the usual step; and the first stage of the next step, which is
// the last stage of this one, or the rate that the form knows.
#pragma once

#include "integrators/dense_step.h"
#include "integrators/ode_integrator.h"
#include "integrators/step_controller.h"

namespace trammel::integrators {

// The slot of a rule's step size control.
inline MemorySlot control_of(const PairTableau& pair) { return {pair.name, Lifetime::step}; }

// The local error at which the trapezoidal rule leaves an error like that of a pair of high order. It grows
// as the local one to the power 2/3, where that of the pair follows it.
double trapezoidal_tolerance(double tolerance);

class EmbeddedPair final : public OdeIntegrator {
 public:
  EmbeddedPair(const PairTableau& pair, const OdeOptions& options);

  [[nodiscard]] StepResult step(forms::OdeForm& form, State& state, double h) override;
  [[nodiscard]] StepResult advance(forms::OdeForm& form, State& state, double h) override;
  bool dense() const override { return true; }
  double dense_error(forms::OdeForm& form) override;
  [[nodiscard]] StepResult between(forms::OdeForm& form, double t, State& state, Wanted wanted) override;
  void prepare(State& state) override;
  long rejected() const override { return rejected_; }
  int order() const override { return pair_.rule.order; }

 private:
  [[nodiscard]] Report stages_and_end(forms::OdeForm& form, const State& state, double h, bool guarded,
                                      double& error, StepResult& result);
  [[nodiscard]] Report find_step(forms::OdeForm& form, const State& state, double most, StepResult& result);
  struct Lengths {
    double longest, shortest, ratio;
  };
  [[nodiscard]] bool leap(forms::OdeForm& form, const State& state, const Lengths& lengths,
                          StepResult& result);
  void keep(forms::OdeForm& form, double h, double error, StepResult& result);
  double estimate(forms::OdeForm& form, double h);
  double moved(forms::OdeForm& form, double h);
  bool looks_stiff(forms::OdeForm& form, double h) const;
  void remember(forms::OdeForm& form, double h);
  [[nodiscard]] Report make_dense(forms::OdeForm& form, int& evaluations);
  double defect(forms::OdeForm& form, int& evaluations);

  const PairTableau& pair_;
  double tolerance_, trapezoidal_tolerance_;
  long rejected_ = 0;
  ExplicitStages stages_;
  StepController controller_;
  DenseStep dense_;
  bool dense_is_set_ = false;
  double dense_error_ = 0;
  // Where the last step began, what the form has made of its end, and what it was before a call of step().
  State before_, next_, start_;
  forms::Kept kept_ = forms::Kept::as_is;
  StepResult end_;        // what the form said of `next_`
  double t_ = 0, h_ = 0;  // s, of the last step
  bool leapt_ = false;    // it went over a singular position
  bool knows_rate_ = false;
  std::vector<double> y_, y_next_, y_kept_, rate_, error_,
      place_;  // rate_: at y_kept_, where the form knows it
};

}  // namespace trammel::integrators
