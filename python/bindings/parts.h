// A force or constraint of a person's own, as a model is read with it.
#pragma once

#include <variant>
#include <vector>

#include "trammel/model.h"

namespace trammel::python {

struct Part {
  Part(Force force) : of(std::move(force)) {}
  Part(CustomConstraint constraint) : of(std::move(constraint)) {}
  std::variant<Force, CustomConstraint> of;
};

OwnParts own_parts(const std::vector<Part>& parts);

}  // namespace trammel::python
