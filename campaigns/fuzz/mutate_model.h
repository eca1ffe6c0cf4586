// Model files as trees, mutated and written again.
#pragma once

#include <string>

namespace trammel::fuzz {

// A text that is no YAML comes back as it is.
std::string mutated_model(const std::string& text, unsigned seed);
std::string crossed_models(const std::string& text, const std::string& other, unsigned seed);

// Settings of a model, one a line: "path=value".
std::string mutated_settings(const std::string& text, const std::string& model, unsigned seed);

}  // namespace trammel::fuzz
