#include "formulations/reaction_freedom.h"

#include <algorithm>

#include "formulations/dense_terms.h"
#include "formulations/rows.h"
#include "linalg/rank.h"

namespace trammel {
namespace {

// Positions that are wrong by ε turn the rows by a few ε: what is dependent then differs by as much.
constexpr double kTurned = 10;
// An estimate this many times above the tolerance leaves no doubt.
constexpr double kClear = 1000;

double tolerance_at(const System& system, const Terms& terms) {
  Worst worst;
  for (std::size_t r = 0; r < static_cast<std::size_t>(system.sizes().holonomic); ++r)
    worst.see(terms.Phi[r], system.rows()[r].scale, r);
  return std::max(kRankTolerance, kTurned * worst.size);
}

}  // namespace

ReactionFreedom ReactionExam::at(const State& state, Terms& terms) {
  ReactionFreedom result;
  std::vector<std::vector<double>> multipliers;
  if (system_.sizes().rows > 0) {
    system_.evaluate(state, kAskPosition, terms);
    const double tolerance = tolerance_at(system_, terms);
    if (independence_.smallest(terms) < kClear * tolerance) {
      result.examined = system_.sizes().rows <= most_rows_;
      if (!result.examined) return result;
      const RankResult rank = rank_of_rows(scaled_rows(system_, terms), tolerance);
      for (const auto& y : rank.left_null.colwise()) multipliers.emplace_back(y.begin(), y.end());
    }
  }
  result.modes = system_.reaction_modes(state, terms, multipliers);
  return result;
}

}  // namespace trammel
