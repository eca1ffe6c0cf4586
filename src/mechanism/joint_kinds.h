// Joint kinds: one table of everything that the program knows of a kind of joint apart from its equations.
//
// Readers, writers, validation, the JSON Schema, docs/model-format.md, live edits, the scene and the viewer
// read this table; nothing else lists or names kinds. A new kind is one value of Joint::Kind, one entry here,
// its equations (system/constraints, one line in the list of parts) and, where the generic fields do not say
// everything, its reading and writing. `trammel describe joints` prints the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mechanism/kind_fields.h"
#include "trammel/mechanism.h"

namespace trammel {
struct Issue;
}  // namespace trammel

namespace trammel::mechanism {

struct MechanismIndex;

// How the markers' axes are set. An axis that is given lies along the marker's z axis in space and along its
// x axis in the plane, unless a line below says otherwise.
enum class JointFrames {
  own,      // those of the bodies: no direction is held
  world,    // both are the world's at the start: the relative orientation is held
  along,    // the joint's axis on both bodies
  crossed,  // an axis on each body, perpendicular to each other
  shafts,   // a shaft's axis on each body, at any angle but opposite
  second,   // the direction of a line, or the normal of a plane, on the second body only
  edge,     // x on both: the first body's edge
  wheel,    // on the second body the normal of what the first rolls on: y in the plane, z in space
  disk      // the same, and on the first body its axis, z
};

// What the second marker keeps of the first marker's origin.
enum class JointHold { nothing, point, line, plane, distance };

// What the names in Joint::of are.
enum class JointOf { nothing, joints, signals };

// Which coordinates a coupler needs of a joint that it names.
enum class CoupledCoordinate { angle, displacement, both };

// What Joint::value means.
struct JointValue {
  enum class Range { any, positive, not_zero };
  const char* key = nullptr;  // in model files; none: the kind has no value
  const char* unit = "";      // empty: a plain number
  Range range = Range::any;
};

struct JointInfo {
  Joint::Kind kind;
  const char* name;  // in the scene and in edits; also the key in model files, if there are `fields`
  const char* doc;   // one sentence
  mechanism::PlaneAndSpace<bool> exists;
  // Two markers; a pin may have more, kinds that tie `of` have none.
  const char* first = "";   // what the first marker is; empty: no markers
  const char* second = "";  // what the second one is
  mechanism::PlaneAndSpace<JointFrames> frames{JointFrames::own, JointFrames::own};
  mechanism::PlaneAndSpace<int> equations = {};  // of positions; freedoms left are 3 or 6 less these
  mechanism::PlaneAndSpace<int> speeds = {};     // equations of velocities alone
  mechanism::PlaneAndSpace<bool> angle = {};     // the joint has this coordinate
  mechanism::PlaneAndSpace<bool> displacement = {};
  JointOf of = JointOf::nothing;
  std::vector<CoupledCoordinate> couples = {};  // of each joint in `of`
  JointValue value = {};
  bool teeth = false;  // Joint::teeth means something
  JointHold hold = JointHold::nothing;
  bool is_pin = false;  // at a point that both bodies carry it takes the place of the point's own joint
  // How it is drawn (viewer/src/render/joints.ts).
  mechanism::PlaneAndSpace<const char*> drawn{"nothing", "nothing"};
  mechanism::PlaneAndSpace<bool> offered = {};  // a page may add it between two points
  // Keys of the model file, the kind's own first; none: the kind is written with another kind's keys.
  std::vector<mechanism::KindField> fields = {};
  // What must be right besides what the table says; may be null.
  void (*validate)(const Mechanism&, const mechanism::MechanismIndex&, const Joint&,
                   std::vector<Issue>&) = nullptr;

  bool has_markers() const { return *first != '\0'; }
  bool has_speeds() const { return speeds.plane + speeds.space > 0; }
  // It holds a direction of each body, which a point mass does not have.
  bool holds_directions(bool is_planar) const {
    const JointFrames f = frames.in(is_planar);
    return f != JointFrames::own && f != JointFrames::second;
  }
  // As messages and the schema call it: "revolute joint", "gear".
  std::string title() const { return of == JointOf::joints ? name : std::string(name) + " joint"; }
};

// In the order of Joint::Kind.
const std::vector<JointInfo>& joint_kinds();
const JointInfo& about(Joint::Kind kind);
const JointInfo* find_joint_kind(std::string_view name);
// As the scene spells it: "point-on-line".
std::string to_string(Joint::Kind kind);

}  // namespace trammel::mechanism
