// Explicit Runge–Kutta rules of fixed step: Euler, the midpoint rule, Heun's, the classical one of order
// four.
#pragma once

#include "integrators/explicit_stages.h"
#include "integrators/ode_integrator.h"

namespace trammel::integrators {

class ExplicitRungeKutta final : public OdeIntegrator {
 public:
  explicit ExplicitRungeKutta(const Tableau& tableau) : tableau_(tableau), stages_(tableau) {}

  [[nodiscard]] StepResult step(forms::OdeForm& form, State& state, double h) override;
  void prepare(State& state) override;
  int order() const override { return tableau_.order; }

 private:
  const Tableau& tableau_;
  ExplicitStages stages_;
  State trial_;
  std::vector<double> y_, y_next_;
};

}  // namespace trammel::integrators
