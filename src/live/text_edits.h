// Edits of a model's text: `set-text` replaces it, `change-text` changes entries in place
// (docs/live-protocol.md). The model is what the text then says.
#pragma once

#include <stdexcept>

#include "live/json_fields.h"
#include "trammel/model.h"

namespace trammel::live {

// A text that is no model: every error with its line and column.
class TextRefused : public std::invalid_argument {
 public:
  explicit TextRefused(std::vector<InputError> errors);
  std::vector<InputError> errors;
};

bool is_text_edit(const std::string& what);

// The text that an edit makes of the text of a file. `change-text` marks bodies that nothing touches with
// `free: true`, as long as nothing does: what is drawn piece by piece is a model after every piece. Throws
// std::invalid_argument where the text cannot be changed so.
std::string edited_text(const Json& edit, std::string text, const std::string& file);

// A model without a name is called after the file. Throws TextRefused.
Mechanism read_live_text(const std::string& text, const std::string& file,
                         const std::vector<std::string>& settings = {});

}  // namespace trammel::live
