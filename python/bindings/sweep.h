// Sweeps in the module: apart from bindings.h, which every part reads.
#pragma once

#include <pybind11/pybind11.h>

namespace trammel::python {

void bind_sweep(pybind11::module_& module);

}  // namespace trammel::python
