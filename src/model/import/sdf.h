// What the parts of the reader of SDF files share. http://sdformat.org/spec, versions 1.4 to 1.12.
//
// Every pose is relative to another frame: that of the model, of a link, of a joint, or of a <frame>. Names
// of what is in a nested model have its name before them: "arm::hand".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/import/formats.h"

namespace trammel::model {

// A frame that a pose places, and the body that it moves with.
struct SdfFrame {
  std::string relative_to;  // empty: the world
  std::string attached_to;  // empty: it is a link itself, or the world
  Frame pose = {};          // in that frame
  XmlNode* node = nullptr;
  int body = -1;  // of a link
  enum class Known { no, asked, yes } known = Known::no;
  Frame world = {};
};

class SdfFrames {
 public:
  explicit SdfFrames(ForeignReader& reader) : reader_(reader) {}

  // Adds a frame; refused if the name is taken.
  void add(const std::string& name, SdfFrame frame);
  bool has(const std::string& name) const { return frames_.contains(name); }
  // World, at the start. Frames that place each other in a circle, or that are not there, are refused where
  // they are asked for.
  Frame world(const std::string& name, XmlNode& asked);
  // The body that a frame moves with: its link; 0 for the world.
  int body(const std::string& name, XmlNode& asked);

 private:
  ForeignReader& reader_;
  std::map<std::string, SdfFrame> frames_;
};

struct SdfModel {
  std::string scope;  // before the names of what it has: "" or "arm::"
  bool is_static = false;
  std::string frame() const { return scope + "__model__"; }
};

// A joint with its frame; bodies follow once all frames are known.
struct SdfJoint {
  std::string name, frame, parent, child;
  SdfModel model;
  XmlNode* node = nullptr;
};

// <pose>, or none. Marks it.
Frame read_sdf_pose(ForeignReader& reader, XmlNode& node);
// The number that an element of this name holds.
double sdf_number(ForeignReader& reader, XmlNode& node, const std::string& child, double otherwise);
// The text between the tags of an element of this name, without spaces around it; null: there is none.
const XmlNode* sdf_text(XmlNode& node, const std::string& child, std::string& text);
// Mass, centre and inertia of a link that stands at `link`.
Inertial read_sdf_inertial(ForeignReader& reader, XmlNode& link, const Frame& at);

struct Sdf {
  ForeignReader& reader;
  ForeignFile& file;
  double version = 0;
  Robot robot = {};
  SdfFrames frames;
  std::vector<SdfJoint> joints = {};
  std::map<std::string, int> joint_index = {};  // by scoped name: the first coordinate of a joint
};
void add_sdf_joint(Sdf& sdf, SdfJoint& joint);
void add_sdf_mimics(Sdf& sdf);

}  // namespace trammel::model
