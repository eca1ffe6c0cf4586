// compare(): the same motion by several formulations, side by side.
//
// Each runs with the mechanism's own step and output times. The reference is the default formulation with an
// eighth of the step; differences are of coordinates, as SampledMotion counts them.
// With constraints of velocities index 3 runs twice: as it is, and as its paper has it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/run.h"

namespace trammel {

struct Comparison {
  Plan plan;  // by which it ran
  std::string coordinates, formulation, integrator;
  std::string status;         // ok, marked, failed or refused
  std::string reason;         // why it is not ok, and what to use instead
  double max_difference = 0;  // m, from the reference, as far as the run went
  Violation violation;
  double energy_drift = 0;  // J
  long steps = 0, iterations = 0;
  double wall_seconds = 0;
};

// What to compare. No formulations: all. No integrators: the plan's own, where it fits the formulation.
struct Compared {
  std::vector<std::string> formulations, integrators;
};

// Told what begins.
using Announce = std::function<void(const std::string&)>;

// One row for each formulation and integrator that fits it; a formulation that none of them fits takes the
// one a person would.
std::vector<Comparison> compare(const Mechanism& mechanism, const Plan& plan, const Compared& what,
                                const Announce& next = {});

}  // namespace trammel
