// Whole runs and what they leave. Rows stay where the run wrote them: Python's arrays refer to them.
#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <stdexcept>

#include "bindings.h"
#include "motion.h"
#include "results/files/results_hdf5.h"
#include "trammel/results.h"
#include "trammel/run.h"
#include "words.h"

namespace trammel::python {
namespace {

struct Run {
  RunResult result;
  std::shared_ptr<SharedSimulation> simulation;
  bool stopped = false;  // by Ctrl-C or the progress function, in either of both runs
};

// What of a run is written or told: without Python's lock.
template <class Tell>
auto unlocked(const Run& run, const Tell& tell) {
  const auto simulation = run.simulation->use();
  const py::gil_scoped_release released;
  return tell(*simulation, run.result);
}

// Rows by columns.
py::array_t<double> table(const py::object& run, const Trajectory& rows) {
  return read_only({static_cast<py::ssize_t>(rows.rows()), static_cast<py::ssize_t>(rows.channels.size())},
                   rows.values.data(), run);
}

// A controller and functions that are watched, for one run.
class Own {
 public:
  Own(Simulation& simulation, Sampling sampling, std::vector<WatchedFunction> functions)
      : simulation_(simulation) {
    if (!functions.empty()) simulation.watch(std::move(functions));
    if (sampling.make) simulation.control(std::move(sampling));
  }
  ~Own() {
    if (!simulation_.watched().empty()) simulation_.watch({});
    if (simulation_.sampling().make) simulation_.control({});
  }
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;

 private:
  Simulation& simulation_;
};

// progress is called with the time now and then, and may return False to stop. Ctrl-C stops the run too:
// what was computed is kept. A controller is made by `factory` for each of both runs.
std::unique_ptr<Run> run_whole(const std::shared_ptr<SharedSimulation>& shared,
                               const std::optional<py::function>& progress, double every,
                               const py::object& factory, const py::list& functions) {
  auto out = std::make_unique<Run>();
  out->simulation = shared;
  Interruption interruption;
  const auto simulation = shared->use();
  const Own own(*simulation, sampling(every, factory), watched(functions));
  {
    const py::gil_scoped_release released;
    out->result = run(*simulation, [&](double t) {
      const py::gil_scoped_acquire held;
      return interruption.goes_on([&] { return !progress || py::cast<bool>((*progress)(t)); });
    });
  }
  interruption.raise();
  out->stopped = interruption.stopped();
  out->result.summary.message = in_python(out->result.summary.message);
  return out;
}

// The model that results.h5 was made of, with the settings of that run in it.
std::string model_in_results(const std::string& path) {
  std::string model;
  try {
    model = results::read_hdf5_header(path).model;
  } catch (const std::runtime_error& error) {
    raise("ModelError", error.what());
  }
  if (model.empty())
    raise("ModelError",
          fmt::format("'{}' holds no model: it has parts that no model file can describe, as forces "
                      "written in Python or C++; make the mechanism as that program did",
                      path));
  return model;
}

}  // namespace

void bind_results(py::module_& module) {
  py::class_<Run>(module, "Run")
      .def_property_readonly("channels",
                             [](const Run& run) { return channels_of(run.result.trajectory.channels); })
      .def_readonly("stopped", &Run::stopped)
      .def_property_readonly(
          "values",
          [](const py::object& self) { return table(self, self.cast<const Run&>().result.trajectory); })
      .def_property_readonly(
          "errors", [](const py::object& self) { return table(self, self.cast<const Run&>().result.errors); })
      .def("summary_json",
           [](const Run& run) {
             return unlocked(
                 run, [](const auto& s, const RunResult& result) { return summary_json(s, result.summary); });
           })
      .def("summary_text",
           [](const Run& run) {
             return unlocked(
                 run, [](const auto& s, const RunResult& result) { return summary_text(s, result.summary); });
           })
      .def("remarks", [](const Run& run) { return remarks(*run.simulation->use(), run.result.summary); })
      .def(
          "report",
          [](const Run& run, std::size_t most_values) {
            return unlocked(run, [=](const auto& s, const RunResult& result) {
              return report_html(s, result, most_values);
            });
          },
          py::arg("most_values") = kReportValues)
      .def("write_hdf5",
           [](const Run& run, const std::string& path) {
             unlocked(run, [&](const auto& s, const RunResult& result) { write_hdf5(path, s, result); });
           })
      .def("write_csv", [](const Run& run, const std::string& path, bool errors) {
        const py::gil_scoped_release released;
        write_csv(path, errors ? run.result.errors : run.result.trajectory);
      });
  module.def("run", run_whole);
  module.def("model_in_results", model_in_results);
}

}  // namespace trammel::python
