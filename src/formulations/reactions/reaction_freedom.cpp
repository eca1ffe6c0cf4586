#include "formulations/reactions/reaction_freedom.h"

#include <algorithm>

#include "formulations/matrices/dense_terms.h"
#include "linalg/rank.h"

namespace trammel::formulations {
namespace {

// An estimate this many times above the tolerance leaves no doubt.
constexpr double kClear = 1000;
// Modes have inner forces of one: efforts below this are rounding.
constexpr double kNoEffort = 1e-9;

// Σ weight · mode
system::ReactionMode combined(const std::vector<system::ReactionMode>& modes, const Eigen::VectorXd& weight) {
  system::ReactionMode sum = modes.front();
  for (system::Wrench& wrench : sum.wrenches) wrench.force.setZero(), wrench.torque.setZero();
  for (system::Reading& effort : sum.efforts) effort.value = 0;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const double w = weight[static_cast<Eigen::Index>(k)];
    for (std::size_t i = 0; i < sum.wrenches.size(); ++i) {
      sum.wrenches[i].force += w * modes[k].wrenches[i].force;
      sum.wrenches[i].torque += w * modes[k].wrenches[i].torque;
    }
    for (std::size_t i = 0; i < sum.efforts.size(); ++i)
      sum.efforts[i].value += w * modes[k].efforts[i].value;
  }
  return sum;
}

}  // namespace

// Modes Σ y with E y = 0, where E are the efforts of the drivers in each mode.
ReactionFreedom without_efforts(ReactionFreedom freedom, const std::vector<std::string>& drivers) {
  if (freedom.modes.empty()) return freedom;
  const auto modes = static_cast<Eigen::Index>(freedom.modes.size());
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(modes, static_cast<Eigen::Index>(drivers.size()));
  for (Eigen::Index k = 0; k < modes; ++k)
    for (const system::Reading& effort : freedom.modes[static_cast<std::size_t>(k)].efforts)
      if (const auto at = std::ranges::find(drivers, effort.object); at != drivers.end())
        E(k, at - drivers.begin()) = effort.value;
  const Eigen::MatrixXd left = linalg::rank_of_rows(E, kNoEffort).left_null;
  std::vector<system::ReactionMode> kept;
  for (const auto& y : left.colwise()) kept.push_back(combined(freedom.modes, y));
  freedom.modes = std::move(kept);
  return freedom;
}

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
