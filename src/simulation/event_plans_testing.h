// Plans of every kind that locate events: a formulation, an integrator, and a tolerance or steps of one size.
#pragma once

#include <vector>

#include "trammel/mechanism.h"

namespace trammel::tests {

struct Way {
  const char *formulation, *integrator;
  double tolerance = 0;
};

inline const std::vector<Way> kWays{{"augmented-lagrangian-index3", "trapezoidal"},
                                    {"augmented-lagrangian-index3", "generalized-alpha"},
                                    {"augmented-lagrangian-index3", "trapezoidal", 1e-7},
                                    {"lagrange", "rk4"},
                                    {"baumgarte", "rk2-heun"},
                                    {"null-space", "trapezoidal"},
                                    {"independent", "rk4"},
                                    {"independent", "dopri5", 1e-9},
                                    {"augmented-lagrangian", "rk4"},
                                    {"penalty", "rk4"},
                                    {"canonical-lagrange", "rk4"},
                                    {"canonical-independent", "trapezoidal"},
                                    {"canonical-augmented", "implicit-midpoint"},
                                    {"lagrange", "dopri5", 1e-9},
                                    {"lagrange", "radau9", 1e-9},
                                    {"independent", "radau5", 1e-9},
#ifdef TRAMMEL_SUNDIALS
                                    {"lagrange", "cvode-bdf", 1e-9},
                                    {"canonical-augmented", "cvode-adams", 1e-9},
                                    {"dae", "trapezoidal", 1e-9},
#endif
                                    {"algebraic", "trapezoidal"}};

inline Plan plan_of(const Mechanism& mechanism, const Way& way) {
  Plan plan = mechanism.plan;
  plan.formulation = way.formulation;
  plan.integrator = way.integrator;
  plan.tolerance = way.tolerance;
  return plan;
}

}  // namespace trammel::tests
