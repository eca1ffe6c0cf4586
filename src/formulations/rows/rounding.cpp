#include "formulations/rows/rounding.h"

#include <cmath>
#include <limits>

#include "formulations/rows/rows.h"

namespace trammel::formulations {

double position_rounding(const system::Dynamics& system, const system::Terms& terms, const State& state,
                         double far) {
  constexpr double kRounds = 4 * std::numeric_limits<double>::epsilon();
  // The largest position, scaled to one.
  for (std::size_t i = 0; i < state.q.size(); ++i) far = larger(far, state.q[i] / system.position_scale()[i]);
  const system::RowPattern& rows = system.jacobian();
  double slope = 1;  // of a scaled row by scaled positions; 1: that of the increment
  for (std::size_t r = 0; r < static_cast<std::size_t>(system.sizes().holonomic); ++r) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(rows.start[r]); k < static_cast<std::size_t>(rows.start[r + 1]);
         ++k)
      sum += std::abs(terms.Phi_v[k]) * system.coordinate_scale()[static_cast<std::size_t>(rows.column[k])];
    slope = larger(slope, sum * (1 / system.rows()[r].scale));
  }
  return kRounds * far * slope;
}

}  // namespace trammel::formulations
