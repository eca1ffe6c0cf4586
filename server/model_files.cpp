#include "server/model_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "results/scene/thumbnail.h"
#include "trammel/model.h"

namespace trammel::server {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRecent = 12;

bool is_model_file(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

// The value of the key `name:`, read without the rest of the file.
std::string name_in(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  for (int k = 0; k < 200 && std::getline(file, line); ++k) {
    if (!line.starts_with("name:")) continue;
    const std::size_t begin = line.find_first_not_of(" \"'", 5), end = line.find_last_not_of(" \"'\r");
    if (begin != std::string::npos && end >= begin) return line.substr(begin, end - begin + 1);
  }
  return path.stem().string();
}

}  // namespace

RecentFiles::RecentFiles(std::string file) : file_(std::move(file)) {
  std::ifstream in(file_);
  std::error_code ignored;
  for (std::string line; paths_.size() < kMostRecent && std::getline(in, line);)
    if (fs::path(line).is_absolute() && is_model_file(line) && fs::exists(line, ignored))
      paths_.push_back(line);
}

std::string RecentFiles::usual_file() {
  const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
  if (state != nullptr && *state != '\0') return (fs::path(state) / "trammel" / "recent").string();
  if (home != nullptr && *home != '\0')
    return (fs::path(home) / ".local" / "state" / "trammel" / "recent").string();
  return {};
}

void RecentFiles::add(const std::string& path) {
  if (file_.empty() || !is_model_file(path)) return;
  std::error_code ignored;
  const std::string full = fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
  std::erase(paths_, full);
  paths_.insert(paths_.begin(), full);
  if (paths_.size() > kMostRecent) paths_.resize(kMostRecent);
  // A list that cannot be written is no reason to stop.
  fs::create_directories(fs::path(file_).parent_path(), ignored);
  std::ofstream out(file_);
  for (const std::string& one : paths_) out << one << "\n";
}

std::string list_models(const std::string& folder, const RecentFiles& recent) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_model_file(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Json list = Json::array();
  for (const fs::path& path : files)
    list.push_back({{"path", path.filename().string()}, {"name", name_in(path)}});
  for (const std::string& path : recent.paths())
    if (fs::path(path).parent_path() != fs::weakly_canonical(folder, ignored))
      list.push_back({{"path", path}, {"name", name_in(path)}, {"recent", true}});
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const std::string& Thumbnails::of(const std::string& path) {
  std::error_code failed;
  const auto changed = fs::last_write_time(path, failed);
  const long time = failed ? 0 : static_cast<long>(changed.time_since_epoch().count());
  Entry& entry = entries_[path];
  if (entry.time == time && time != 0) return entry.svg;
  entry.time = time;
  const ModelInput input = read_model(path, {}, UnreadOptions::allowed);
  entry.svg = input ? results::thumbnail_svg(input.mechanism) : std::string();
  return entry.svg;
}

}  // namespace trammel::server
