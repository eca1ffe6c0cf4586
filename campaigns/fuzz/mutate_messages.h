// Lines of JSON (edits, commands, a journal), mutated and written again.
#pragma once

#include <string>

namespace trammel::fuzz {

std::string mutated_messages(const std::string& text, unsigned seed);

}  // namespace trammel::fuzz
