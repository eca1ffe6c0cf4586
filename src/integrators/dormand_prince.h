// Dormand and Prince's rule of order 5(4) with error control and dense output ("dopri5").
//
// The error estimate e = h Σ (b_i − b̂_i) k_i must satisfy |e_i| ≤ tolerance · max(|y_i|, scale_i) in every
// entry. The last stage of an internal step is the first of the next, unless the form has changed the state
// in between; it does not cross a call of step(), as inputs may change there. Memory "dopri5": the step
// proposed, the last error.
#pragma once

#include "integrators/dense_step.h"
#include "integrators/explicit_stages.h"
#include "integrators/ode_integrator.h"
#include "integrators/step_controller.h"

namespace trammel {

class DormandPrince final : public OdeIntegrator {
 public:
  explicit DormandPrince(const OdeOptions& options);

  [[nodiscard]] StepResult step(OdeForm& form, State& state, double h) override;
  void prepare(State& state) override;
  long rejected() const override { return rejected_; }
  int order() const override { return 5; }

  // The last internal step of a call that succeeded.
  const DenseStep& last_step() const { return dense_; }

 private:
  void load(OdeForm& form);
  [[nodiscard]] bool first_stage(OdeForm& form, StepResult& result);
  double first_proposal(OdeForm& form, StepResult& result);
  [[nodiscard]] Report attempt(OdeForm& form, double h, double& error, int& evaluations);
  [[nodiscard]] bool advance(OdeForm& form, double t_next, double h, bool last_step, StepResult& result);
  [[nodiscard]] bool run(OdeForm& form, double t_end, StepResult& result);

  double tolerance_;
  long rejected_ = 0;
  ExplicitStages stages_;
  StepController controller_;
  DenseStep dense_;
  State trial_;
  std::vector<double> y_, y_next_, error_;
};

}  // namespace trammel
