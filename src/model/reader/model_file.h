// The text of a file, or why it cannot be read.
#pragma once

#include <optional>
#include <string>

#include "trammel/model.h"

namespace trammel::model {

struct FileText {
  std::string text;
  std::optional<InputError> error;
};
// Of a model that is too large, one byte more than is allowed, for the parser to refuse.
FileText read_model_file(const std::string& path);
// What a model names: samples, a mesh.
FileText read_data_file(const std::string& path);

}  // namespace trammel::model
