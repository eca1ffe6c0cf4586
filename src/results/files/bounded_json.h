// JSON from outside the program: of a journal, a log, a page.
//
// The JSON library copies and prints values recursively: brackets nested some ten thousand deep, which is a
// text of some ten kilobytes, would exhaust the stack.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace trammel::results {

inline constexpr int kMaxJsonDepth = 100;

// is_discarded(): the text is not JSON, or is nested deeper than kMaxJsonDepth.
nlohmann::json parse_json(std::string_view text);

}  // namespace trammel::results
