#include "analysis/why_stopped.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/held_freedoms.h"
#include "analysis/near_singular.h"
#include "analysis/nearby_positions.h"
#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"
#include "simulation/over_driven.h"

namespace trammel::analysis {
namespace {

// A motion is followed to this part of a row's interval: a break lies within it.
constexpr double kLooksAhead = 0x1p-19;
// A driver jumps that moves by so many times what its speed on both sides tells, beyond rounding.
constexpr double kJumps = 100, kNoJump = 1e-9;
// Speeds contradict each other that differ by this part of the fastest.
constexpr double kContradicts = 1e-6;

bool is_driver(const system::RowOwner& row) { return row.kind == system::RowOwner::Kind::driver; }

// A driver that has no value ahead, or another one; empty: none.
std::string jumping(const system::System& system, const State& s, double ahead, const std::string& place) {
  system::Terms here = system.make_terms(), there = system.make_terms();
  State next = s;
  next.t += ahead;
  system.evaluate(s, system::kAskPosition, here);
  system.evaluate(next, system::kAskPosition, there);
  for (std::size_t r = 0; r < system.rows().size(); ++r) {
    const system::RowOwner& row = system.rows()[r];
    if (!is_driver(row)) continue;
    if (!std::isfinite(there.Phi[r]) || !std::isfinite(there.Phi_t[r]))
      return fmt::format(
          "driver '{}' has no finite value or speed beyond {}; write another expression, or end before",
          row.name, place);
    const double usual = std::abs(ahead) * (std::abs(here.Phi_t[r]) + std::abs(there.Phi_t[r]));
    if (std::abs(there.Phi[r] - here.Phi[r]) > kJumps * usual + kNoJump * row.scale)
      return fmt::format(
          "driver '{}' jumps at {}, and no motion follows a jump; write an expression that changes without "
          "jumps, such as step(t, 1, 0, 1.1, 2)",
          row.name, place);
  }
  return {};
}

// Drivers whose speeds no velocity has together.
std::vector<std::string> contradicting(const system::System& system, State s, double ahead) {
  s.t += ahead;
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition, terms);
  const Eigen::MatrixXd rows = rows_by_scale(system, terms);
  Eigen::VectorXd asked(rows.rows());
  for (Eigen::Index r = 0; r < rows.rows(); ++r)
    asked[r] = -terms.Phi_t[static_cast<std::size_t>(r)] / system.rows()[static_cast<std::size_t>(r)].scale;
  const Eigen::VectorXd left =
      asked - rows * linalg::least_squares(rows, asked, formulations::kRankTolerance);
  std::vector<std::string> names;
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    const system::RowOwner& row = system.rows()[static_cast<std::size_t>(r)];
    if (is_driver(row) && std::abs(left[r]) > kContradicts * asked.cwiseAbs().maxCoeff() &&
        std::ranges::find(names, row.name) == names.end())
      names.push_back(row.name);
  }
  return names;
}

// Whether the joints allow fewer motions beside the start, and drivers then prescribe more than there are.
bool starts_singular(const Simulation& simulation) {
  const JointEquations equations(simulation);
  const NearbyPositions nearby = nearby_positions(equations);
  if (nearby.states.empty() || nearby.stands_alone()) return false;
  Eigen::Index beside = allowed_velocities(equations.undriven(), equations.start()).cols();
  const Eigen::Index here = beside;
  for (const State& s : nearby.states)
    beside = std::min(beside, allowed_velocities(equations.undriven(), s).cols());
  return beside < here && std::ranges::count_if(simulation.system().rows(), is_driver) > beside;
}

std::string in_quotes(const std::vector<std::string>& names) {
  return fmt::format("'{}'", fmt::join(names, "', '"));
}

}  // namespace

std::string why_stopped(const Simulation& simulation, const Stop& stop) {
  const system::System& system = simulation.system();
  const double look = kLooksAhead * stop.interval;
  if (std::string jump = jumping(system, stop.at, look, stop.place); !jump.empty()) return jump;
  const bool before_second_row = std::abs(stop.at.t - simulation.state().t) <= std::abs(stop.interval);
  if (!stop.held.empty() && before_second_row && starts_singular(simulation))
    return fmt::format(
        "the motion starts in a singular position, which the mechanism can leave in several ways: the "
        "drivers do not tell which, and {} cannot be held; place the bodies beside it, on the way that you "
        "want, and start there",
        in_quotes(stop.held));
  if (before_second_row && smallest_singular_value(system, simulation.state()) < kSingularStart &&
      contradicting(system, simulation.state(), 0).empty())
    return fmt::format(
        "the motion starts in a singular position in which motions cross, and neither the drivers nor the "
        "places in the model tell on which it leaves; place the bodies beside it, on the motion that you "
        "want");
  std::vector<std::string> names = contradicting(system, stop.at, look);
  if (names.size() > 1) {
    const std::string many = simulation::over_driven(simulation);
    return fmt::format("the drivers {} contradict each other beyond {}{}", in_quotes(names), stop.place,
                       many.empty() ? "; change or remove one of them" : ": " + many);
  }
  names.clear();
  for (const Driver& driver : simulation.mechanism().drivers)
    if (std::ranges::find(stop.held, driver.name) == stop.held.end()) names.push_back(driver.name);
  return fmt::format(
      "the joints cannot follow {} beyond {}: a dead position; change the drivers or the lengths",
      names.empty() ? std::string("the constraints of time") : in_quotes(names), stop.place);
}

}  // namespace trammel::analysis
