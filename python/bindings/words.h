// Messages are written for the command line. From Python the same thing is asked for in other words.
#pragma once

#include <string>

namespace trammel::python {

// The text with options of the command line as Python's functions have them: "--hold" is "hold=True".
std::string in_python(std::string text);

}  // namespace trammel::python
