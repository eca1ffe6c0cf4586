// The model file: YAML to a Mechanism, with every error at once (docs/model-format.md is the format's
// reference).
//
// The steps: text → YamlNode tree (bounded) → settings of the command line written into the tree → parameters
// → sections, in an order that lets each refer to those before → expressions checked → validate().
#pragma once

#include <string>
#include <vector>

#include "model/model_error.h"
#include "trammel/mechanism.h"

namespace trammel {

struct ModelInput {
  Mechanism mechanism;  // usable only if errors is empty
  std::vector<InputError> errors;
};

// settings: "bodies.crank.mass=2", as given to --set, or "--step=0.01", an option of the command line, which
// is a key of `simulate:`.
ModelInput read_model(const std::string& path, const std::vector<std::string>& settings = {});
ModelInput read_model_text(const std::string& text, const std::string& file_name,
                           const std::vector<std::string>& settings = {});

}  // namespace trammel
