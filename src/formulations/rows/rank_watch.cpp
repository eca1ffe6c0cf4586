#include "formulations/rows/rank_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "formulations/matrices/dense_terms.h"

namespace trammel::formulations {
namespace {

constexpr double kSingular = 1e-7;  // accelerations have lost half of their digits
constexpr double kPassage = 0.1;    // a minimum below this is a passage next to a singular position
constexpr double kFar = 0.3;        // well above it
constexpr double kRounding = 1e-4;  // dependent rows may seem so far from each other: 1e-5 on Bricard
constexpr double kKink = 10;        // times the second difference before it
constexpr int kDenseRows = 300;     // above, a QR per step would cost more than the step

constexpr MemorySlot kMemory{
    "rank watch",
    Lifetime::step};  // count, pivots of the last two steps, times and velocities of the last three
constexpr std::size_t kTimes = 3, kVelocities = 6;  // where they begin

}  // namespace

RankWatch::RankWatch(const system::Dynamics& system, bool stops) : system_(system), stops_(stops) {
  const int rows = system.sizes().rows;
  if (rows > 0 && rows <= kDenseRows) pivots_.emplace(rows, system.sizes().v);
}

std::string RankWatch::refusal(const std::string& method, const system::Terms& terms) const {
  if (!stops_ || !watches()) return {};
  const linalg::RankResult rank = linalg::rank_of_rows(scaled_rows(system_, terms), kRankTolerance);
  if (rank.rank == system_.sizes().rows) return {};
  std::vector<std::string> joints;
  for (const auto& set : linalg::dependent_rows(rank))
    for (int r : set)
      for (const std::string& joint : system_.rows()[static_cast<std::size_t>(r)].joints)
        if (std::find(joints.begin(), joints.end(), joint) == joints.end()) joints.push_back(joint);
  return fmt::format(
      "{} needs independent constraints, and {} of them depend on others at the start (joints {}); use "
      "augmented-lagrangian-index3, augmented-lagrangian or penalty, or give one of these joints more "
      "freedom",
      method, system_.sizes().rows - rank.rank, fmt::join(joints, ", "));
}

std::span<const double> RankWatch::pivots(const system::Terms& terms) {
  fill_scaled_rows(system_, terms, pivots_->matrix());
  return pivots_->of();
}

bool RankWatch::close_to_singular(const system::Terms& terms, int rank) {
  if (!stops_ || rank == 0 || !watches()) return false;
  const std::span<const double> all = pivots(terms);
  return static_cast<int>(all.size()) < rank || all[static_cast<std::size_t>(rank) - 1] < kPassage;
}

bool RankWatch::was_close_to_singular(const State& state) const {
  const std::vector<double>* memory = state.recall(kMemory);
  if (!stops_ || memory == nullptr) return false;
  return ((*memory)[0] >= 1 && (*memory)[2] < kPassage) || ((*memory)[0] >= 2 && (*memory)[1] < kPassage);
}

// The last pivot. Where nothing depends on its digits, or the constraints are far from losing rank, the least
// distance between rows tells enough.
double RankWatch::last_pivot(const system::Terms& terms, int rank) {
  if (rank == 0) return 1;
  fill_scaled_rows(system_, terms, pivots_->matrix());
  if (!stops_ || rank == system_.sizes().rows) {
    const double distance = pivots_->least_distance();
    if (!stops_ || distance > kFar) return distance;
  }
  const std::span<const double> all = pivots_->of();
  return rank <= static_cast<int>(all.size()) ? all[static_cast<std::size_t>(rank) - 1] : 0;
}

Report RankWatch::see(State& state, const system::Terms& terms, int rank) {
  Report report;
  const auto n = state.v.size(), r = static_cast<std::size_t>(rank);
  if (!watches()) return report;
  const double pivot = last_pivot(terms, rank);
  if (stops_ && pivot < kSingular) {
    report.outcome = Outcome::singular;
    report.message =
        "the constraints lose rank here: a singular position, where this formulation cannot go on; use "
        "augmented-lagrangian-index3";
    return report;
  }
  const std::span<const double> all = rank < system_.sizes().rows ? pivots(terms) : std::span<const double>{};
  if (r < all.size() && all[r] > rank_tolerance(system_, terms) * all[0]) {
    report.outcome = Outcome::singular;
    report.message =
        "the motion left a singular position, where constraints depend on each other that do not elsewhere: "
        "this formulation cannot go on; use augmented-lagrangian-index3, or start elsewhere";
    return report;
  }
  // The state is a value: what the watch remembers is in it.
  std::vector<double>& memory = state.remember(kMemory, kVelocities + 3 * n);
  double *const times = memory.data() + kTimes, *const old = memory.data() + kVelocities;
  const auto norm = [&](auto&& combine) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::pow(combine(i) / system_.coordinate_scale()[i], 2);
    return std::sqrt(sum);
  };
  // Where constraints are dependent in every position the pivot is rounding, and its minima mean nothing.
  const bool passed =
      memory[2] < kPassage && memory[1] > kRounding && memory[2] < memory[1] && memory[2] <= pivot;
  if (memory[0] >= 3 && passed) {
    // Second differences over steps of any sizes, both as over two steps of the last one's.
    const double h = state.t - times[0];
    const auto second = [h](double a, double b, double c, double t_a, double t_b, double t_c) {
      return 2 * h * h * ((a - b) / (t_a - t_b) - (b - c) / (t_b - t_c)) / (t_a - t_c);
    };
    const double now = norm(
        [&](std::size_t i) { return second(state.v[i], old[i], old[n + i], state.t, times[0], times[1]); });
    const double before = norm([&](std::size_t i) {
      return second(old[i], old[n + i], old[2 * n + i], times[0], times[1], times[2]);
    });
    const double speed = norm([&](std::size_t i) { return state.v[i]; });
    if (now > kKink * before + 1e-6 * speed) {
      report.outcome = Outcome::marked;
      report.message = "the motion kinks where it passes a singular position: it may have changed its branch";
    }
  }
  std::copy_backward(times, times + 2, times + 3);
  times[0] = state.t;
  std::copy_backward(old, old + 2 * n, old + 3 * n);
  std::copy(state.v.begin(), state.v.end(), old);
  memory[0] = std::min(memory[0] + 1, 3.0);
  memory[1] = memory[2];
  memory[2] = pivot;
  return report;
}

}  // namespace trammel::formulations
