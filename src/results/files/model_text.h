// What results files say of where they come from: the model, and when they were made.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "trammel/mechanism.h"

namespace trammel::results {

// The model file of a mechanism: its own text, or, where it was changed in C++ since that was read, one that
// is written anew. Empty where no file can say it.
std::string model_text(const Mechanism& mechanism);

// The date. A program of a person's own has no command line to be recorded.
nlohmann::json creation_now();

}  // namespace trammel::results
