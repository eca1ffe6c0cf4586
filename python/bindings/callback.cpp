#include "callback.h"

#include <fmt/format.h>

namespace trammel::python {

Callback::Callback(py::object function, std::string owner)
    : held_(new Held{std::move(function), std::move(owner)}) {}

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

// Python before 3.11 has no notes.
void Callback::add_note(const py::error_already_set& error, double t) const {
  if (py::hasattr(error.value(), "add_note"))
    error.value().attr("add_note")(
        fmt::format("in {}, at t = {:.6g} s; mend the function, or end before", owner(), t));
}

}  // namespace trammel::python
