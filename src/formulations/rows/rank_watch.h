// RankWatch: tells when the constraints lose rank: it ends methods that cannot go on, and marks a changed
// branch.
//
// The measure is the last of as many pivots of a column-pivoted QR of Φ_vᵀ, rows scaled to length one, as
// there are independent constraints: zero at a singular position; or, where it tells as much, the least
// distance of a row from the span of those before it, which costs a tenth. Too small, the run must end. Where
// it passes a small minimum, the velocity is compared with its extrapolation over the passage: a method that
// leaves on another branch kinks there. The comparison may miss a change of branch that keeps the velocity
// smooth.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "linalg/rank.h"
#include "system/dynamics.h"
#include "trammel/report.h"

namespace trammel::formulations {

class RankWatch {
 public:
  // stops: a loss of rank ends the run, and dependent constraints forbid it.
  RankWatch(const system::Dynamics& system, bool stops);

  // Before a run: why dependent constraints forbid it; empty when there are none.
  std::string refusal(const std::string& method, const system::Terms& terms) const;
  // Next to a singular position, where a method that a loss of rank stops has its reason to give up. `rank`
  // is the number of independent constraints away from it.
  bool close_to_singular(const system::Terms& terms, int rank);
  // The same of the last two steps that were seen.
  bool was_close_to_singular(const State& s) const;
  // After a step: ok, singular, or marked when the motion kinks at a passage.
  Report see(State& s, const system::Terms& terms, int rank);

 private:
  bool watches() const { return pivots_.has_value(); }
  std::span<const double> pivots(const system::Terms& terms);
  double last_pivot(const system::Terms& terms, int rank);

  const system::Dynamics& system_;
  bool stops_;
  std::optional<linalg::RankPivots> pivots_;  // none where there are no rows, or too many
};

}  // namespace trammel::formulations
