#include "simulation/open_rows.h"

#include <algorithm>
#include <cmath>

#include "forms/residual_form.h"
#include "formulations/projection/projection.h"
#include "formulations/rows/row_independence.h"
#include "simulation/state_reader.h"

namespace trammel::simulation {
namespace {

// Rows whose smallest singular value is above this are far from dependent, as in index 3.
constexpr double kIndependentRows = 0.01;
// Rows below this may be what keeps others from closing, where nothing else does.
constexpr double kCloseRows = 0.1;
// Masses that differ by more leave the solution of the equations of motion hardly any digits.
constexpr double kMassRatio = 1e9;

}  // namespace

double mass_ratio(const Mechanism& mechanism) {
  double least = INFINITY, most = 0;
  for (const Body& body : mechanism.bodies)
    if (body.mass > 0) least = std::min(least, body.mass), most = std::max(most, body.mass);
  return most / least;
}

std::string why_open(const Simulation& simulation, const State& state, const Violation& left) {
  if (forms::within(left, forms::kClosed)) return {};
  StateReader& reader = simulation.reader(state);
  const system::System& system = reader.system();
  system::Terms& terms = reader.scratch();
  system.evaluate(state, system::kAskPosition | system::kAskGamma, terms);
  double far = 0;
  for (const Pose& pose : system.poses(state))
    far = std::max(far, pose.position.norm() / system.length_scale());
  if (forms::within(left, formulations::closed_to(system, terms, state, far))) return {};
  return why_not_closed(simulation, state);
}

std::string why_not_closed(const Simulation& simulation, const State& state) {
  StateReader& reader = simulation.reader(state);
  const system::System& system = reader.system();
  system::Terms& terms = reader.scratch();
  system.evaluate(state, system::kAskPosition, terms);
  const double smallest = formulations::RowIndependence(system).smallest(terms);
  if (smallest < kIndependentRows) return "as next to a singular position";
  if (mass_ratio(simulation.mechanism()) > kMassRatio) return "as where masses differ by many orders";
  return smallest < kCloseRows ? "as close to a singular position"
                               : "as where rounding or a short step decides on them";
}

}  // namespace trammel::simulation
