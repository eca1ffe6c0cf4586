#include "model/reader/model_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "model/yaml/yaml_tree.h"

namespace trammel::model {
namespace {

FileText unreadable(const std::string& path, const std::string& message, const std::string& remedy) {
  return {"", InputError{path, 0, 0, message, remedy}};
}

}  // namespace

FileText read_model_file(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status))
    return unreadable(path, "there is no such file", "check the name and the folder");
  if (std::filesystem::is_directory(status))
    return unreadable(path, "this is a folder", "name the model file in it");
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::string why = std::strerror(errno);
    return unreadable(path, fmt::format("cannot read the file: {}", why), "check its permissions");
  }
  // one byte more than allowed, for the parser to refuse: a device may never end
  FileText found;
  std::vector<char> chunk(1U << 16);
  while (found.text.size() <= kMaxModelBytes &&
         (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), file.gcount() > 0)) {
    found.text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  return found;
}

}  // namespace trammel::model
