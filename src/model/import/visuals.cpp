#include "model/import/visuals.h"

#include <cstdlib>
#include <sstream>

namespace trammel::model {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_regular_file(path, unreadable);
}

// The file of a package: in a folder of its name that the robot's file lies in or beside, or in one of
// ROS_PACKAGE_PATH.
std::optional<fs::path> in_package(const fs::path& folder, const std::string& package, const fs::path& rest) {
  std::vector<fs::path> places;
  for (fs::path at = fs::weakly_canonical(folder); !at.empty(); at = at.parent_path()) {
    places.push_back(at);
    if (at == at.root_path()) break;
  }
  if (const char* listed = std::getenv("ROS_PACKAGE_PATH")) {
    std::istringstream all(listed);
    for (std::string one; std::getline(all, one, ':');) places.emplace_back(one);
  }
  for (const fs::path& place : places) {
    if (place.filename() == package && is_file(place / rest)) return place / rest;
    if (is_file(place / package / rest)) return place / package / rest;
  }
  return {};
}

}  // namespace

NamedFile named_file(const ForeignFile& file, const ImportOptions& options, const fs::path& path) {
  if (!is_file(path)) return {path.generic_string(), false};
  const fs::path folder =
      options.model_folder.empty() ? file.path.parent_path() : fs::path(options.model_folder);
  return {fs::proximate(path, folder.empty() ? fs::path(".") : folder).generic_string(), true};
}

NamedFile named_file(const ForeignFile& file, const ImportOptions& options, const std::string& uri) {
  const fs::path folder = file.path.parent_path();
  for (const std::string scheme : {"package://", "model://"}) {
    if (!uri.starts_with(scheme)) continue;
    const std::string inside = uri.substr(scheme.size());
    const std::size_t slash = inside.find('/');
    if (slash == std::string::npos) return {uri, false};
    const auto found = in_package(folder, inside.substr(0, slash), inside.substr(slash + 1));
    return found ? named_file(file, options, *found) : NamedFile{uri, false};
  }
  const fs::path path(uri.starts_with("file://") ? uri.substr(7) : uri);
  NamedFile found = named_file(file, options, folder / path);
  if (!found.is_there) found.name = uri;
  return found;
}

std::optional<std::vector<double>> drawn_numbers(XmlNote& note, const std::string& text, std::size_t least,
                                                 std::size_t most) {
  auto found = parse_numbers(text, least, most);
  note = found ? XmlNote{Treatment::drawn, "", false}
               : XmlNote{Treatment::ignored, "not numbers that could be drawn", false};
  return found;
}

std::optional<std::vector<double>> drawn_numbers(XmlNode& node, const char* attribute, std::size_t least,
                                                 std::size_t most) {
  XmlAttribute* a = node.attribute(attribute);
  if (a == nullptr) return {};
  return drawn_numbers(a->note, a->value, least, most);
}

std::optional<Colour> drawn_colour(const std::optional<std::vector<double>>& parts) {
  if (!parts) return {};
  for (const double part : *parts)
    if (!(part >= 0 && part <= 1)) return {};
  return Colour{(*parts)[0], (*parts)[1], (*parts)[2], parts->size() == 4 ? (*parts)[3] : 1};
}

void show(XmlNode& node) { node.note = {Treatment::drawn, "", false}; }

void settle_drawn(XmlNode& node) {
  const auto settle = [](XmlNote& note) {
    if (!note.outcome) note = {Treatment::ignored, "how other programs show it", false};
    if (note.outcome == Treatment::used) note.outcome = Treatment::drawn;
  };
  for (XmlAttribute& a : node.attributes) settle(a.note);
  for (XmlNode& child : node.children) {
    settle(child.note);
    settle_drawn(child);
  }
}

void leave_undrawn(XmlNode& node, const std::string& why) {
  node.note = {Treatment::ignored, why, false};
  for (XmlAttribute& a : node.attributes) a.note = {};
  for (XmlNode& child : node.children) leave_undrawn(child, why);
}

}  // namespace trammel::model
