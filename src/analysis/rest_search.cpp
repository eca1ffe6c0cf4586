// Equilibria at rest are sought in natural coordinates, whatever the simulation's own are: Newton's method
// then takes the same way, and random starts are the same.
#include <algorithm>
#include <cmath>

#include "analysis/asking.h"
#include "analysis/assembly_branches.h"
#include "analysis/crossing_stiffness.h"
#include "analysis/equilibrium.h"
#include "formulations/projection/assembly.h"

namespace trammel::analysis {
namespace {

Equilibrium rest_from(const Simulation& simulation, const State& start, Seek seek) {
  return find_equilibrium(simulation.shared_system(), start, Regime::statics, seek);
}

// Positions that differ by a motion without stiffness, as a shaft that is turned.
bool one_family(const Equilibrium& a, const Equilibrium& b) {
  constexpr double kAlike = 1e-6;
  if (a.kind != b.kind || a.zeros == 0 || a.zeros != b.zeros || a.stiffness.size() != b.stiffness.size())
    return false;
  double size = 0, difference = 0;
  for (std::size_t k = 0; k < a.stiffness.size(); ++k) {
    size = std::max(size, std::abs(a.stiffness[k]));
    difference = std::max(difference, std::abs(a.stiffness[k] - b.stiffness[k]));
  }
  return difference <= kAlike * size &&
         std::abs(a.potential - b.potential) <= kAlike * std::max(std::abs(a.potential), 1e-300);
}

// The simulation in natural coordinates.
class NaturalTwin {
 public:
  explicit NaturalTwin(const Simulation& own) : own_(own) {
    if (own.mechanism().generalized || own.resolved().coordinates == CoordinatesKind::natural) return;
    Plan plan;
    plan.coordinates = name_of(CoordinatesKind::natural);
    twin_.emplace(own.mechanism(), plan);
    if (!twin_->take_over(own).assembly.report.accepted()) twin_.reset();
  }
  // Where to seek.
  const Simulation& simulation() const { return twin_ ? *twin_ : own_; }

  // What was found there, in the simulation's own coordinates.
  Equilibrium in_own(Equilibrium found) {
    if (!twin_ || !found.report.accepted()) return found;
    twin_->restore(found.state);
    Simulation taken_over(own_.mechanism(), own_.plan());
    const bool takes_over = taken_over.take_over(*twin_).assembly.report.accepted();
    const Simulation& own = takes_over ? taken_over : own_;
    State s = own.state();
    // A contact that is lost, or a driver that moves, may prevent it: then the bodies alone are placed.
    if (!takes_over) {
      own.system().place(own.mechanism().bodies, twin_->system().poses(found.state), s);
      s.x = found.state.x;
      found.report = formulations::assemble_positions(own.system(), s).report;
      if (!found.report.accepted()) return found;
    }
    // Where motions cross, Newton's method is lost in other coordinates; the position is known already.
    if (!found.singular) return rest_from(own, s, Seek::nearest);
    move_to_crossing(own.system(), s);
    found.state = s;
    std::fill(found.state.v.begin(), found.state.v.end(), 0.0);
    find_reactions(own.system(), Regime::statics, found);
    return found;
  }

 private:
  const Simulation& own_;
  std::optional<Simulation> twin_;
};

}  // namespace

Equilibrium find_rest(const Simulation& simulation, Seek seek) {
  NaturalTwin twin(simulation);
  return twin.in_own(rest_from(twin.simulation(), twin.simulation().state(), seek));
}

Rests find_rests(const Simulation& simulation, int starts, std::uint64_t seed, const GoOn& go_on) {
  NaturalTwin twin(simulation);
  const Simulation& there = twin.simulation();
  Rests out;
  std::vector<Equilibrium>& found = out.found;
  std::vector<std::vector<Pose>> places;
  const auto keep = [&](Equilibrium one) {
    if (!one.report.accepted()) return false;
    std::vector<Pose> poses = there.system().poses(one.state);
    for (const std::vector<Pose>& other : places)
      if (same_positions(simulation.mechanism(), poses, other, there.system().length_scale())) return true;
    if (std::ranges::any_of(found, [&](const Equilibrium& other) { return one_family(one, other); }))
      return true;
    places.push_back(std::move(poses));
    found.push_back(std::move(one));
    return true;
  };
  keep(rest_from(there, there.state(), Seek::nearest));
  RandomStarts random(there, seed);
  State s;
  Asking asking(go_on);
  for (int k = 0; k < starts; ++k) {
    out.interrupted = !asking.goes_on();
    if (out.interrupted) return out;
    if (!random.next(s)) continue;
    const bool near = keep(rest_from(there, s, Seek::nearest));
    const bool downhill = keep(rest_from(there, s, Seek::stable));
    if (near || downhill) ++out.converged;
  }
  for (Equilibrium& one : found) one = twin.in_own(std::move(one));
  std::erase_if(found, [](const Equilibrium& one) { return !one.report.accepted(); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Equilibrium& a, const Equilibrium& b) { return a.potential < b.potential; });
  return out;
}

}  // namespace trammel::analysis
