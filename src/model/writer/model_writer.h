// What the writer of model files (trammel/model.h) offers to others of the library.
#pragma once

#include <nlohmann/json.hpp>

#include "trammel/model.h"

namespace trammel::model {

// True when fixed and prismatic joints hold the bodies as they are placed: a file can say no other
// orientation.
bool frames_are_closed(const Mechanism& mechanism);

// What write_model() writes: sections, each with its entries. Sections without any are left out.
enum class Expressions { kept, values };  // fields that were expressions: as these, or as numbers
nlohmann::ordered_json model_json(const Mechanism& mechanism, Expressions expressions = Expressions::kept);

}  // namespace trammel::model
