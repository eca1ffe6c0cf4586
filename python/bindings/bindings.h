// What the parts of the Python module share. The package trammel (python/trammel) is written in Python on top
// of this module, trammel._core, which only passes values on.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/equations.h"
#include "trammel/mechanism.h"
#include "trammel/simulation.h"
#include "trammel/trajectory.h"

namespace trammel::python {

namespace py = pybind11;

// Whether a mechanism has forces or constraints written in Python, which may raise.
bool has_own_code(const Mechanism& mechanism);

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
    // About where it stood when they were first asked for, or chosen; null: not yet.
    std::unique_ptr<MotionEquations>& equations() const { return shared_.equations_; }
    // Names that these must have, as chosen; none: they are chosen where the simulation stands.
    std::vector<std::string>& independent() const { return shared_.independent_; }
    // Goes on in another simulation; what was known of the old one's equations is dropped.
    void replace(std::unique_ptr<Simulation> simulation) const {
      shared_.simulation_ = std::move(simulation);
      shared_.equations_.reset();
    }
    // What the last call that advanced it tells of its steps.
    StepResult& last() const { return shared_.last_; }

   private:
    SharedSimulation& shared_;
  };
  Use use() { return Use(*this); }

 private:
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<MotionEquations> equations_;
  std::vector<std::string> independent_;
  StepResult last_;
  std::atomic_flag busy_;
};

// The tasks of an executor must not throw, and forces and constraints written in Python may: then none.
std::shared_ptr<Executor> executor_for(const Mechanism& mechanism, const Plan& plan);

// An exception of Python's whose what() is one sentence. A batch keeps that alone, and reads it without
// Python's lock.
class ToldError final : public py::error_already_set {
 public:
  ToldError(const py::error_already_set& error, std::string message)
      : py::error_already_set(error), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

// Raises the exception of trammel.errors with that name: message, then attributes.
[[noreturn]] void raise(const char* kind, const std::string& message,
                        const std::vector<std::pair<const char*, py::object>>& attributes = {});

// The part of the mechanism that a message names first; empty: it names none.
std::string part_named(const Mechanism& mechanism, const std::string& message);

// What Python has to say while the engine runs: whether to go on. Ctrl-C stops and is no error; what else a
// function or a signal's handler raises stops too, and is raised at the end.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  // The one of the run that this thread is in; null: it is in none.
  static Interruption* of_this_thread();

  // With Python's lock.
  bool goes_on(const std::function<bool()>& ask);
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  void raise();

 private:
  Interruption* outer_;
  bool stopped_ = false;
  std::optional<py::error_already_set> raised_;
};

// Ctrl-C while the engine works without Python's lock, on the thread of the call: looked for now and then.
class Signals {
 public:
  // Throws what the signal's handler raises.
  void look();
  // The same without throwing: false, and raise() throws it.
  bool go_on();
  void raise();

 private:
  bool due();
  static constexpr std::chrono::milliseconds kLook{20};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kLook;
  std::optional<py::error_already_set> raised_;
};

// An array of values that `owner` holds, without a copy. It keeps the owner alive, and nobody may write to
// it.
py::array_t<double> read_only(std::vector<py::ssize_t> shape, const double* values, const py::object& owner);

// Name, unit and group of each column.
py::list channels_of(const std::vector<Channel>& channels);

void bind_batch(py::module_& module);
void bind_mechanism(py::module_& module);
void bind_comparison(py::module_& module);
void bind_import(py::module_& module);
void bind_kernel(py::module_& module);
void bind_analyses(py::module_& module);
void bind_motion(py::module_& module);
void bind_parts(py::module_& module);
void bind_simulation(py::module_& module);
void bind_results(py::module_& module);
void bind_stored(py::module_& module);
void bind_live(py::module_& module);

}  // namespace trammel::python
