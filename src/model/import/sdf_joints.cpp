// <joint> of SDF. A joint's frame stands on its child. Universal joints and revolute2 are two hinges with a
// massless body between them: the first axis is fixed to the parent, the second to the child.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/import/robot_parts.h"
#include "model/import/sdf.h"

namespace trammel::model {
namespace {

struct SdfType {
  const char* name;
  Joint::Kind kind;
  int axes;
};

constexpr std::array<SdfType, 7> kSdfTypes = {{
    {"revolute", Joint::Kind::revolute, 1},
    {"continuous", Joint::Kind::revolute, 1},
    {"prismatic", Joint::Kind::prismatic, 1},
    {"universal", Joint::Kind::revolute, 2},
    {"revolute2", Joint::Kind::revolute, 2},
    {"ball", Joint::Kind::spherical, 0},
    {"fixed", Joint::Kind::fixed, 0},
}};

// Larger limits are none: SDF's default is 1e16.
constexpr double kNoLimit = 1e15;

class SdfJointReader {
 public:
  SdfJointReader(Sdf& sdf, SdfJoint& from) : sdf_(sdf), reader_(sdf.reader), from_(from), node_(*from.node) {}

  void add() {
    const std::string* type_name = ForeignReader::text(node_, "type");
    const auto* type = std::ranges::find_if(
        kSdfTypes, [&](const SdfType& t) { return type_name != nullptr && *type_name == t.name; });
    if (type == kSdfTypes.end()) {
      std::vector<std::string> names;
      for (const SdfType& t : kSdfTypes) names.emplace_back(t.name);
      reader_.refuse(node_,
                     fmt::format("joint '{}': type '{}' is not known", from_.name,
                                 type_name == nullptr ? "" : *type_name),
                     fmt::format("use one of {}", fmt::join(names, ", ")));
      return;
    }
    parent_ = sdf_.frames.body(from_.parent, node_);
    child_ = sdf_.frames.body(from_.child, node_);
    frame_ = sdf_.frames.world(from_.frame, node_);
    if (type->kind == Joint::Kind::fixed)
      weld_bodies();
    else if (type->axes == 0)
      push(type->kind, nullptr, from_.name, child_, parent_);
    else
      add_axes(*type);
    ForeignReader::ignore_children(node_, {"sensor", "plugin"}, "it has no influence on the motion");
    ForeignReader::ignore_children(node_, {"physics"}, "of Gazebo's solvers");
  }

 private:
  void weld_bodies() {
    const std::string names = fmt::format("'{}' and '{}' are one body", from_.parent, from_.child);
    weld(sdf_.robot, child_, parent_);
    ForeignReader::use(node_, names);
  }

  void add_axes(const SdfType& type) {
    XmlNode *first = node_.child("axis"), *second = node_.child("axis2");
    if (first == nullptr || (type.axes == 2 && second == nullptr))
      return reader_.refuse(
          node_, fmt::format("joint '{}' has no {}", from_.name, first == nullptr ? "axis" : "axis2"),
          "add it");
    if (type.axes == 1) {
      push(type.kind, first, from_.name, child_, parent_, std::string(type.name) == "continuous");
      return;
    }
    const int between = static_cast<int>(sdf_.robot.bodies.size());
    RobotBody cross{.name = from_.name + "_cross", .placement = frame_};
    sdf_.robot.bodies.push_back(std::move(cross));
    push(type.kind, first, from_.name, between, parent_);
    push(type.kind, second, from_.name + "_2", child_, between);
  }

  void push(Joint::Kind kind, XmlNode* axis, const std::string& name, int child, int parent,
            bool turns_on = false) {
    RobotJoint joint{.name = name, .kind = kind, .child = child, .parent = parent};
    joint.at = frame_.at;
    joint.node = &node_;
    if (axis != nullptr) read_axis(*axis, turns_on, joint);
    if (axis != nullptr) sdf_.joint_index.emplace(name, static_cast<int>(sdf_.robot.joints.size()));
    sdf_.robot.joints.push_back(std::move(joint));
  }

  // In the axes of the joint; before version 1.5 in those of the model.
  Mat3 axes_of(XmlNode& axis, XmlNode& xyz) {
    if (const std::string* in = ForeignReader::text(xyz, "expressed_in"); in != nullptr && !in->empty())
      return sdf_.frames.world(*in == "world" ? *in : from_.model.scope + *in, xyz).axes;
    std::string flag;
    const bool is_given = sdf_text(axis, "use_parent_model_frame", flag) != nullptr;
    const bool of_model = is_given ? flag == "1" || flag == "true" : sdf_.version < 1.5;
    return of_model ? sdf_.frames.world(from_.model.frame(), axis).axes : frame_.axes;
  }

  void read_axis(XmlNode& axis, bool turns_on, RobotJoint& joint) {
    ForeignReader::use(axis);
    Vec3 direction = Vec3::UnitZ();
    Mat3 in = frame_.axes;
    if (XmlNode* xyz = axis.child("xyz")) {
      const auto given = reader_.own_numbers(*xyz, 3, 3);
      if (given) direction = Vec3((*given)[0], (*given)[1], (*given)[2]);
      if (direction.norm() < 1e-12)
        return reader_.refuse(*xyz, fmt::format("joint '{}': its axis is zero", from_.name),
                              "give a direction");
      in = axes_of(axis, *xyz);
    }
    joint.axis = in * direction.stableNormalized();
    if (XmlNode* limit = axis.child("limit")) read_limit(*limit, turns_on, joint);
    if (XmlNode* dynamics = axis.child("dynamics")) read_dynamics(*dynamics, joint);
    ForeignReader::ignore_children(axis, {"initial_position"},
                                   "joints start at zero, where the file places the links", true);
  }

  void read_limit(XmlNode& node, bool turns_on, RobotJoint& joint) {
    ForeignReader::use(node);
    ForeignReader::ignore_children(node, {"effort", "velocity"},
                                   "limits of a drive: the joint itself has none");
    ForeignReader::ignore_children(node, {"stiffness", "dissipation"}, "stops of Trammel are rigid");
    const double lower = sdf_number(reader_, node, "lower", -1e16),
                 upper = sdf_number(reader_, node, "upper", 1e16);
    if (turns_on) return;
    if (lower > upper)
      return reader_.refuse(node,
                            fmt::format("joint '{}': lower {} is above upper {}", from_.name, lower, upper),
                            "give the lower limit first");
    if (lower > 0 || upper < 0 || lower == upper) {
      ForeignReader::ignore(
          node, "no stop is made: the joint starts at zero, which they do not allow to move from", true);
      return;
    }
    if (lower > -kNoLimit) joint.lower = lower;
    if (upper < kNoLimit) joint.upper = upper;
  }

  void read_dynamics(XmlNode& node, RobotJoint& joint) {
    ForeignReader::use(node);
    joint.damping = sdf_number(reader_, node, "damping", 0);
    joint.friction = sdf_number(reader_, node, "friction", 0);
    joint.stiffness = sdf_number(reader_, node, "spring_stiffness", 0);
    joint.free = sdf_number(reader_, node, "spring_reference", 0);
    if (joint.damping < 0 || joint.friction < 0 || joint.stiffness < 0)
      reader_.refuse(
          node,
          fmt::format("joint '{}': damping, friction and spring_stiffness must not be negative", from_.name),
          "give zero or more");
  }

  Sdf& sdf_;
  ForeignReader& reader_;
  SdfJoint& from_;
  XmlNode& node_;
  int parent_ = 0, child_ = 0;
  Frame frame_;
};

}  // namespace

void add_sdf_joint(Sdf& sdf, SdfJoint& joint) { SdfJointReader(sdf, joint).add(); }

// follower = multiplier · (leader − reference) + offset
void add_sdf_mimics(Sdf& sdf) {
  for (SdfJoint& joint : sdf.joints)
    for (const char* which : {"axis", "axis2"}) {
      XmlNode* axis = joint.node->child(which);
      XmlNode* mimic = axis == nullptr ? nullptr : axis->child("mimic");
      if (mimic == nullptr) continue;
      ForeignReader::use(*mimic);
      const std::string suffix = which == std::string("axis2") ? "_2" : "";
      const std::string* of = ForeignReader::text(*mimic, "joint");
      const std::string* leads = ForeignReader::text(*mimic, "axis");
      const std::string leader = joint.model.scope + (of == nullptr ? "" : *of) +
                                 (leads != nullptr && *leads == "axis2" ? "_2" : "");
      const auto first = sdf.joint_index.find(joint.name + suffix), second = sdf.joint_index.find(leader);
      const double multiplier = sdf_number(sdf.reader, *mimic, "multiplier", 1);
      const double constant = sdf_number(sdf.reader, *mimic, "offset", 0) -
                              multiplier * sdf_number(sdf.reader, *mimic, "reference", 0);
      if (first == sdf.joint_index.end() || second == sdf.joint_index.end())
        sdf.reader.refuse(
            *mimic,
            fmt::format("joint '{}' mimics '{}', which is no joint with a coordinate", joint.name, leader),
            "name a joint of this model");
      else if (constant != 0 || multiplier == 0)
        sdf.robot.relations.push_back({joint.name + suffix + "_mimic",
                                       {{first->second, 1}},
                                       {{second->second, 1}},
                                       {constant, multiplier},
                                       0,
                                       0,
                                       mimic});
      else
        sdf.robot.couplings.push_back(
            {joint.name + suffix + "_mimic", first->second, second->second, multiplier, mimic});
    }
}

}  // namespace trammel::model
