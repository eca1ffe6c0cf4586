// What is wrong with a text a person wrote, where, and what to do about it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trammel::expressions {

struct ExpressionError {
  std::string message;
  std::size_t column = 0;    // 0-based offset in the text
  std::string definition{};  // the error is in the text of this definition; column: of its name in the text
  // Definitions that use each other in a circle.
  std::vector<std::string> circle{};
};

}  // namespace trammel::expressions
