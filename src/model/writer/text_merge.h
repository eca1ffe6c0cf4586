// The text of an edited model: the text as it was, changed in place where the model is another.
//
// Both models are written as JSON (model_json); where these differ, the text is changed (yaml_change.h). The
// result is read again, and is given back only if it says the edited model.
#pragma once

#include "trammel/model.h"

namespace trammel::model {

struct MergedText {
  std::string text;
  bool anew = false;  // it could not be changed in place: comments and order are gone
};

// `text` is that of `before`; `file` is where it was read from. Throws std::runtime_error for a model that no
// file can say.
MergedText merged_text(const std::string& text, const std::string& file, const Mechanism& before,
                       const Mechanism& after);

}  // namespace trammel::model
