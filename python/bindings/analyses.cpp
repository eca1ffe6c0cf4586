// Analyses of a mechanism beside its motion: the text that the program prints, and the figures of its --json.
#include <pybind11/stl.h>

#include "analysis/equilibrium.h"
#include "analysis/modes.h"
#include "bindings.h"
#include "results/report/equilibrium_report.h"
#include "results/report/modes_report.h"
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
      found = analysis::find_equilibria(simulation.shared_system(), simulation.state(),
                                        analysis::Regime::statics, starts);
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

}  // namespace

void bind_analyses(py::module_& module) {
  module.def("equilibrium", equilibrium);
  module.def("modes", modes);
}

}  // namespace trammel::python
