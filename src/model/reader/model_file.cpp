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

constexpr std::size_t kMaxDataBytes = std::size_t{256} << 20U;  // five million triangles of an STL file

FileText unreadable(const std::string& path, const std::string& message, const std::string& remedy) {
  return {"", InputError{path, 0, 0, message, remedy}};
}

// At most so many bytes: a device may never end.
FileText read_bytes(const std::string& path, std::size_t most) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status))
    return unreadable(path, "there is no such file", "check the name and the folder");
  if (std::filesystem::is_directory(status))
    return unreadable(path, "this is a folder", "name the file in it");
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::string why = std::strerror(errno);
    return unreadable(path, fmt::format("cannot read the file: {}", why), "check its permissions");
  }
  FileText found;
  std::vector<char> chunk(1U << 16);
  while (found.text.size() <= most &&
         (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), file.gcount() > 0)) {
    found.text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  return found;
}

}  // namespace

FileText read_model_file(const std::string& path) { return read_bytes(path, kMaxModelBytes); }

FileText read_data_file(const std::string& path) {
  FileText found = read_bytes(path, kMaxDataBytes);
  if (found.text.size() > kMaxDataBytes)
    return unreadable(path, fmt::format("the file is larger than {} MB", kMaxDataBytes >> 20U),
                      "give a smaller one");
  return found;
}

}  // namespace trammel::model
