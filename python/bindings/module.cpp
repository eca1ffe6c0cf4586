#include <algorithm>
#include <new>
#include <stdexcept>

#include <pybind11/stl.h>

#include "bindings.h"
#include "expressions/nearest_name.h"
#include "expressions/unknown_name.h"
#include "simulation/plan_options.h"
#include "sweep.h"
#include "trammel/thread_pool.h"
#include "trammel/version.h"
#include "words.h"

namespace trammel::python {

bool has_own_code(const Mechanism& mechanism) {
  return !mechanism.constraints.empty() || std::ranges::any_of(mechanism.forces, [](const Force& force) {
    return std::holds_alternative<UserForcePtr>(force.law);
  });
}

std::shared_ptr<Executor> executor_for(const Mechanism& mechanism, const Plan& plan) {
  return has_own_code(mechanism) ? nullptr : make_executor(plan);
}

SharedSimulation::SharedSimulation(const Mechanism& mechanism)
    : simulation_(
          std::make_unique<Simulation>(mechanism, mechanism.plan, executor_for(mechanism, mechanism.plan))) {}

SharedSimulation::Use::Use(SharedSimulation& shared) : shared_(shared) {
  if (shared_.busy_.test_and_set())
    throw std::logic_error(
        "this simulation is in use by another thread, or by the call that this function is called from; give "
        "each thread a simulation of its own, and read in a function what it is given");
}

void raise(const char* kind, const std::string& message,
           const std::vector<std::pair<const char*, py::object>>& attributes) {
  const py::object type = py::module_::import("trammel.errors").attr(kind);
  const py::object error = type(message);
  for (const auto& [name, value] : attributes) error.attr(name) = value;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw ToldError(py::error_already_set(), message);
}

// Names stand in single quotes.
std::string part_named(const Mechanism& mechanism, const std::string& message) {
  const auto has = [](const auto& parts, const std::string& name) {
    return std::ranges::any_of(parts, [&](const auto& part) { return part.name == name; });
  };
  for (std::size_t from = message.find('\''); from != std::string::npos;) {
    const std::size_t to = message.find('\'', from + 1);
    if (to == std::string::npos) break;
    const std::string name = message.substr(from + 1, to - from - 1);
    if (has(mechanism.joints, name) || has(mechanism.bodies, name) || has(mechanism.drivers, name) ||
        has(mechanism.forces, name) || has(mechanism.constraints, name) || has(mechanism.points, name) ||
        has(mechanism.states, name))
      return name;
    from = to;
  }
  return {};
}

namespace {
thread_local Interruption* innermost = nullptr;
}  // namespace

Interruption::Interruption() : outer_(innermost) { innermost = this; }
Interruption::~Interruption() { innermost = outer_; }
Interruption* Interruption::of_this_thread() { return innermost; }

bool Interruption::goes_on(const std::function<bool()>& ask) {
  if (stopped_) return false;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    stopped_ = !ask();
  } catch (py::error_already_set& error) {
    stopped_ = true;
    if (!error.matches(PyExc_KeyboardInterrupt)) raised_.emplace(error);
  }
  return !stopped_;
}

void Interruption::raise() {
  if (raised_) throw py::error_already_set(*raised_);
}

bool Signals::due() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + kLook;
  return true;
}

void Signals::look() {
  if (!due()) return;
  const py::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

bool Signals::go_on() {
  if (!due()) return true;
  const py::gil_scoped_acquire held;
  if (PyErr_CheckSignals() == 0) return true;
  raised_.emplace();
  return false;
}

void Signals::raise() {
  if (!raised_) return;
  const py::gil_scoped_acquire held;
  throw py::error_already_set(*raised_);
}

py::array_t<double> read_only(std::vector<py::ssize_t> shape, const double* values, const py::object& owner) {
  py::array_t<double> view(std::move(shape), values, owner);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

py::list channels_of(const std::vector<Channel>& channels) {
  py::list all;
  for (const Channel& channel : channels)
    all.append(py::make_tuple(channel.name, channel.unit, channel.group));
  return all;
}

}  // namespace trammel::python

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  module.attr("__version__") = TRAMMEL_VERSION;
  // What is wrong with a model, a plan, a name or a file.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const trammel::expressions::UnknownName& error) {
      const py::object type = py::module_::import("trammel.errors").attr("UnknownName");
      PyErr_SetString(type.ptr(), trammel::python::in_python(error.what()).c_str());
    } catch (const std::invalid_argument& error) {
      const py::object type = py::module_::import("trammel.errors").attr("ModelError");
      PyErr_SetString(type.ptr(), trammel::python::in_python(error.what()).c_str());
    } catch (const std::bad_alloc&) {
      PyErr_SetString(PyExc_MemoryError,
                      "there is not enough memory for this; give fewer rows, columns, samples or runs");
    } catch (const py::builtin_exception&) {  // pybind11's own
      throw;
    } catch (const std::runtime_error& error) {  // files
      const py::object type = py::module_::import("trammel.errors").attr("Error");
      PyErr_SetString(type.ptr(), trammel::python::in_python(error.what()).c_str());
    }
  });
  module.def("name_advice", &trammel::expressions::name_advice);
  module.def("simulate_keys", [] { return trammel::simulation::option_keys("simulate"); });
  trammel::python::bind_batch(module);
  trammel::python::bind_sweep(module);
  trammel::python::bind_search(module);
  trammel::python::bind_mechanism(module);
  trammel::python::bind_import(module);
  trammel::python::bind_comparison(module);
  trammel::python::bind_kernel(module);
  trammel::python::bind_analyses(module);
  trammel::python::bind_motion(module);
  trammel::python::bind_parts(module);
  trammel::python::bind_simulation(module);
  trammel::python::bind_results(module);
  trammel::python::bind_stored(module);
  trammel::python::bind_live(module);
}
