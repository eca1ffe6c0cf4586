// ReactionFreedom: which reactions belong to a motion of necessity, and which are one choice of many.
//
// The multipliers of M v̇ + Φ_vᵀλ = Q may change by any y with Φ_vᵀy = 0 without a change of v̇; forces in
// places that joints share may change in ways that λ does not know of (System::reaction_modes). A reaction is
// unique when none of these changes it.
#pragma once

#include "formulations/rows/row_independence.h"
#include "system/system.h"

namespace trammel::formulations {

struct ReactionFreedom {
  bool examined =
      true;  // false: rows close to dependent, and more of them than a dense factorization is worth
  std::vector<system::ReactionMode> modes;
};

// What is left of it while the efforts of these drivers stay as they are.
ReactionFreedom without_efforts(ReactionFreedom freedom, const std::vector<std::string>& drivers);

class ReactionExam {
 public:
  // most_rows: of a dense factorization. A run asks at every row it writes, a check once.
  static constexpr int kPerOutput = 300, kOnce = 1500;
  ReactionExam(const system::System& system, int most_rows)
      : system_(system), independence_(system), most_rows_(most_rows) {}

  ReactionFreedom at(const State& state, system::Terms& terms);

 private:
  const system::System& system_;
  RowIndependence independence_;
  int most_rows_;
};

}  // namespace trammel::formulations
