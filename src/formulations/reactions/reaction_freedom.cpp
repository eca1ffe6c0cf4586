#include "formulations/reactions/reaction_freedom.h"

#include "formulations/matrices/dense_terms.h"
#include "linalg/rank.h"

namespace trammel::formulations {
namespace {

// An estimate this many times above the tolerance leaves no doubt.
constexpr double kClear = 1000;

}  // namespace

ReactionFreedom ReactionExam::at(const State& state, system::Terms& terms) {
  ReactionFreedom result;
  std::vector<std::vector<double>> multipliers;
  if (system_.sizes().rows > 0) {
    system_.evaluate(state, system::kAskPosition, terms);
    const double tolerance = rank_tolerance(system_, terms);
    if (independence_.smallest(terms) < kClear * tolerance) {
      result.examined = system_.sizes().rows <= most_rows_;
      if (!result.examined) return result;
      const linalg::RankResult rank = linalg::rank_of_rows(scaled_rows(system_, terms), tolerance);
      for (const auto& y : rank.left_null.colwise()) multipliers.emplace_back(y.begin(), y.end());
    }
  }
  result.modes = system_.reaction_modes(state, terms, multipliers);
  return result;
}

}  // namespace trammel::formulations
