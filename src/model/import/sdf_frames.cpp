#include <fmt/format.h>

#include <algorithm>

#include "model/import/sdf.h"

namespace trammel::model {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

void SdfFrames::add(const std::string& name, SdfFrame frame) {
  XmlNode* node = frame.node;
  if (frames_.emplace(name, std::move(frame)).second || node == nullptr) return;
  reader_.refuse(*node, fmt::format("the name '{}' is taken", name), "give it another name");
}

Frame SdfFrames::world(const std::string& name, XmlNode& asked) {
  if (name.empty() || name == "world") return {};
  const auto found = frames_.find(name);
  if (found == frames_.end()) {
    reader_.refuse(asked, fmt::format("there is no link, joint, model or frame '{}'", name),
                   "name one of this file");
    return {};
  }
  SdfFrame& frame = found->second;
  if (frame.known == SdfFrame::Known::asked) {
    reader_.refuse(asked, fmt::format("the pose of '{}' is relative to itself", name), "break the circle");
    return {};
  }
  if (frame.known == SdfFrame::Known::no) {
    frame.known = SdfFrame::Known::asked;
    frame.world = world(frame.relative_to, frame.node != nullptr ? *frame.node : asked) * frame.pose;
    frame.known = SdfFrame::Known::yes;
  }
  return frame.world;
}

int SdfFrames::body(const std::string& name, XmlNode& asked) {
  std::string at = name;
  // each step leads to another frame, unless they form a circle
  for (std::size_t k = 0; k <= frames_.size(); ++k) {
    if (at.empty() || at == "world") return 0;
    const auto found = frames_.find(at);
    if (found == frames_.end()) break;
    if (found->second.body >= 0) return found->second.body;
    at = found->second.attached_to;
  }
  reader_.refuse(asked, fmt::format("'{}' is attached to no link", name), "name a link of this file");
  return 0;
}

Frame read_sdf_pose(ForeignReader& reader, XmlNode& node) {
  XmlNode* pose = node.child("pose");
  if (pose == nullptr || trimmed(pose->text).empty()) {
    if (pose != nullptr) ForeignReader::use(*pose);
    return {};
  }
  const std::string* format = ForeignReader::text(*pose, "rotation_format");
  const bool is_quaternion = format != nullptr && *format == "quat_xyzw";
  const std::string* in_degrees = ForeignReader::text(*pose, "degrees");
  const auto v = reader.own_numbers(*pose, is_quaternion ? 7 : 6, is_quaternion ? 7 : 6);
  if (!v) return {};
  const Vec3 at((*v)[0], (*v)[1], (*v)[2]);
  if (is_quaternion) {
    const Eigen::Quaterniond q((*v)[6], (*v)[3], (*v)[4], (*v)[5]);
    if (q.norm() > 0) return {at, q.normalized().toRotationMatrix()};
    reader.refuse(*pose, "the quaternion of a pose is zero", "give x y z w of a rotation");
    return {};
  }
  const double unit = in_degrees != nullptr && *in_degrees == "true" ? 3.141592653589793 / 180 : 1;
  return {at, from_rpy(unit * Vec3((*v)[3], (*v)[4], (*v)[5]))};
}

double sdf_number(ForeignReader& reader, XmlNode& node, const std::string& child, double otherwise) {
  XmlNode* found = node.child(child);
  if (found == nullptr) return otherwise;
  // SDF writes infinite limits so.
  const std::string text = trimmed(found->text);
  if (text == "inf" || text == "-inf") {
    ForeignReader::use(*found, "no limit");
    return text == "inf" ? 1e149 : -1e149;
  }
  const auto value = reader.own_numbers(*found, 1, 1);
  return value ? value->front() : otherwise;
}

const XmlNode* sdf_text(XmlNode& node, const std::string& child, std::string& text) {
  XmlNode* found = node.child(child);
  if (found == nullptr) return nullptr;
  ForeignReader::use(*found);
  text = trimmed(found->text);
  return found;
}

Inertial read_sdf_inertial(ForeignReader& reader, XmlNode& link, const Frame& at) {
  XmlNode* node = link.child("inertial");
  // SDF's default
  if (node == nullptr) return {1, at.at, Mat3::Identity()};
  ForeignReader::use(*node);
  if (const std::string* computed = ForeignReader::text(*node, "auto");
      computed != nullptr && *computed == "true")
    reader.refuse(*node, "auto=\"true\": masses of collision shapes are not known", "give mass and inertia");
  const Frame own = at * read_sdf_pose(reader, *node);
  const double mass = sdf_number(reader, *node, "mass", 1);
  Mat3 inertia = Mat3::Identity();
  if (XmlNode* tensor = node->child("inertia")) {
    ForeignReader::use(*tensor);
    const auto entry = [&](const char* key, double otherwise) {
      return sdf_number(reader, *tensor, key, otherwise);
    };
    const double xy = entry("ixy", 0), xz = entry("ixz", 0), yz = entry("iyz", 0);
    inertia << entry("ixx", 1), xy, xz, xy, entry("iyy", 1), yz, xz, yz, entry("izz", 1);
  }
  ForeignReader::ignore_children(*node, {"fluid_added_mass"}, "forces of a fluid are not simulated", true);
  ForeignReader::ignore_children(*node, {"density"}, "it is for auto=\"true\"");
  return {mass, own.at, own.axes * inertia * own.axes.transpose()};
}

}  // namespace trammel::model
