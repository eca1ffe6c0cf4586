// Model files to start from, kept in the program: apps/trammel/starters of the sources. CMake makes
// starters.cpp.
#pragma once

#include <span>
#include <string_view>

namespace trammel::app {

struct Starter {
  std::string_view name, text;
};

std::span<const Starter> starters();

}  // namespace trammel::app
