// The same motion by several formulations, side by side; and which of them a mechanism takes.
#include <pybind11/stl.h>

#include <mutex>
#include <optional>

#include "bindings.h"
#include "results/report/acceptance_report.h"
#include "results/report/compare_report.h"
#include "words.h"

namespace trammel::python {
namespace {

class Comparison {
 public:
  Comparison(const Mechanism& mechanism, const std::vector<std::string>& formulations,
             const std::vector<std::string>& integrators)
      : mechanism_(mechanism) {
    const py::gil_scoped_release released;
    Signals signals;
    compared_ = analysis::compare(mechanism, mechanism.plan, {formulations, integrators}, {},
                                  [&] { signals.look(); });
  }

  std::string text() const { return in_python(results::comparison_text(compared_)); }
  std::string json() {
    const py::gil_scoped_release released;
    const std::lock_guard lock(measuring_);
    return results::comparison_json(compared_, measured()).dump();
  }

  // Several steps or tolerances for each row, once.
  void measure() {
    const py::gil_scoped_release released;
    const std::lock_guard lock(measuring_);
    if (measured_) return;
    Signals signals;
    measured_ = analysis::work_precision(mechanism_, compared_, {}, [&] { signals.look(); });
  }
  std::string page() {
    const py::gil_scoped_release released;
    const std::lock_guard lock(measuring_);
    return results::comparison_page(mechanism_, mechanism_.plan, compared_.rows, *measured_);
  }

 private:
  const analysis::WorkPrecision* measured() const { return measured_ ? &*measured_ : nullptr; }

  Mechanism mechanism_;
  analysis::Comparisons compared_;
  std::mutex measuring_;  // of what follows: another thread may ask for it too
  std::optional<analysis::WorkPrecision> measured_;
};

// Which methods a mechanism takes, as 'trammel formulations' tells it: text and JSON.
py::tuple acceptance(const Mechanism& mechanism) {
  std::string text, json;
  {
    const py::gil_scoped_release released;
    const std::vector<results::Accepted> found{
        {mechanism.name, "", analysis::acceptance(mechanism, mechanism.plan)}};
    text = in_python(results::acceptance_text(found));
    json = results::acceptance_json(found).dump();
  }
  return py::make_tuple(text, json);
}

}  // namespace

void bind_comparison(py::module_& module) {
  py::class_<Comparison>(module, "Comparison")
      .def(py::init<const Mechanism&, const std::vector<std::string>&, const std::vector<std::string>&>())
      .def("text", &Comparison::text)
      .def("json", &Comparison::json)
      .def("measure", &Comparison::measure)
      .def("page", &Comparison::page);
  module.def("acceptance", acceptance);
}

}  // namespace trammel::python
