// Whole runs and what they leave. Rows stay where the run wrote them: Python's arrays refer to them.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "bindings.h"
#include "trammel/results.h"
#include "trammel/run.h"

namespace trammel::python {
namespace {

struct Run {
  RunResult result;
  std::shared_ptr<SharedSimulation> simulation;
};

// Rows by columns, without a copy. The array keeps the run alive, and nobody may write to it.
py::array_t<double> table(const py::object& run, const Trajectory& rows) {
  const auto columns = static_cast<py::ssize_t>(rows.channels.size());
  py::array_t<double> view({static_cast<py::ssize_t>(rows.rows()), columns}, rows.values.data(), run);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

// progress is called with the time now and then, and may return False to stop. Ctrl-C stops the run too:
// what was computed is kept.
std::unique_ptr<Run> run_whole(const std::shared_ptr<SharedSimulation>& shared,
                               const std::optional<py::function>& progress) {
  auto out = std::make_unique<Run>();
  out->simulation = shared;
  std::optional<py::error_already_set> raised;
  const auto simulation = shared->use();
  {
    const py::gil_scoped_release released;
    out->result = run(*simulation, [&](double t) {
      const py::gil_scoped_acquire held;
      if (PyErr_CheckSignals() != 0) {
        PyErr_Clear();
        return false;
      }
      try {
        return !progress || py::cast<bool>((*progress)(t));
      } catch (py::error_already_set& error) {
        raised.emplace(error);
        return false;
      }
    });
  }
  if (raised) throw py::error_already_set(*raised);
  return out;
}

py::list channels(const Run& run) {
  py::list all;
  for (const Channel& channel : run.result.trajectory.channels)
    all.append(py::make_tuple(channel.name, channel.unit, channel.group));
  return all;
}

}  // namespace

void bind_results(py::module_& module) {
  py::class_<Run>(module, "Run")
      .def_property_readonly("channels", channels)
      .def_property_readonly(
          "values",
          [](const py::object& self) { return table(self, self.cast<const Run&>().result.trajectory); })
      .def_property_readonly(
          "errors", [](const py::object& self) { return table(self, self.cast<const Run&>().result.errors); })
      .def("summary_json",
           [](const Run& run) { return summary_json(*run.simulation->use(), run.result.summary); })
      .def("summary_text",
           [](const Run& run) { return summary_text(*run.simulation->use(), run.result.summary); })
      .def(
          "report",
          [](const Run& run, std::size_t most_values) {
            return report_html(*run.simulation->use(), run.result, most_values);
          },
          py::arg("most_values") = kReportValues)
      .def("write_hdf5",
           [](const Run& run, const std::string& path) {
             write_hdf5(path, *run.simulation->use(), run.result);
           })
      .def("write_csv", [](const Run& run, const std::string& path, bool errors) {
        write_csv(path, errors ? run.result.errors : run.result.trajectory);
      });
  module.def("run", run_whole);
}

}  // namespace trammel::python
