#include "output_files.h"

#include <fmt/format.h>

#include <fstream>

#include "results/files/results_file.h"

namespace trammel::app {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& text) {
  const fs::path partial = path.string() + ".partial";
  std::ofstream file(partial);
  file << text;
  file.close();
  if (!file) throw results::WriteError(fmt::format("cannot write '{}'", path.string()));
  fs::rename(partial, path);
}

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
