// Analyses of a mechanism beside its motion: the text that the program prints, and the figures of its --json.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <tuple>

#include "bindings.h"
#include "trammel/results.h"
#include "words.h"

namespace trammel::python {
namespace {

using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;

[[noreturn]] void fail(const Mechanism& mechanism, const Report& report) {
  const std::string why =
      report.message.empty() ? "the equations cannot be solved here" : in_python(report.message);
  const char* kind = report.outcome == Outcome::assembly_failed ? "AssemblyError"
                     : report.outcome == Outcome::refused       ? "ModelError"
                                                                : "StepError";
  raise(kind, why, {{"joint", py::str(part_named(mechanism, why))}});
}

// Solves without Python's lock.
template <class Solve>
auto unlocked(Solve&& solve) {
  const py::gil_scoped_release released;
  return solve();
}

// Ctrl-C ends an analysis.
bool hear() {
  const py::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return true;
}

struct Told {
  std::string text, json;
};
template <class Found>
Told report_of(const Mechanism& mechanism, const Found& found) {
  return unlocked([&] {
    const AnalysisReport report(mechanism, found);
    return Told{in_python(report.text()), report.json()};
  });
}

template <class Found>
py::tuple told(const Mechanism& mechanism, const Found& found) {
  if (!found.report.accepted()) fail(mechanism, found.report);
  const auto [text, json] = report_of(mechanism, found);
  return py::make_tuple(text, json);
}

std::vector<double> list_of(const Values& values) { return {values.data(), values.data() + values.size()}; }

py::tuple positions(const Mechanism& mechanism, long starts, std::uint64_t seed) {
  return told(mechanism, unlocked([&] { return solve_positions(mechanism, {starts, seed, hear}); }));
}

py::tuple kinematics(const Mechanism& mechanism, long rows, const std::string& ratio_to,
                     const std::vector<std::string>& curves,
                     const std::optional<std::tuple<std::string, double, double, int>>& drive) {
  KinematicsOptions options{rows, ratio_to, curves, {}, hear};
  if (drive) {
    const auto& [name, from, to, count] = *drive;
    options.drive = {name, from, to, count};
  }
  return told(mechanism, unlocked([&] { return solve_kinematics(mechanism, options); }));
}

py::tuple inverse(const Mechanism& mechanism, long rows, const std::map<std::string, double>& weights,
                  const std::vector<std::string>& idle, bool hold) {
  return told(mechanism, unlocked([&] {
                return solve_inverse(mechanism, {rows, weights, idle, hold, hear});
              }));
}

py::tuple workspace(const Mechanism& mechanism, const std::string& point, double spacing, std::size_t samples,
                    long starts, std::uint64_t seed) {
  WorkspaceOptions options{
      .point = point, .spacing = spacing, .most = samples, .starts = starts, .seed = seed};
  options.go_on = [](std::size_t, std::size_t) { return hear(); };
  return told(mechanism, unlocked([&] { return solve_workspace(mechanism, options); }));
}

py::tuple equilibrium(const Mechanism& mechanism, bool stable, int starts, std::uint64_t seed) {
  return told(mechanism, unlocked([&] {
                return solve_equilibrium(mechanism, {stable, starts, seed, hear});
              }));
}

// Text, figures, and why the path ends before its last value.
py::tuple equilibrium_path(const Mechanism& mechanism, const std::string& parameter, double from, double to,
                           bool stable, int points) {
  const EquilibriumPath path = unlocked([&] {
    return solve_equilibrium_path(mechanism, {parameter, from, to, stable, points, hear});
  });
  if (path.points.empty()) fail(mechanism, path.report);
  const auto [text, json] = report_of(mechanism, path);
  return py::make_tuple(text, json, in_python(path.report.message));
}

// At the values of a parameter too, if it is named; with the frequency response, if there are frequencies.
py::tuple modes(const Mechanism& mechanism, const std::string& at, const std::string& parameter,
                const Values& values, const Values& hertz) {
  const ModesOptions options{modes_at(at).value(), parameter, list_of(values), list_of(hertz), hear};
  return told(mechanism, unlocked([&] { return solve_modes(mechanism, options); }));
}

}  // namespace

void bind_analyses(py::module_& module) {
  module.def("positions", positions);
  module.def("kinematics", kinematics);
  module.def("inverse", inverse);
  module.def("workspace", workspace);
  module.def("equilibrium", equilibrium);
  module.def("equilibrium_path", equilibrium_path);
  module.def("modes", modes);
}

}  // namespace trammel::python
