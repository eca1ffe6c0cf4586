// Semi-implicit (symplectic) Euler, of order one: velocities first, then positions with the new velocities.
//
//   v₊ = v + h v̇(t, q, v),   q₊ = q + h q̇(t + h, q, v₊)
//
// v stands for all that follows the positions in y. The form alone knows q̇: what it is asked for with v₊ is f
// of positions only.
#pragma once

#include "integrators/ode_integrator.h"

namespace trammel::integrators {

class SemiImplicitEuler final : public OdeIntegrator {
 public:
  [[nodiscard]] StepResult step(forms::OdeForm& form, State& state, double h) override;
  void prepare(State& state) override;
  int order() const override { return 1; }

 private:
  State trial_;
  std::vector<double> y_, rate_;
};

}  // namespace trammel::integrators
