// What a URDF file says, before links have places.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/import/formats.h"

namespace trammel::model {

struct UrdfLink {
  std::string name;
  double mass = 0;
  Frame inertial;               // of the inertia, in the link's frame
  Mat3 inertia = Mat3::Zero();  // in the inertial frame
  std::vector<DrawnShape> drawn = {};
  XmlNode* node = nullptr;
};

struct UrdfMimic {
  std::string of;
  double multiplier = 1, offset = 0;
  XmlNode* node = nullptr;
};

struct UrdfJoint {
  enum class Motion { welded, floating, jointed };
  std::string name, parent, child;
  Motion motion = Motion::welded;
  Joint::Kind kind = Joint::Kind::revolute;
  Frame origin;  // of the child's frame at coordinate zero, in the parent's
  Vec3 axis = Vec3::UnitX();
  Vec3 axis2 = Vec3::UnitX();  // universal: the axis fixed to the parent
  std::optional<double> lower, upper;
  double damping = 0, friction = 0;
  std::optional<UrdfMimic> mimic;
  double start = 0;
  XmlNode* node = nullptr;

  bool has_coordinate() const {
    return motion == Motion::jointed && (kind == Joint::Kind::revolute || kind == Joint::Kind::prismatic);
  }
  // The child's frame in the parent's, where the coordinate has its start value.
  Frame placed() const;
};

// The side file of an extended URDF: which frames coincide, and joints that URDF has no type for.
struct UrdfLoops {
  struct Pair {
    std::string first, second;  // names of joints or links
    bool whole = true;          // '6d': axes too; '3d': origins
    int line = 0;
  };
  std::vector<Pair> pairs;
  std::map<std::string, std::string> joint_types;  // by name: SPHERICAL, FIXED, UJOINT_XY
  std::string file;
};
UrdfLoops read_urdf_loops(ForeignReader& reader, ForeignFile& file);

std::optional<UrdfLink> read_urdf_link(ForeignReader& reader, XmlNode& node);
std::optional<UrdfJoint> read_urdf_joint(ForeignReader& reader, XmlNode& node, const UrdfLoops& loops);

// Coordinates at the start: zero, or the nearest that limits allow; of a joint that mimics another what
// follows. Limits of a joint that mimics go to the one that it follows at last. A joint that mimics one that
// does not move is welded.
void settle_mimics(ForeignReader& reader, std::vector<UrdfJoint>& joints);

}  // namespace trammel::model
