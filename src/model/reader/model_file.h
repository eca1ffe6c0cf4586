// The text of a file, or why it cannot be read.
#pragma once

#include <optional>
#include <string>

#include "trammel/model.h"

namespace trammel::model {

struct FileText {
  std::string text;  // of a file that is too large, one byte more than is allowed
  std::optional<InputError> error;
};
FileText read_model_file(const std::string& path);

}  // namespace trammel::model
