// Model files that a page may open: those of a folder, and those that were opened before on this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace trammel::server {

// Opened lately, the last first; kept in a file of a line each. Without a file nothing is kept.
class RecentFiles {
 public:
  explicit RecentFiles(std::string file);
  // Under $XDG_STATE_HOME, or ~/.local/state; empty: there is neither.
  static std::string usual_file();

  const std::vector<std::string>& paths() const { return paths_; }  // absolute; files that are still there
  void add(const std::string& path);

 private:
  std::string file_;
  std::vector<std::string> paths_;
};

// As /models lists them: JSON.
std::string list_models(const std::string& folder, const RecentFiles& recent);

// A picture of each, made when it is asked for; again when the file is newer.
class Thumbnails {
 public:
  // SVG; empty: the file has nothing to draw, or is no model.
  const std::string& of(const std::string& path);

 private:
  struct Entry {
    long time = 0;
    std::string svg;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace trammel::server
