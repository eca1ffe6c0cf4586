// Batches of runs. They go on threads of their own: the caller's thread shows how far they are, and hears
// Ctrl-C.
#include "trammel/batch.h"

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "bindings.h"
#include "results/report/summary.h"
#include "trammel/kernel.h"
#include "trammel/thread_pool.h"
#include "words.h"

namespace trammel::python {
namespace {

constexpr std::chrono::milliseconds kLook(20);  // from one look at the signals to the next

using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;

// The runs, on another thread.
class Runs {
 public:
  Runs(const Batch& batch, int threads, bool compiled)
      : thread_([this, &batch, threads, compiled] {
          try {
            ThreadPool pool(threads);
            const auto progress = [this](std::size_t count) {
              finished = count;
              return !stop;
            };
            result = compiled ? run_compiled(batch, &pool, progress) : batch.run(&pool, progress);
          } catch (...) {
            thrown = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          done_ = true;
          changed_.notify_all();
        }) {}
  ~Runs() { thread_.join(); }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  bool done_after(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, wait, [this] { return done_; });
  }

  BatchResult result;
  std::exception_ptr thrown;
  std::atomic<std::size_t> finished = 0;
  std::atomic<bool> stop = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;  // last: it uses the others
};

std::unique_ptr<BatchResult> run_batch(const Mechanism& mechanism, const std::vector<std::string>& names,
                                       const Values& values, const std::vector<std::string>& observe,
                                       bool verify, bool compiled, int threads,
                                       const std::optional<py::function>& progress) {
  ParameterTable table{names, {values.data(), values.data() + values.size()}};
  // More threads than runs would have nothing to do.
  const int busy = static_cast<int>(std::min(static_cast<std::size_t>(threads), table.runs()));
  auto out = std::make_unique<BatchResult>();
  Interruption interruption;
  {
    const py::gil_scoped_release released;
    const Batch batch(mechanism, std::move(table), observe, verify);
    Runs runs(batch, busy, compiled);
    while (!runs.done_after(kLook)) {
      const py::gil_scoped_acquire held;
      if (!interruption.goes_on(
              [&] { return !progress || py::cast<bool>((*progress)(runs.finished.load())); }))
        runs.stop = true;
    }
    if (runs.thrown) std::rethrow_exception(runs.thrown);
    *out = std::move(runs.result);
  }
  interruption.raise();
  return out;
}

// Columns by runs by times, or columns by runs, without a copy.
py::array_t<double> block(const py::object& self, const std::vector<double>& values, bool times) {
  const auto& result = self.cast<const BatchResult&>();
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(result.channels.size()),
                                 static_cast<py::ssize_t>(result.runs.size())};
  if (times) shape.push_back(static_cast<py::ssize_t>(result.times.size()));
  return read_only(shape, values.data(), self);
}

py::list runs(const BatchResult& result) {
  py::list all;
  for (const RunSummary& run : result.runs)
    all.append(py::make_tuple(results::to_string(run.status), in_python(run.message), run.time));
  return all;
}

}  // namespace

void bind_batch(py::module_& module) {
  py::class_<BatchResult>(module, "BatchResult")
      .def_property_readonly("channels", [](const BatchResult& r) { return channels_of(r.channels); })
      .def_property_readonly("times",
                             [](const py::object& self) {
                               const auto& times = self.cast<const BatchResult&>().times;
                               return read_only({static_cast<py::ssize_t>(times.size())}, times.data(), self);
                             })
      .def_property_readonly(
          "values",
          [](const py::object& self) { return block(self, self.cast<const BatchResult&>().values, true); })
      .def_property_readonly("errors",
                             [](const py::object& self) -> py::object {
                               const auto& errors = self.cast<const BatchResult&>().errors;
                               if (errors.empty()) return py::none();
                               return block(self, errors, true);
                             })
      .def_property_readonly(
          "last",
          [](const py::object& self) { return block(self, self.cast<const BatchResult&>().last, false); })
      .def_property_readonly("runs", runs)
      .def_property_readonly("engine", [](const BatchResult& r) { return in_python(r.engine); });
  module.def("batch", run_batch);
}

}  // namespace trammel::python
