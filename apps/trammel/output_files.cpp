#include "output_files.h"

#include <fmt/format.h>

#include <fstream>

namespace trammel::app {

namespace fs = std::filesystem;

void require_writable(const fs::path& path) {
  const fs::path partial = path.string() + ".partial";
  const bool opened = !fs::is_directory(path) && std::ofstream(partial).is_open();
  if (!opened)
    throw results::WriteError(fmt::format(
        "cannot write '{}'; give a file in a folder that exists and can be written to", path.string()));
  fs::remove(partial);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw results::WriteError(
        fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
}

}  // namespace trammel::app
