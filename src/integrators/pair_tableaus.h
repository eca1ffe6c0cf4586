// Pairs of explicit Runge–Kutta rules: a step and an estimate of its error from the same stages.
//
// The last stage is f(t₊, y₊), the next step's first. e gives the error h Σ e_i k_i of the rule of lower
// order; where there is a second, coarser estimate ē, the error is |e|²/√(|e|² + 0.01 |ē|²). Further stages
// serve the dense output alone (dense_step.h).
#pragma once

#include <array>

#include "integrators/explicit_stages.h"

namespace trammel::integrators {

struct PairTableau {
  const char* name;
  Tableau rule;
  Tableau::Row e, e_coarse;  // e_coarse: zeros where there is none
  double damping;            // β of the step controller
  int further;               // stages, after those of the rule
  int dense_rows;            // of those that follow
  std::array<Tableau::Row, 4> dense;
};

extern const PairTableau kDopri5;  // order 5(4): Dormand & Prince (1980), RK5(4)7M
extern const PairTableau kDop853;  // order 8(5,3): Hairer, Nørsett & Wanner (1993), II.5 and II.6

}  // namespace trammel::integrators
