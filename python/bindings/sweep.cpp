// Sweeps. Runs go on threads of their own, as those of a batch; executors of Python's call one chunk at a
// time.
#include "sweep.h"

#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>

#include "results/report/summary.h"
#include "trammel/sweep.h"
#include "trammel/thread_pool.h"

namespace trammel::python {
namespace {

py::dict told(const SweepSummary& summary) {
  using namespace py::literals;
  return py::dict("runs"_a = summary.runs, "done"_a = summary.done, "failed"_a = summary.failed,
                  "resumed"_a = summary.resumed, "merged"_a = summary.merged);
}

py::dict run_in_folder(const Sweep& sweep, const std::string& folder, bool resume, int threads,
                       const std::optional<py::function>& progress) {
  std::atomic<std::uint64_t> finished = 0;
  std::atomic<bool> stop = false;
  const auto work = [&] {
    ThreadPool pool(threads);
    SweepOptions options;
    options.executor = &pool;
    options.resume = resume;
    options.progress = [&](const SweepProgress& now) {
      finished = now.finished;
      return !stop;
    };
    return run_sweep(sweep, folder, options);
  };
  return told(run_apart<SweepSummary>(
      work, [&] { return !progress || py::cast<bool>((*progress)(finished.load())); }, stop));
}

// The folder is made, and nothing is computed.
void prepare(const Sweep& sweep, const std::string& folder, bool resume) {
  SweepOptions options;
  options.resume = resume;
  options.progress = [](const SweepProgress&) { return false; };
  run_sweep(sweep, folder, options);
}

py::list columns_of(const std::vector<SweepColumn>& columns) {
  py::list all;
  for (const SweepColumn& one : columns)
    all.append(py::make_tuple(one.name, one.text, one.unit,
                              py::array_t<double>(py::ssize_t(one.points.size()), one.points.data()),
                              one.point_unit));
  return all;
}

py::array_t<double> array_of(const std::vector<double>& values, std::size_t width) {
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(values.size() / width)};
  if (width > 1) shape.push_back(static_cast<py::ssize_t>(width));
  return py::array_t<double>(shape, values.data());
}

py::dict read_table(const std::string& path) {
  using namespace py::literals;
  SweepTable table;
  {
    const py::gil_scoped_release released;
    table = read_sweep(path);
  }
  py::dict parameters, observations;
  for (std::size_t k = 0; k < table.parameters.size(); ++k)
    parameters[py::str(table.parameters[k])] = array_of(table.parameter_values[k], 1);
  for (std::size_t k = 0; k < table.observations.size(); ++k)
    observations[py::str(table.observations[k].name)] =
        array_of(table.observation_values[k], table.observations[k].size());
  py::list status;
  for (const RunStatus one : table.status) status.append(results::to_string(one));
  return py::dict("parameters"_a = parameters, "observations"_a = observations,
                  "columns"_a = columns_of(table.observations), "status"_a = status,
                  "messages"_a = table.messages, "time"_a = array_of(table.times, 1));
}

}  // namespace

void bind_sweep(py::module_& module) {
  py::class_<Sweep>(module, "Sweep")
      .def(py::init([](const Mechanism& mechanism, const std::vector<std::string>& vary,
                       const std::string& table, const std::vector<std::string>& sample, std::uint64_t runs,
                       const std::string& design, std::uint64_t seed, const std::vector<std::string>& observe,
                       bool verify) {
        const py::gil_scoped_release released;
        return Sweep(mechanism, {vary, table, sample, runs, design, seed, observe, verify});
      }))
      .def_property_readonly("runs", &Sweep::runs)
      .def_property_readonly("chunks", &Sweep::chunks)
      .def_property_readonly("parameters", &Sweep::parameters)
      .def_property_readonly("observations", [](const Sweep& s) { return columns_of(s.observations()); })
      .def("values",
           [](const Sweep& sweep, std::uint64_t run) {
             if (run >= sweep.runs())
               throw py::index_error(
                   fmt::format("there is no run {}; the sweep has {}, from 0", run, sweep.runs()));
             return array_of(sweep.values(run), 1);
           })
      .def("run", run_in_folder)
      .def("prepare", prepare);
  module.def("sweep_section", [](const Mechanism& mechanism) {
    const SweepSpec spec = sweep_section(mechanism);
    return py::make_tuple(spec.vary, spec.table, spec.sample, spec.runs, spec.design, spec.seed, spec.observe,
                          spec.verify);
  });
  module.def("sweep_chunk", [](const std::string& folder, std::uint64_t chunk) {
    const py::gil_scoped_release released;
    run_chunk(open_sweep(folder), folder, chunk);
  });
  module.def("merge_sweep", [](const std::string& folder) {
    SweepSummary summary;
    {
      const py::gil_scoped_release released;
      summary = merge_sweep(open_sweep(folder), folder);
    }
    return told(summary);
  });
  module.def("read_sweep", read_table);
}

}  // namespace trammel::python
