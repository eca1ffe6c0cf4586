// fit() and optimize(). Their results are plain dictionaries; python/trammel/search.py makes objects of them.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>

#include "sweep.h"
#include "trammel/fit.h"
#include "trammel/thread_pool.h"
#include "words.h"

namespace trammel::python {
namespace {

using namespace py::literals;
using Asked = std::optional<py::function>;

// Runs a search with the options that all of them have; `find` gets them.
template <class Result>
Result search(const std::string& folder, bool resume, int threads, const Asked& progress,
              const std::function<Result(const SearchOptions&)>& find) {
  std::atomic<long> runs = 0;
  std::atomic<bool> stop = false;
  const auto work = [&] {
    ThreadPool pool(threads);
    return find({&pool, folder, resume, [&](long now, double) {
                   runs = now;
                   return !stop;
                 }});
  };
  return run_apart<Result>(
      work, [&] { return !progress || py::cast<bool>((*progress)(runs.load())); }, stop);
}

py::array_t<double> array_of(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::dict run_fit(const Mechanism& mechanism, const std::vector<std::string>& parameters,
                 const std::string& data, const std::vector<std::string>& compare, double confidence,
                 bool joint, const std::string& folder, bool resume, int threads, const Asked& progress) {
  const FitSpec spec{parameters, data, compare, confidence, joint};
  const auto found = search<FitResult>(folder, resume, threads, progress, [&](const SearchOptions& options) {
    return fit(mechanism, spec, options);
  });
  py::list fitted, columns;
  for (const FittedParameter& one : found.parameters)
    fitted.append(
        py::make_tuple(one.name, one.unit, one.start, one.value, one.error, one.low, one.high, one.at_bound));
  for (const FitColumn& one : found.columns)
    columns.append(py::make_tuple(one.name, one.text, one.unit, one.deviation, array_of(one.t),
                                  array_of(one.measured), array_of(one.fitted)));
  return py::dict("converged"_a = found.converged, "message"_a = in_python(found.message),
                  "parameters"_a = fitted, "correlation"_a = array_of(found.correlation),
                  "columns"_a = columns, "cost"_a = found.cost, "runs"_a = found.runs,
                  "resumed"_a = found.resumed, "measurements"_a = found.measurements,
                  "model"_a = found.model);
}

py::dict run_optimize(const Mechanism& mechanism, const std::string& minimize, const std::string& maximize,
                      const std::vector<std::string>& over, const std::vector<std::string>& subject_to,
                      const std::string& method, long evaluations, double accuracy, std::uint64_t seed,
                      const std::string& folder, bool resume, const Asked& progress) {
  const OptimizeSpec spec{minimize, maximize, over, subject_to, method, evaluations, accuracy, seed};
  const auto found = search<OptimizeResult>(folder, resume, 1, progress, [&](const SearchOptions& options) {
    return optimize(mechanism, spec, options);
  });
  return py::dict("converged"_a = found.converged, "message"_a = in_python(found.message),
                  "names"_a = found.names, "values"_a = found.values, "objective"_a = found.objective,
                  "constraints"_a = found.constraints, "runs"_a = found.runs, "resumed"_a = found.resumed,
                  "failed"_a = found.failed, "history"_a = array_of(found.history), "model"_a = found.model);
}

}  // namespace

void bind_search(py::module_& module) {
  module.def("fit", run_fit);
  module.def("optimize", run_optimize);
}

}  // namespace trammel::python
