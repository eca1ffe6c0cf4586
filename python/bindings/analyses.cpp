// Analyses of a mechanism beside its motion: the text that the program prints, and the figures of its --json.
#include <pybind11/stl.h>

#include "analysis/equilibrium.h"
#include "analysis/modes.h"
#include "bindings.h"
#include "results/report/equilibrium_report.h"
#include "results/report/inverse_report.h"
#include "results/report/kinematics_report.h"
#include "results/report/modes_report.h"
#include "results/report/positions_report.h"
#include "results/report/workspace_report.h"
#include "trammel/run.h"

namespace trammel::python {
namespace {

[[noreturn]] void fail(const Report& report) {
  raise("StepError", report.message.empty() ? "the equations cannot be solved here" : report.message);
}

py::tuple equilibrium(const Mechanism& mechanism, bool stable, int starts) {
  Simulation simulation(mechanism, mechanism.plan);
  const AssemblyReport assembly = simulation.assemble();
  if (!assembly.report.accepted()) raise("AssemblyError", explain(assembly, simulation));
  std::vector<analysis::Equilibrium> found;
  {
    const py::gil_scoped_release released;
    if (starts > 0)
      found = analysis::find_equilibria(simulation, analysis::Regime::statics, starts);
    else
      found.push_back(analysis::find_equilibrium(simulation.shared_system(), simulation.state(),
                                                 analysis::Regime::statics,
                                                 stable ? analysis::Seek::stable : analysis::Seek::nearest));
  }
  if (found.empty()) raise("StepError", "no equilibrium was found from the start and the random positions");
  if (!found.front().report.accepted()) fail(found.front().report);
  const std::string figures = results::equilibrium_json(simulation, found).dump();
  return py::make_tuple(results::equilibrium_text(simulation, found), figures);
}

py::tuple modes(const Mechanism& mechanism, const std::string& at) {
  const analysis::ModesAt where = at == "start"    ? analysis::ModesAt::start
                                  : at == "stable" ? analysis::ModesAt::stable
                                                   : analysis::ModesAt::equilibrium;
  results::ModesResult result;
  {
    const py::gil_scoped_release released;
    result.modes = analysis::find_modes(mechanism, where);
  }
  if (!result.modes.report.accepted()) fail(result.modes.report);
  return py::make_tuple(results::modes_text(mechanism, result),
                        results::modes_json(mechanism, result).dump());
}

Plan with_rows(const Mechanism& mechanism, long rows) {
  Plan plan = mechanism.plan;
  if (rows > 0) plan.output_interval = plan.duration / static_cast<double>(rows);
  return plan;
}

py::tuple positions(const Mechanism& mechanism, long starts, std::uint64_t seed) {
  results::PositionsResult result;
  analysis::DrivenStart start;
  {
    const py::gil_scoped_release released;
    start = analysis::driven_start(analysis::with_masses(mechanism), mechanism.plan, analysis::Undriven::held,
                                   true);
    if (start.report.accepted())
      result = {start.held, start.largest_move, analysis::find_branches(*start.simulation, starts, seed)};
  }
  if (!start.report.accepted()) fail(start.report);
  return py::make_tuple(results::positions_text(mechanism, result),
                        results::positions_json(mechanism, result).dump());
}

py::tuple kinematics(const Mechanism& mechanism, long rows, const std::string& ratio_to,
                     const std::vector<std::string>& curves) {
  analysis::Kinematics found;
  {
    const py::gil_scoped_release released;
    found = analysis::kinematics(mechanism, with_rows(mechanism, rows), {ratio_to, curves});
  }
  if (!found.report.accepted()) fail(found.report);
  return py::make_tuple(results::kinematics_text(found), results::kinematics_json(found).dump());
}

py::tuple inverse(const Mechanism& mechanism, long rows, const std::map<std::string, double>& weights,
                  const std::vector<std::string>& idle, bool hold) {
  analysis::InverseDynamics found;
  {
    const py::gil_scoped_release released;
    found = analysis::inverse_dynamics(mechanism, with_rows(mechanism, rows), {weights, idle, hold});
  }
  if (!found.report.accepted()) fail(found.report);
  return py::make_tuple(results::inverse_text(found), results::inverse_json(found).dump());
}

py::tuple workspace(const Mechanism& mechanism, const std::string& point, double spacing, std::size_t samples,
                    long starts, std::uint64_t seed) {
  analysis::Workspace found;
  {
    const py::gil_scoped_release released;
    analysis::WorkspaceOptions options;
    options.point = point;
    options.spacing = spacing;
    options.most = samples;
    options.starts = starts;
    options.seed = seed;
    found = analysis::workspace(mechanism, mechanism.plan, options);
  }
  if (!found.report.accepted()) fail(found.report);
  return py::make_tuple(results::workspace_text(mechanism, found),
                        results::workspace_json(mechanism, found).dump());
}

}  // namespace

void bind_analyses(py::module_& module) {
  module.def("positions", positions);
  module.def("kinematics", kinematics);
  module.def("inverse", inverse);
  module.def("workspace", workspace);
  module.def("equilibrium", equilibrium);
  module.def("modes", modes);
}

}  // namespace trammel::python
