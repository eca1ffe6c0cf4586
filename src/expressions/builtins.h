// The built-in functions of the expression language, and how each becomes operations on the tape.
#pragma once

#include <span>
#include <string_view>

#include "expressions/tape_builder.h"

namespace trammel::expressions {

struct Builtin {
  static constexpr int kAnyNumber = -1;

  std::string_view name;
  std::string_view usage;
  int min_arguments;
  int max_arguments;  // kAnyNumber: no limit
  // Throws std::invalid_argument with what is wrong with constant arguments.
  int (*build)(TapeBuilder&, std::span<const int> arguments);
};

std::span<const Builtin> builtins();
const Builtin* find_builtin(std::string_view name);  // nullptr if there is none

}  // namespace trammel::expressions
