// What the parts of the Python module share. The package trammel (python/trammel) is written in Python on top
// of this module, trammel._core, which only passes values on.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanism.h"
#include "trammel/simulation.h"

namespace trammel::python {

namespace py = pybind11;

// A Simulation that Python's threads may share: a second call while one is going on is refused.
class SharedSimulation {
 public:
  explicit SharedSimulation(const Mechanism& mechanism);

  // The simulation, for one call.
  class Use {
   public:
    explicit Use(SharedSimulation& shared);
    ~Use() { shared_.busy_.clear(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Simulation* operator->() const { return shared_.simulation_.get(); }
    Simulation& operator*() const { return *shared_.simulation_; }

   private:
    SharedSimulation& shared_;
  };
  Use use() { return Use(*this); }

 private:
  std::unique_ptr<Simulation> simulation_;
  std::atomic_flag busy_;
};

// Raises the exception of trammel.errors with that name: message, then attributes.
[[noreturn]] void raise(const char* kind, const std::string& message,
                        const std::vector<std::pair<const char*, py::object>>& attributes = {});

void bind_mechanism(py::module_& module);
void bind_analyses(py::module_& module);
void bind_simulation(py::module_& module);
void bind_results(py::module_& module);
void bind_live(py::module_& module);

}  // namespace trammel::python
