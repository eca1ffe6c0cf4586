// Sweeps and searches in the module: apart from bindings.h, which every part reads.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>

#include "bindings.h"

namespace trammel::python {

void bind_sweep(pybind11::module_& module);
void bind_search(pybind11::module_& module);

// The work of many runs, on a thread of its own and without Python's lock. `goes_on` is called with the lock
// now and then; when it answers false or raises, or at Ctrl-C, `stop` is set.
template <class Result>
Result run_apart(const std::function<Result()>& work, const std::function<bool()>& goes_on,
                 std::atomic<bool>& stop) {
  constexpr std::chrono::milliseconds kLookEvery(20);  // from one look at the signals to the next
  Interruption interruption;
  Result result;
  {
    const py::gil_scoped_release released;
    auto running = std::async(std::launch::async, work);
    while (running.wait_for(kLookEvery) != std::future_status::ready) {
      const py::gil_scoped_acquire held;
      if (!interruption.goes_on(goes_on)) stop = true;
    }
    result = running.get();
  }
  interruption.raise();
  return result;
}

}  // namespace trammel::python
