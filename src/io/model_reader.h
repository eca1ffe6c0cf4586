// The model file: YAML to a Mechanism, with every error at once (docs/model-format.md is the format's
// reference).
//
// The steps: text → YamlNode tree (bounded) → settings of the command line written into the tree → parameters
// → sections, in an order that lets each refer to those before → expressions checked → validate().
#pragma once

#include <string>
#include <vector>

#include "io/model_error.h"
#include "trammel/mechanism.h"

namespace trammel {

struct ModelInput {
  Mechanism mechanism;  // usable only if errors is empty
  std::string text;     // the model with the settings in it: it reads as the same mechanism without them
  std::vector<InputError> errors;
};

// settings: "bodies.crank.mass=2", as given to --set, or "--step=0.01", an option of the command line, which
// is a key of `simulate:`.
//
// The file's plan is one method's: an option that it does not read is an error. Whoever runs the model by
// other methods too (compare, view) reads it with UnreadOptions::allowed; then each run uses the options that
// it reads.
enum class UnreadOptions { refused, allowed };
ModelInput read_model(const std::string& path, const std::vector<std::string>& settings = {},
                      UnreadOptions unread = UnreadOptions::refused);
ModelInput read_model_text(const std::string& text, const std::string& file_name,
                           const std::vector<std::string>& settings = {},
                           UnreadOptions unread = UnreadOptions::refused);

}  // namespace trammel
