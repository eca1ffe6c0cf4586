// solve_equilibrium() and solve_equilibrium_path(): States in which forces balance as values to read: places,
// reactions, rows of results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/asking.h"
#include "analysis/equilibrium_path.h"
#include "analysis/kinks.h"
#include "analysis/parameter_name.h"
#include "analysis/state_rows.h"
#include "analysis/without_stiction.h"
#include "simulation/reaction_columns.h"
#include "trammel/run.h"

namespace trammel::analysis {
namespace {

// In rows of results.
double kind_figure(EquilibriumKind kind) {
  constexpr double kFigures[] = {1, -1, 0, 2, 3};
  return kFigures[static_cast<std::size_t>(kind)];
}

// Gravity, springs and bushings given by numbers store energy.
bool stores_energy(const Force& force) {
  if (const auto* spring = std::get_if<SpringDamper>(&force.law)) return spring->law.empty();
  if (const auto* spring = std::get_if<JointSpring>(&force.law)) return spring->law.empty();
  return std::holds_alternative<Tendon>(force.law) || std::holds_alternative<Bushing>(force.law) ||
         std::holds_alternative<JointFriction>(force.law);
}

std::vector<std::string> without_potential(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const Force& force : mechanism.forces)
    if (!stores_energy(force)) names.push_back(force.name);
  return names;
}

// Statics knows no end-stops: a body that would rest on one falls without end.
void name_stops(const Mechanism& mechanism, Report& report) {
  if (report.accepted() || mechanism.stops.empty()) return;
  report.message += fmt::format(
      ". End-stops are ignored here: if the mechanism rests on '{}', replace the stop by a driver that holds "
      "the joint there, or by a stiff spring",
      mechanism.stops.front().name);
}

// Where there is none, a motion from the start may be what was looked for.
void name_steady_motion(const Simulation& simulation, Report& report) {
  const std::vector<double>& v = simulation.state().v;
  if (report.outcome != Outcome::not_converged || std::ranges::all_of(v, [](double x) { return x == 0; }))
    return;
  report.message +=
      ". The start moves, and an equilibrium is a position of rest: 'trammel solve modes' looks for a steady "
      "motion near the start";
}

std::vector<std::string> stops_passed(const Mechanism& mechanism, const Simulation& simulation) {
  constexpr double kPastStop = 1e-9;
  std::vector<std::string> passed;
  for (const EndStop& stop : mechanism.stops) {
    const double value = simulation.coordinate(stop.joint);
    if (value < stop.lower.value_or(value) - kPastStop || value > stop.upper.value_or(value) + kPastStop)
      passed.push_back(stop.name);
  }
  return passed;
}

// With the multipliers that the State has.
std::map<std::string, JointReaction> reactions_at(const Simulation& simulation, const State& state) {
  std::map<std::string, JointReaction> all;
  const system::System& system = simulation.system();
  system::Terms terms = system.make_terms();
  for (const system::Wrench& wrench : system.reactions(state, terms))
    all[wrench.joint].loads.push_back({wrench.body, wrench.force, wrench.torque});
  for (const system::Reading& effort : system.efforts(state, terms))
    all[effort.object.empty() ? effort.quantity : effort.object].effort = effort.value;
  const simulation::ReactionCheck check = simulation::check_reactions(simulation, state);
  for (const simulation::ReactionCheck::Entry& entry : check.entries)
    if (const auto at = all.find(entry.joint); !entry.unique && at != all.end())
      at->second.not_unique.push_back(entry.component);
  for (auto& [name, reaction] : all) reaction.examined = check.examined;
  return all;
}

std::vector<std::string> kinks_at(const Simulation& simulation, const State& state) {
  return forces_with_kink(LocalMotion(simulation.shared_system(), state, Regime::statics),
                          simulation.mechanism(), system::coordinates_of(simulation.resolved()));
}

// `mechanism` has the end-stops where they are.
EquilibriumPosition position_of(const Mechanism& mechanism, Simulation& simulation, const Equilibrium& one) {
  simulation.restore(one.state);
  return {.kind = one.kind,
          .poses = simulation.system().poses(one.state),
          .residual = one.residual,
          .potential = one.potential,
          .stiffness = one.stiffness,
          .symmetric = one.symmetric,
          .singular = one.singular,
          .kinked = one.kinked,
          .kinks = one.kinked ? kinks_at(simulation, one.state) : std::vector<std::string>{},
          .reactions = reactions_at(simulation, one.state),
          .passed_stops = stops_passed(mechanism, simulation)};
}

}  // namespace
}  // namespace trammel::analysis

namespace trammel {

const char* to_string(EquilibriumKind kind) {
  constexpr const char* kNames[] = {"stable", "unstable", "neutral", "locked", "undecided"};
  return kNames[static_cast<std::size_t>(kind)];
}

Equilibria solve_equilibrium(const Mechanism& mechanism, const EquilibriumOptions& options) {
  using namespace analysis;
  Equilibria out;
  out.report.message = stiction_refusal(mechanism, "an equilibrium");
  if (!out.report.message.empty()) {
    out.report.outcome = Outcome::refused;
    return out;
  }
  Simulation simulation(with_far_stops(mechanism), mechanism.plan);
  const AssemblyReport assembly = simulation.assemble();
  out.report = assembly.report;
  if (!out.report.accepted()) {
    out.report.message = explain(assembly, simulation);
    return out;
  }
  const std::shared_ptr<const system::System> system = simulation.shared_system();
  std::vector<Equilibrium> found;
  if (options.starts > 0) {
    Rests rests = find_rests(simulation, options.starts, options.seed, options.go_on);
    if (rests.interrupted) {
      out.report = Asking::interrupted();
      return out;
    }
    found = std::move(rests.found);
    out.starts = options.starts;
    out.converged = rests.converged;
    if (found.empty()) {
      out.report.outcome = Outcome::not_converged;
      out.report.message =
          fmt::format("no equilibrium was found from the start and {} random positions", options.starts);
    }
  } else {
    found.push_back(find_rest(simulation, options.stable ? Seek::stable : Seek::nearest));
    out.report = found.front().report;
  }
  name_steady_motion(simulation, out.report);
  name_stops(mechanism, out.report);
  if (!out.report.accepted()) return out;
  out.no_potential = without_potential(mechanism);
  StateRows rows(system, simulation.mechanism(), found.front().state,
                 {.first = {"", "equilibrium", "", "", "equilibrium"},
                  .more = {{"equilibria", "kind", "", "", "equilibrium.kind"},
                           {"equilibria", "residual", "", "", "equilibrium.residual"}}});
  for (const Equilibrium& one : found) {
    out.found.push_back(position_of(mechanism, simulation, one));
    rows.add(one.state, {}, static_cast<double>(out.found.size()), {kind_figure(one.kind), one.residual});
  }
  out.table = std::move(rows.table);
  return out;
}

EquilibriumPath solve_equilibrium_path(const Mechanism& mechanism, const EquilibriumPathOptions& options) {
  using namespace analysis;
  if (!mechanism.parameters.contains(options.parameter))
    throw std::invalid_argument(no_parameter(mechanism, options.parameter));
  const FollowedPath path =
      follow_equilibria(mechanism, options.parameter, options.from, options.to,
                        options.stable ? Seek::stable : Seek::nearest, options.points, options.go_on);
  EquilibriumPath out{path.report, options.parameter, {}, {}};
  name_stops(mechanism, out.report);
  if (path.points.empty()) return out;
  StateRows rows(path.points.front().system, mechanism, path.points.front().at.state,
                 {.first = {"parameters", options.parameter, "", "", options.parameter},
                  .more = {{"equilibria", "kind", "", "", "equilibrium.kind"},
                           {"equilibria", "limit", "", "", "equilibrium.limit"},
                           {"equilibria", "change", "", "", "equilibrium.change"},
                           {"equilibria", "least", "", "1/s2", "equilibrium.least"}}});
  for (const PathPoint& point : path.points) {
    const double least = point.at.stiffness.empty() ? NAN : point.at.stiffness.front();
    out.points.push_back({point.value, point.at.kind, point.is_limit, point.is_change, least});
    rows.add(point.system, point.at.state, {}, point.value,
             {kind_figure(point.at.kind), point.is_limit ? 1.0 : 0.0, point.is_change ? 1.0 : 0.0, least});
  }
  out.table = std::move(rows.table);
  return out;
}

}  // namespace trammel
