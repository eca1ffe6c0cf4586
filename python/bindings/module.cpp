#include <stdexcept>

#include "bindings.h"
#include "trammel/thread_pool.h"
#include "trammel/version.h"

namespace trammel::python {

SharedSimulation::SharedSimulation(const Mechanism& mechanism)
    : simulation_(std::make_unique<Simulation>(mechanism, mechanism.plan, make_executor(mechanism.plan))) {}

SharedSimulation::Use::Use(SharedSimulation& shared) : shared_(shared) {
  if (shared_.busy_.test_and_set())
    throw std::logic_error(
        "this simulation is in use by another thread; give each thread a simulation of its own");
}

void raise(const char* kind, const std::string& message,
           const std::vector<std::pair<const char*, py::object>>& attributes) {
  const py::object type = py::module_::import("trammel.errors").attr(kind);
  const py::object error = type(message);
  for (const auto& [name, value] : attributes) error.attr(name) = value;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

}  // namespace trammel::python

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  module.attr("__version__") = TRAMMEL_VERSION;
  // What is wrong with a model, a plan or a name.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const std::invalid_argument& error) {
      const py::object type = py::module_::import("trammel.errors").attr("ModelError");
      PyErr_SetString(type.ptr(), error.what());
    }
  });
  trammel::python::bind_mechanism(module);
  trammel::python::bind_analyses(module);
  trammel::python::bind_simulation(module);
  trammel::python::bind_results(module);
  trammel::python::bind_live(module);
}
