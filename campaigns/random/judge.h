// The judge: runs a random mechanism by one plan and compares everything that the run writes with the oracle.
//
// A run is held to its own promise: `ok` means that every column is known to `accuracy` of its range, and in
// any status the largest true error of a unit's columns is not far above the largest error estimated.
#pragma once

#include "reference_table.h"
#include "trammel/mechanism.h"

namespace trammel::campaigns::random {

struct PlanChoice {
  std::string coordinates = kAutomatic, formulation = kAutomatic, integrator = kAutomatic;
  double tolerance = 0;
  int steps = 0;  // of equal size; both 0: the model's own plan
  bool is_default() const { return tolerance == 0 && steps == 0; }
  std::string text() const;
};

struct Disagreement {
  // refused, assembly, mobility, wrong, estimate, alarm, limited, failed, unique, not-unique
  std::string kind;
  std::string detail;
};

struct Verdict {
  std::string status;  // of the run
  double seconds = 0;
  double worst = 0;  // largest true error over the range of its column
  std::vector<Disagreement> disagreements;
};

// The Trammel model of a specification; throws std::invalid_argument where it is refused.
Mechanism mechanism_of(const Specification& spec);
Verdict judge(const Specification& spec, const Mechanism& mechanism, const ReferenceTable& reference,
              const PlanChoice& choice);
// Drawn from all coordinates, formulations and integrators that accept the mechanism.
PlanChoice draw_plan(const Mechanism& mechanism, std::uint64_t seed);

}  // namespace trammel::campaigns::random
