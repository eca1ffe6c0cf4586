// compare(): the same motion by several formulations, side by side.
//
// Each runs with the mechanism's own step and output times. The reference is the default formulation with an
// eighth of the step; differences are of the positions of bodies and points (generalized coordinates: of the
// coordinates). With constraints of velocities index 3 runs twice: as it is, and as its paper has it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/run.h"

namespace trammel {

struct Comparison {
  std::string coordinates, formulation, integrator;
  std::string status;         // ok, marked, failed or refused
  std::string reason;         // why it is not ok, and what to use instead
  double max_difference = 0;  // m, from the reference, as far as the run went
  Violation violation;
  double energy_drift = 0;  // J
  long steps = 0, iterations = 0;
  double wall_seconds = 0;
};

// All formulations when the list is empty. `next` is told which one begins.
std::vector<Comparison> compare(const Mechanism& mechanism, const Plan& plan,
                                std::vector<std::string> formulations,
                                const std::function<void(const std::string&)>& next = {});

}  // namespace trammel
