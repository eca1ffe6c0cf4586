#include "simulation/yielding_gears.h"

#include <fmt/format.h>

#include <cmath>

#include "system/decisions.h"

namespace trammel::simulation {
namespace {

// Of a velocity that the constraints leave as it is: above what a projection leaves of them.
constexpr double kHeld = 1e-6;
// Of a row: what rounding leaves of a lever that is none, as where coordinates themselves hold the distance.
constexpr double kRounding = 1e-10;

// How the radial force acts on the coordinates: what its flank adds to the row of a pair. `along` is how the
// force along the pitch circle does.
struct Levers {
  std::vector<double> radial, along;
};
Levers levers_of(const system::Dynamics& system, State s, std::size_t pair) {
  system::Terms without = system.make_terms(), with = system.make_terms();
  s.remember(system::kFlanks, 0).assign(system.flank_rows().size(), 0);
  system.evaluate(s, system::kAskPosition, without);
  s.remember(system::kFlanks, 0)[pair] = 1;
  system.evaluate(s, system::kAskPosition, with);
  Levers levers{std::vector<double>(s.v.size(), 0), std::vector<double>(s.v.size(), 0)};
  const system::RowPattern& rows = system.jacobian();
  const auto row = static_cast<std::size_t>(system.flank_rows()[pair]);
  for (auto k = static_cast<std::size_t>(rows.start[row]); k < static_cast<std::size_t>(rows.start[row + 1]);
       ++k) {
    const auto column = static_cast<std::size_t>(rows.column[k]);
    levers.radial[column] += with.Phi_v[k] - without.Phi_v[k];
    levers.along[column] += without.Phi_v[k];
  }
  return levers;
}

}  // namespace

std::string yielding_gears(const system::Dynamics& system, formulations::Projector& projector,
                           const State& state) {
  for (std::size_t pair = 0; pair < system.flank_rows().size(); ++pair) {
    const auto [lever, along] = levers_of(system, state, pair);
    const std::vector<double>& scale = system.coordinate_scale();
    // A push along the lever: how much of it do the constraints let pass?
    State still = state, pushed = state;
    double whole = 0, of_row = 0, passed = 0, ignored = 0;
    for (std::size_t i = 0; i < lever.size(); ++i) {
      still.v[i] = 0;
      pushed.v[i] = lever[i] * scale[i] * scale[i];
      whole += lever[i] * pushed.v[i];
      of_row += along[i] * along[i] * scale[i] * scale[i];
    }
    if (whole <= kRounding * kRounding * of_row) continue;
    projector.forget();
    if (!projector.velocities(still, ignored).accepted() || !projector.velocities(pushed, ignored).accepted())
      continue;
    for (std::size_t i = 0; i < lever.size(); ++i) passed += lever[i] * (pushed.v[i] - still.v[i]);
    if (std::abs(passed) <= kHeld * whole) continue;
    const auto row = static_cast<std::size_t>(system.flank_rows()[pair]);
    return fmt::format(
        "the distance between the centres of the gears of '{}' can change, so that the motion depends on the "
        "flanks that press; give its `flank`, positive or negative: the sense of the torque that the teeth "
        "give the first gear",
        system.rows()[row].name);
  }
  return {};
}

}  // namespace trammel::simulation
