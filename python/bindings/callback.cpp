#include "callback.h"

#include <fmt/format.h>

namespace trammel::python {

Callback::Callback(py::object function, std::string owner, bool is_weak)
    : held_(new Held{std::move(function), std::move(owner), is_weak}) {}

Callback::Callback(py::object function, std::string owner)
    : Callback(std::move(function), std::move(owner), false) {}

Callback Callback::weak(const py::object& function, std::string owner) {
  return {py::weakref(function), std::move(owner), true};
}

py::object Callback::Held::now() const {
  if (!is_weak) return function;
  py::object found = function();
  if (found.is_none())
    throw std::logic_error("the function of " + owner + " was deleted before its mechanism");
  return found;
}

Callback::Held::~Held() {
  // After the interpreter has ended there is nothing to give back to.
  if (!Py_IsInitialized()) {
    function.release();
    return;
  }
  const py::gil_scoped_acquire held;
  function = py::object();
}

bool Callback::stops_run(const py::error_already_set& error) {
  Interruption* run = Interruption::of_this_thread();
  if (run == nullptr || !error.matches(PyExc_KeyboardInterrupt)) return false;
  run->stop();
  return true;
}

std::string Callback::place(double t) const {
  return fmt::format("in {}, at t = {:.6g} s; mend the function, or end before", owner(), t);
}

// Python before 3.11 has no notes.
void Callback::add_note(const py::error_already_set& error, double t) const {
  if (py::hasattr(error.value(), "add_note")) error.value().attr("add_note")(place(t));
}

std::string Callback::told(const py::error_already_set& error, double t) const {
  std::string message;
  try {
    message = py::str(error.value()).cast<std::string>();
  } catch (const py::error_already_set&) {  // its own __str__ fails
    message = "an error without a text";
  }
  const auto kind = error.type().attr("__name__").cast<std::string>();
  return fmt::format("{}{}{}, {}", kind, message.empty() ? "" : ": ", message, place(t));
}

}  // namespace trammel::python
