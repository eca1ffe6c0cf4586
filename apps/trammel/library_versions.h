// Versions of the libraries that the program was built with; CMake makes library_versions.cpp.
#pragma once

#include <span>
#include <string_view>

namespace trammel::app {

struct LibraryVersion {
  std::string_view name, version;
};

std::span<const LibraryVersion> library_versions();

}  // namespace trammel::app
