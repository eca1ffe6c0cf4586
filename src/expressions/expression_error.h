// What is wrong with a text a person wrote, where, and what to do about it.
#pragma once

#include <cstddef>
#include <string>

namespace trammel::expressions {

struct ExpressionError {
  std::string message;
  std::size_t column = 0;  // 0-based offset in the text
};

}  // namespace trammel::expressions
