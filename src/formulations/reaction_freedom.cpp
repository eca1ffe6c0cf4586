#include "formulations/reaction_freedom.h"

#include <algorithm>

#include "formulations/dense_terms.h"
#include "formulations/rows.h"
#include "linalg/rank.h"

namespace trammel {
namespace {

// Positions that are wrong by ε turn the rows by a few ε: what is dependent then differs by as much.
constexpr double kTurned = 10;

double tolerance_at(const System& system, const Terms& terms) {
  Worst worst;
  for (std::size_t r = 0; r < static_cast<std::size_t>(system.sizes().holonomic); ++r)
    worst.see(terms.Phi[r], system.rows()[r].scale, r);
  return std::max(kRankTolerance, kTurned * worst.size);
}

}  // namespace

ReactionFreedom reaction_freedom(const System& system, const State& state, Terms& terms, int most_rows) {
  ReactionFreedom result;
  result.examined = system.sizes().rows <= most_rows;
  if (!result.examined) return result;
  std::vector<std::vector<double>> multipliers;
  if (system.sizes().rows > 0) {
    system.evaluate(state, kAskPosition, terms);
    const RankResult rank = rank_of_rows(scaled_rows(system, terms), tolerance_at(system, terms));
    for (const auto& y : rank.left_null.colwise()) multipliers.emplace_back(y.begin(), y.end());
  }
  result.modes = system.reaction_modes(state, terms, multipliers);
  return result;
}

}  // namespace trammel
