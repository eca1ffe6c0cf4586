// What was read of a model, as the package has it.
#pragma once

#include <pybind11/pybind11.h>

#include "trammel/model.h"

namespace trammel::python {

// A mechanism, None if something is wrong; and what is wrong with it. One without a name gets the file's.
pybind11::tuple told_model(const ModelInput& input, const std::string& file);

// What a person should know of it.
pybind11::list notes_of(const ModelInput& input);

}  // namespace trammel::python
