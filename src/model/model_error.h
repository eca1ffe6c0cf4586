// One thing wrong with a model file: where, what, and what to do about it.
#pragma once

#include <string>

namespace trammel {

struct InputError {
  std::string file;
  int line = 0;  // from 1; 0: the file as a whole, or a setting of the command line
  int column = 0;
  std::string message;
  std::string remedy;
};

// "file:line:column: message; remedy"
std::string to_string(const InputError& error);

}  // namespace trammel
