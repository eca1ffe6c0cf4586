// Links and joints of a URDF file. The inertia tensor stands in the inertial frame, which `rpy` turns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "model/import/urdf.h"

namespace trammel::model {
namespace {

struct UrdfType {
  const char* name;
  UrdfJoint::Motion motion;
  Joint::Kind kind;
  bool has_limits;
};

constexpr std::array<UrdfType, 8> kUrdfTypes = {{
    {"revolute", UrdfJoint::Motion::jointed, Joint::Kind::revolute, true},
    {"continuous", UrdfJoint::Motion::jointed, Joint::Kind::revolute, false},
    {"prismatic", UrdfJoint::Motion::jointed, Joint::Kind::prismatic, true},
    {"planar", UrdfJoint::Motion::jointed, Joint::Kind::planar, false},
    {"floating", UrdfJoint::Motion::floating, Joint::Kind::fixed, false},
    {"fixed", UrdfJoint::Motion::welded, Joint::Kind::fixed, false},
    {"spherical", UrdfJoint::Motion::jointed, Joint::Kind::spherical, false},
    {"universal", UrdfJoint::Motion::jointed, Joint::Kind::universal, false},
}};

// The axes of UJOINT_XY in a side file: x is fixed to the parent, y to the child.
std::optional<std::pair<Vec3, Vec3>> universal_axes(const std::string& type) {
  constexpr std::string_view kBegin = "ujoint_";
  if (type.size() != kBegin.size() + 2 || !type.starts_with(kBegin)) return {};
  const char first = type[kBegin.size()], second = type[kBegin.size() + 1];
  const auto unit = [](char c) { return Vec3(Vec3::Unit(c - 'x')); };
  const bool are_axes = first >= 'x' && first <= 'z' && second >= 'x' && second <= 'z';
  if (!are_axes || first == second) return {};
  return std::pair(unit(first), unit(second));
}

const UrdfType* find_type(const std::string& name) {
  const auto found = std::ranges::find_if(kUrdfTypes, [&](const UrdfType& t) { return name == t.name; });
  return found == kUrdfTypes.end() ? nullptr : &*found;
}

std::string type_names() {
  std::vector<std::string> names;
  for (const UrdfType& type : kUrdfTypes)
    if (type.kind != Joint::Kind::universal) names.emplace_back(type.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Frame read_origin(ForeignReader& reader, XmlNode& node) {
  XmlNode* origin = node.child("origin");
  if (origin == nullptr) return {};
  ForeignReader::use(*origin);
  return {reader.vector(*origin, "xyz", Vec3::Zero()), from_rpy(reader.vector(*origin, "rpy", Vec3::Zero()))};
}

std::string link_of(ForeignReader& reader, XmlNode& joint, const char* role) {
  XmlNode* node = joint.child(role);
  const std::string* link = node == nullptr ? nullptr : ForeignReader::text(*node, "link");
  if (node != nullptr) ForeignReader::use(*node);
  if (link != nullptr) return *link;
  reader.refuse(joint, fmt::format("joint '{}' has no {} link", joint.attribute("name")->value, role),
                fmt::format("add <{} link=\"…\"/>", role));
  return "";
}

void read_limit(ForeignReader& reader, XmlNode& node, const UrdfType& type, UrdfJoint& joint) {
  ForeignReader::use(node);
  ForeignReader::ignore_attributes(node, {"effort", "velocity"},
                                   "limits of a drive: the joint itself has none");
  if (!type.has_limits) {
    ForeignReader::ignore_attributes(node, {"lower", "upper"},
                                     fmt::format("a joint of type {} has no limits", type.name));
    return;
  }
  joint.lower = reader.number(node, "lower");
  joint.upper = reader.number(node, "upper");
  if (!joint.lower && !joint.upper) {
    node.note.reason = "no lower and upper: no stop is made, although URDF takes both for 0";
    return;
  }
  // URDF's own default for the one that is left out
  joint.lower = joint.lower.value_or(0);
  joint.upper = joint.upper.value_or(0);
  if (*joint.lower < *joint.upper) return;
  const std::string why =
      fmt::format("no stop is made: lower {} is not below upper {}", *joint.lower, *joint.upper);
  ForeignReader::ignore_attributes(node, {"lower", "upper"}, why, true);
  joint.lower.reset();
  joint.upper.reset();
}

void read_dynamics(ForeignReader& reader, XmlNode& node, UrdfJoint& joint) {
  ForeignReader::use(node);
  const double damping = reader.number(node, "damping", 0), friction = reader.number(node, "friction", 0);
  if (damping < 0 || friction < 0)
    reader.refuse(node,
                  fmt::format("joint '{}': damping {} and friction {} must not be negative", joint.name,
                              damping, friction),
                  "give zero or more");
  if (joint.has_coordinate()) {
    joint.damping = damping;
    joint.friction = friction;
  } else if (damping != 0 || friction != 0) {
    ForeignReader::ignore(node, "this type of joint has no coordinate for damping and friction", true);
  }
}

void read_mimic(ForeignReader& reader, XmlNode& node, UrdfJoint& joint) {
  ForeignReader::use(node);
  const std::string* of = ForeignReader::text(node, "joint");
  if (of == nullptr)
    return reader.refuse(node, fmt::format("joint '{}' mimics no joint", joint.name),
                         "add joint=\"…\" to <mimic>");
  UrdfMimic mimic{*of, reader.number(node, "multiplier", 1), reader.number(node, "offset", 0), &node};
  if (joint.has_coordinate())
    joint.mimic = mimic;
  else
    ForeignReader::ignore(node, "this type of joint has no coordinate that could follow another", true);
}

}  // namespace

Frame UrdfJoint::placed() const {
  if (motion != Motion::jointed) return origin;
  if (kind == Joint::Kind::revolute)
    return origin * Frame{Vec3::Zero(), Eigen::AngleAxisd(start, axis).toRotationMatrix()};
  if (kind == Joint::Kind::prismatic) return origin * Frame{start * axis, Mat3::Identity()};
  return origin;
}

std::optional<UrdfLink> read_urdf_link(ForeignReader& reader, XmlNode& node) {
  ForeignReader::use(node);
  const std::string* name = ForeignReader::text(node, "name");
  if (name == nullptr) {
    reader.refuse(node, "a link has no name", "add name=\"…\"");
    return {};
  }
  UrdfLink link;
  link.name = *name;
  link.node = &node;
  ForeignReader::ignore_attributes(node, {"type"}, "URDF knows no types of links");
  ForeignReader::ignore_children(node, {"collision", "contact", "self_collision_checking"},
                                 "contact between bodies is not simulated");
  XmlNode* inertial = node.child("inertial");
  if (inertial == nullptr) return link;
  ForeignReader::use(*inertial);
  link.inertial = read_origin(reader, *inertial);
  XmlNode* mass = inertial->child("mass");
  if (mass == nullptr) {
    reader.refuse(*inertial, fmt::format("link '{}' has an inertial without a mass", *name),
                  "add <mass value=\"…\"/>, or remove <inertial>");
    return link;
  }
  ForeignReader::use(*mass);
  link.mass = reader.number(*mass, "value", 0);
  if (XmlNode* inertia = inertial->child("inertia")) {
    ForeignReader::use(*inertia);
    const auto entry = [&](const char* key) { return reader.number(*inertia, key, 0); };
    const double xy = entry("ixy"), xz = entry("ixz"), yz = entry("iyz");
    link.inertia << entry("ixx"), xy, xz, xy, entry("iyy"), yz, xz, yz, entry("izz");
  }
  return link;
}

std::optional<UrdfJoint> read_urdf_joint(ForeignReader& reader, XmlNode& node, const UrdfLoops& loops) {
  ForeignReader::use(node);
  const std::string* name = ForeignReader::text(node, "name");
  const std::string* type_name = ForeignReader::text(node, "type");
  if (name == nullptr || type_name == nullptr) {
    reader.refuse(node, fmt::format("a joint has no {}", name == nullptr ? "name" : "type"),
                  name == nullptr ? "add name=\"…\"" : "add type=\"…\", one of " + type_names());
    return {};
  }
  const auto other = loops.joint_types.find(*name);
  const bool is_replaced = other != loops.joint_types.end();
  const std::string given = is_replaced ? lower_case(other->second) : *type_name;
  const auto two_axes = is_replaced ? universal_axes(given) : std::nullopt;
  const UrdfType* type = given == "universal" ? nullptr : find_type(two_axes ? "universal" : given);
  if (type == nullptr) {
    const std::string wrong = is_replaced ? other->second : *type_name;
    reader.refuse(node, *node.attribute("type"),
                  fmt::format("joint '{}' has the unknown type '{}'", *name, wrong),
                  "use one of " + type_names());
    return {};
  }
  if (is_replaced)
    node.attribute("type")->note = {Treatment::ignored,
                                    fmt::format("{} has {} for it", loops.file, other->second), false};
  UrdfJoint joint;
  joint.name = *name;
  joint.node = &node;
  joint.motion = type->motion;
  joint.kind = type->kind;
  joint.parent = link_of(reader, node, "parent");
  joint.child = link_of(reader, node, "child");
  joint.origin = read_origin(reader, node);
  if (two_axes) std::tie(joint.axis2, joint.axis) = *two_axes;
  const bool has_axis = joint.motion == UrdfJoint::Motion::jointed && joint.kind != Joint::Kind::spherical &&
                        joint.kind != Joint::Kind::universal;
  if (XmlNode* axis = node.child("axis")) {
    if (has_axis) {
      ForeignReader::use(*axis);
      joint.axis = reader.direction(*axis, "xyz", Vec3::UnitX());
    } else {
      ForeignReader::ignore(*axis, fmt::format("a joint of type {} has no axis", type->name));
    }
  }
  if (XmlNode* limit = node.child("limit")) read_limit(reader, *limit, *type, joint);
  if (XmlNode* dynamics = node.child("dynamics")) read_dynamics(reader, *dynamics, joint);
  if (XmlNode* mimic = node.child("mimic")) read_mimic(reader, *mimic, joint);
  ForeignReader::ignore_children(node, {"calibration", "safety_controller"},
                                 "of a controller, not of the mechanism");
  return joint;
}

}  // namespace trammel::model
