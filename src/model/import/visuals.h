// What foreign files show of bodies, as shapes of the model. Nothing here is refused: what cannot be drawn is
// ignored, and the ledger has the reason.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/import/formats.h"

namespace trammel::model {

// A file that a robot's file names by a path, or by package://NAME/PATH, model://NAME/PATH or file://PATH.
struct NamedFile {
  std::string name;  // as the model names it: relative to the folder of the model
  bool is_there = false;
};
NamedFile named_file(const ForeignFile& file, const ImportOptions& options, const std::string& uri);
NamedFile named_file(const ForeignFile& file, const ImportOptions& options,
                     const std::filesystem::path& path);

// Numbers of a text, which is marked as drawn; else as ignored.
std::optional<std::vector<double>> drawn_numbers(XmlNote& note, const std::string& text, std::size_t least,
                                                 std::size_t most);
// The same of an attribute; none if it is not there.
std::optional<std::vector<double>> drawn_numbers(XmlNode& node, const char* attribute, std::size_t least,
                                                 std::size_t most);
// Three or four parts of one; none if they are not.
std::optional<Colour> drawn_colour(const std::optional<std::vector<double>>& parts);

// Marks an element as drawn.
void show(XmlNode& node);
// Below an element that is drawn: what was read is drawn, what was not is how other programs show it.
void settle_drawn(XmlNode& node);
// The element and all in it is ignored, because its shape is not known.
void leave_undrawn(XmlNode& node, const std::string& why);

// <visual> of URDF links and the materials of the robot.
class UrdfVisuals {
 public:
  UrdfVisuals(const ForeignFile& file, const ImportOptions& options);
  // In the frame of the link.
  std::vector<DrawnShape> read(XmlNode& link) const;

 private:
  std::optional<DrawnShape> read_visual(XmlNode& node) const;

  const ForeignFile& file_;
  const ImportOptions& options_;
  std::vector<std::pair<std::string, Colour>> materials_;
};

// The shape of <visual> in an SDF file, in its own frame.
std::optional<DrawnShape> read_sdf_visual(const ForeignFile& file, const ImportOptions& options,
                                          XmlNode& visual);

}  // namespace trammel::model
