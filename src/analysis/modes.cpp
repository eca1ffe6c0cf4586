#include "analysis/modes.h"

#include <algorithm>
#include <memory>

#include "analysis/equilibrium.h"
#include "trammel/run.h"

namespace trammel::analysis {
namespace {

bool moves(const Simulation& simulation) {
  const std::vector<double>& v = simulation.state().v;
  return std::any_of(v.begin(), v.end(), [](double x) { return x != 0; });
}

// At its assembled start; where that fails, the report says why.
std::unique_ptr<Simulation> started(const Mechanism& mechanism, const std::string& coordinates,
                                    Report& report) {
  Plan plan;
  plan.coordinates = coordinates;
  plan.open = mechanism.plan.open;
  auto simulation = std::make_unique<Simulation>(mechanism, plan);
  const AssemblyReport assembly = simulation->assemble();
  report = assembly.report;
  if (!report.accepted()) report.message = explain(assembly, *simulation);
  return simulation;
}

// The vibration about a state, into the result; whether there is one.
bool linearized(const Simulation& simulation, const State& state, const char* about, Modes& out) {
  out.vibration = vibration(simulation.shared_system(), simulation.mechanism(), state);
  out.report = out.vibration.report;
  out.about = about;
  out.poses = simulation.system().poses(state);
  return out.report.accepted();
}

}  // namespace

Modes find_modes(const Mechanism& mechanism, ModesAt at) {
  Modes out;
  const bool has_joints = !mechanism.generalized;
  const std::string relative = "relative", own = mechanism.plan.coordinates;
  auto simulation = started(mechanism, own == kAutomatic && has_joints ? relative : own, out.report);
  if (out.report.accepted() && moves(*simulation) && has_joints && own != kAutomatic && own != relative)
    simulation = started(mechanism, relative, out.report);
  if (!out.report.accepted()) return out;
  const std::shared_ptr<const system::System> system = simulation->shared_system();
  if (at == ModesAt::start) {
    linearized(*simulation, simulation->state(), "start", out);
    return out;
  }
  if (at == ModesAt::equilibrium && moves(*simulation)) {
    const Equilibrium steady = find_equilibrium(system, simulation->state(), Regime::motion, Seek::nearest);
    if (steady.report.accepted() && linearized(*simulation, steady.state, "steady motion", out)) return out;
    out.not_steady = true;
  }
  const Equilibrium rest = find_equilibrium(system, simulation->state(), Regime::statics,
                                            at == ModesAt::stable ? Seek::stable : Seek::nearest);
  out.report = rest.report;
  if (out.report.accepted()) linearized(*simulation, rest.state, "equilibrium", out);
  return out;
}

}  // namespace trammel::analysis
