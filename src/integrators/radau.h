// Radau IIA with error control and dense output: three stages ("radau5") and five ("radau9"), for stiff
// motions.
//
// The stages are solved by Newton's method, with ∂f/∂y by differences, from where the polynomial of the last
// step leads to. Its iteration ends where what is left, by its rate of contraction θ, is a small part of the
// tolerance. ∂f/∂y is kept from step to step while θ is small, its factors while the step stays the same. The
// error estimate must satisfy |e_i| ≤ tolerance · max(|y_i|, scale_i).
//
// The motion within the step, at t + τh, is the polynomial p of the stages. Its error e follows ė = J e + d
// from the defect d = f(t, p) − ṗ, which vanishes at the stages. (γ/h − J) e = d tells it:
//
//   where J is large, e = K τ Π (τ − c_i), exactly; the largest are at the `humps` of the tableau;
//   where J is small, e = h d/γ with d = K Π (τ − c_i), which is 0.9 to 1.4 times the largest ∫ d there.
//
// The step's own estimate is the same at τ = 0, where a stiff motion has no defect. It does not see this
// error, and no step becomes shorter for it: rows are computed otherwise where dense_error() is too large.
//
// The slot control_of(rule): the step proposed, the last error, θ. Of the last step where the state is its
// end: its size and stages, and ∂f/∂y.
#pragma once

#include <Eigen/Core>

#include "integrators/ode_integrator.h"
#include "integrators/stage_systems.h"
#include "integrators/step_controller.h"

namespace trammel::integrators {

// The slot of a rule's step size control.
inline MemorySlot control_of(const RadauTableau& tableau) { return {tableau.name, Lifetime::step}; }

class Radau final : public OdeIntegrator {
 public:
  Radau(const RadauTableau& tableau, const OdeOptions& options);

  [[nodiscard]] StepResult step(forms::OdeForm& form, State& state, double h) override;
  [[nodiscard]] StepResult advance(forms::OdeForm& form, State& state, double h) override;
  bool dense() const override { return true; }
  double dense_error(forms::OdeForm& form) override;
  [[nodiscard]] StepResult between(forms::OdeForm& form, double t, State& state, Wanted wanted) override;
  void prepare(State& state) override;
  long rejected() const override { return rejected_; }
  int order() const override { return tableau_.order; }

 private:
  void load(forms::OdeForm& form, const State& state);
  std::size_t remembered(const State& state) const;
  void recall(const State& state);
  void remember();
  [[nodiscard]] Report rate(forms::OdeForm& form, double t, std::span<const double> y, std::span<double> f,
                            StepResult& result);
  void go_on(double seconds);
  [[nodiscard]] Report differentiate(forms::OdeForm& form, double t, double h, StepResult& result);
  [[nodiscard]] Report prepare_newton(forms::OdeForm& form, double t, double h, StepResult& result);
  void predict(double h);
  [[nodiscard]] Report stages(forms::OdeForm& form, double t, double h, StepResult& result);
  double correct(forms::OdeForm& form, double h);
  [[nodiscard]] Report newton(forms::OdeForm& form, double t, double h, StepResult& result);
  [[nodiscard]] Report accompany(forms::OdeForm& form, double t, double h, StepResult& result);
  double estimate(forms::OdeForm& form, double t, double h, StepResult& result);
  double moved(forms::OdeForm& form);
  [[nodiscard]] Report attempt(forms::OdeForm& form, const State& state, double h, double& error,
                               StepResult& result);
  [[nodiscard]] Report find_step(forms::OdeForm& form, const State& state, double most, StepResult& result);
  void keep(double h, double error);
  double defect(forms::OdeForm& form, double theta);

  const RadauTableau& tableau_;
  double tolerance_;
  long rejected_ = 0;
  StageSystems systems_;
  StepController controller_;
  // Where the last step began, what the form has made of its end, and what it was before a call of step().
  State before_, next_, start_;
  forms::Kept kept_ = forms::Kept::as_is;
  StepResult end_;  // what the form said of `next_`
  bool knows_rate_ = false;
  double h_ = 0;            // s, of the last step
  double last_h_ = 0;       // s, of the one before, whose stages are last_z_; 0: none is known
  double factored_ = 0;     // s, the step of the factors; 0: there are none
  double theta_ = 0;        // by which an iteration contracts
  int iterations_ = 0;      // of the last attempt
  Eigen::Index felt_ = -1;  // entries of y on which f depends
  bool fresh_ = false;      // J_ is of this step
  double dense_error_ = 0;  // of the last step; negative: not asked for
  std::vector<double> packed_;
  Eigen::VectorXd y_, f_;                   // where the step begins, and its rate
  Eigen::VectorXd y_kept_, rate_kept_;      // of `next_`; the rate where the form knows it
  Eigen::VectorXd at_, shifted_, e_;        // room to work
  Eigen::VectorXd error_;                   // of a step
  Eigen::MatrixXd z_, last_z_, rates_, g_;  // a column per stage
  Eigen::MatrixXd J_, felt_e_;              // of what is felt: ∂f/∂y; its error, in one column
  RadauTableau::Column weights_;
};

}  // namespace trammel::integrators
