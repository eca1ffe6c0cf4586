// The model file with the values that a search found.
#pragma once

#include <string>
#include <vector>

#include "sweep/variants.h"

namespace trammel::sweep {

// The text of the given model, changed in place: comments, order and units stay. Where that cannot be done
// the model is written anew.
std::string text_with_values(const Mechanism& given, const Variants& variants,
                             const std::vector<double>& values);

}  // namespace trammel::sweep
