// Lines of JSON, as journals and the live protocol have them, and limits that keep one input short.
#pragma once

#include <string>
#include <vector>

#include "live/journal.h"
#include "support.h"

namespace trammel::fuzz {

constexpr std::size_t kMaxMessages = kMakesInputs ? 6 : 12, kFewMessages = 3;

// The first lines of a text, at most kMaxMessages; of three new inputs in four at most kFewMessages.
std::vector<std::string> lines_of(const std::string& text);

// Whether carrying it out takes few steps and iterations, and makes no large model.
bool is_short(const live::Json& message);

// A planar mechanism with a loop, a driver, a spring, an input, parameters and a stop, to be edited.
extern const char* const kEditedModel;
// The same, read once for all runs.
const live::LiveSource& edited_model();

}  // namespace trammel::fuzz
