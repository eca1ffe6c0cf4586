// compare(): the same motion by several formulations, side by side.
//
// Each runs with the mechanism's own step or tolerance. Where the plan leaves the method to a tolerance, the
// method that it then chooses runs too, as the first. Differences are of coordinates, as SampledMotion
// counts them, from a reference that is far more exact than any of them (analysis/reference.h). With
// constraints of velocities index 3 runs twice: as it is, and as its paper has it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/reference.h"
#include "trammel/run.h"

namespace trammel::analysis {

struct Comparison {
  Plan plan;  // by which it ran
  std::string coordinates, formulation, integrator;
  std::string status;                    // ok, limited, marked, doubtful, lost, failed or refused
  std::string reason;                    // why it is not ok, and what to use instead
  std::optional<double> max_difference;  // m, from the reference where there is one, as far as the run went
  Violation violation;
  double energy_drift = 0;  // J
  long steps = 0, iterations = 0;
  double wall_seconds = 0;
};

// What to compare. No formulations: all. No integrators: the plan's own, where it fits the formulation.
struct Compared {
  std::vector<std::string> formulations, integrators;
};

struct Comparisons {
  Reference reference;
  double interval = 0;  // s, between the times at which motions are compared
  std::vector<Comparison> rows;
};

// One row for each formulation and integrator that fits it. A formulation that none of those asked for fits
// is refused; where none is asked for and the plan's own does not fit, one that a person would take runs, and
// the row says so. `ask` is called within the runs too.
Comparisons compare(const Mechanism& mechanism, const Plan& plan, const Compared& what,
                    const Announce& next = {}, const Ask& ask = {});

}  // namespace trammel::analysis
