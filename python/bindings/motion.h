// Reading a motion by name: where a simulation stands, or at a moment that a function of Python's is asked
// about.
#pragma once

#include "bindings.h"
#include "trammel/motion_reader.h"

namespace trammel::python {

// What a controller or an event's function is given. It is of use during that call only.
class Moment {
 public:
  Moment(const Simulation& simulation, const State& state) : simulation_(&simulation), state_(&state) {}
  explicit Moment(Simulation& simulation)
      : simulation_(&simulation), state_(&simulation.state()), acts_on_(&simulation) {}

  MotionReader reader() const;
  const State& state() const;
  void set_input(const std::string& name, double value) const;
  void end() { simulation_ = nullptr; }

 private:
  const Simulation* simulation_;
  const State* state_;
  Simulation* acts_on_ = nullptr;  // of a controller
};

py::dict pose(const MotionReader& reader, const std::string& body);
py::tuple point(const MotionReader& reader, const std::string& name);
py::dict reaction(const MotionReader& reader, const std::string& name);
py::tuple energy(const MotionReader& reader);

// Calls a function with a Moment of its own.
std::vector<WatchedFunction> watched(const py::list& functions);
Sampling sampling(double every, const py::object& factory);

}  // namespace trammel::python
