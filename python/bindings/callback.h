// Functions of Python's that the engine calls: it runs without Python's lock, which is taken for the call
// alone.
//
// A mechanism refers weakly to the functions of its forces and constraints. trammel.Mechanism owns them,
// where Python's garbage collector sees them: a function may belong to an object that owns the mechanism.
#pragma once

#include <memory>
#include <string>

#include "bindings.h"

namespace trammel::python {

class Callback {
 public:
  // owner: whose function it is, for notes: "force 'wind'". With Python's lock.
  Callback(py::object function, std::string owner);
  // Refers weakly to the function; its owner must live as long as calls are possible.
  static Callback weak(const py::object& function, std::string owner);

  const std::string& owner() const { return held_->owner; }

  // With Python's lock. What the function raises has a note that names the owner. If Ctrl-C is met in a
  // whole run, the run is told to stop, and a function without memory is asked again; of one with memory
  // nothing is returned, a null object.
  template <class... Arguments>
  py::object operator()(double t, bool has_memory, Arguments&&... arguments) const {
    try {
      const py::object function = held_->now();
      try {
        return function(std::forward<Arguments>(arguments)...);
      } catch (py::error_already_set& error) {
        if (!stops_run(error)) throw;
        if (has_memory) return {};
        return function(std::forward<Arguments>(arguments)...);
      }
    } catch (py::error_already_set& error) {
      add_note(error, t);
      throw ToldError(error, told(error, t));
    }
  }

 private:
  // Copies of a Callback share the function, so that its count is changed with the lock only.
  struct Held {
    ~Held();
    py::object now() const;
    py::object function;  // or a weak reference to it
    std::string owner;
    bool is_weak;
  };
  Callback(py::object function, std::string owner, bool is_weak);
  static bool stops_run(const py::error_already_set& error);
  std::string place(double t) const;
  void add_note(const py::error_already_set& error, double t) const;
  std::string told(const py::error_already_set& error, double t) const;

  std::shared_ptr<const Held> held_;
};

}  // namespace trammel::python
