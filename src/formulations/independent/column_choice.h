// ColumnChoice: which velocities follow from the others, by Gauss elimination of Φ_v with total pivoting.
//
//   Φ_v v = Φ_d v_d + Φ_i v_i,   Φ_d square                 García de Jalón & Bayo (1994), (5.55), (5.68)
//
// A choice is kept, in the State's memory, until a better one is due; changes are counted. Rows are to be
// given with columns scaled by what counts as one on each velocity.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "trammel/state.h"

namespace trammel::formulations {

class ColumnChoice {
 public:
  const std::vector<Eigen::Index>& dependent() const { return dependent_; }      // ascending
  const std::vector<Eigen::Index>& independent() const { return independent_; }  // ascending

  // The choice that the state remembers, or else the best for these rows; false when the rows have lost rank.
  [[nodiscard]] bool take(const State& s, const Eigen::MatrixXd& rows);
  // The same, and a better one where it has degraded; the state remembers it.
  [[nodiscard]] bool renew(State& s, const Eigen::MatrixXd& rows);
  // The best for these rows, whatever a state remembers.
  [[nodiscard]] bool choose(const Eigen::MatrixXd& rows);
  bool is_degraded(const Eigen::MatrixXd& rows) const;

 private:
  bool recall(const State& s, Eigen::Index columns);

  std::vector<Eigen::Index> dependent_, independent_;
};

}  // namespace trammel::formulations
