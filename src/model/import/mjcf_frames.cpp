// Places and orientations of MJCF, and other values that its elements share.
#include <fmt/format.h>

#include <cmath>

#include "model/import/mjcf.h"

namespace trammel::model {
namespace {

// As MuJoCo has it: below this a direction is none.
constexpr double kNoDirection = 1e-14;

Vec3 unit(const MjcfElement& e, const char* attribute, const Vec3& v, const Vec3& otherwise) {
  if (v.norm() > kNoDirection) return v.stableNormalized();
  e.refuse(attribute, fmt::format("{}: {} has no direction", xml_label(e.node()), attribute),
           "give directions that are not zero");
  return otherwise;
}

}  // namespace

Mat3 turn_z_to(const Vec3& direction) {
  const Vec3 z = direction.stableNormalized(), across = Vec3::UnitZ().cross(z);
  const double sine = across.norm();
  // Straight up or down: about x, as MuJoCo has it.
  const Vec3 axis = sine < 1e-10 ? Vec3(Vec3::UnitX()) : Vec3(across / sine);
  return Eigen::AngleAxisd(std::atan2(sine, z.z()), axis).toRotationMatrix();
}

Mat3 Mjcf::from_euler(const Vec3& angles) const {
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
  for (int i = 0; i < 3; ++i) {
    const char axis = settings.euler_sequence[static_cast<std::size_t>(i)];
    const bool is_fixed = axis < 'a';
    const Eigen::Quaterniond turn(
        Eigen::AngleAxisd(angle(angles[i]), Vec3::Unit(axis - (is_fixed ? 'X' : 'x'))));
    q = is_fixed ? turn * q : q * turn;
  }
  return q.normalized().toRotationMatrix();
}

Mat3 Mjcf::orientation(const MjcfElement& e) const {
  if (const auto v = e.numbers("euler", 3, 3)) return from_euler({(*v)[0], (*v)[1], (*v)[2]});
  if (const auto v = e.numbers("axisangle", 4, 4))
    return Eigen::AngleAxisd(angle((*v)[3]), unit(e, "axisangle", {(*v)[0], (*v)[1], (*v)[2]}, Vec3::UnitZ()))
        .toRotationMatrix();
  if (const auto v = e.numbers("xyaxes", 6, 6)) {
    const Vec3 x = unit(e, "xyaxes", {(*v)[0], (*v)[1], (*v)[2]}, Vec3::UnitX());
    const Vec3 given((*v)[3], (*v)[4], (*v)[5]);
    const Vec3 y = unit(e, "xyaxes", given - given.dot(x) * x, Vec3::UnitY());
    Mat3 axes;
    axes << x, y, x.cross(y);
    return axes;
  }
  if (const auto v = e.numbers("zaxis", 3, 3))
    return turn_z_to(unit(e, "zaxis", {(*v)[0], (*v)[1], (*v)[2]}, Vec3::UnitZ()));
  if (const auto v = e.numbers("quat", 4, 4)) {
    const Eigen::Quaterniond q((*v)[0], (*v)[1], (*v)[2], (*v)[3]);
    // MuJoCo takes a quaternion of zeros for no rotation.
    return q.norm() > kNoDirection ? q.normalized().toRotationMatrix() : Mat3::Identity();
  }
  return Mat3::Identity();
}

Frame Mjcf::frame(const MjcfElement& e) const { return {e.vector("pos", Vec3::Zero()), orientation(e)}; }

std::vector<XmlNode*> Mjcf::in_sections(const std::string& section) const {
  std::vector<XmlNode*> all;
  for (XmlNode* node : file.root.all(section)) {
    ForeignReader::use(*node);
    for (XmlNode& child : node->children)
      if (child.name != "include") all.push_back(&child);
  }
  return all;
}

std::filesystem::path Mjcf::asset_path(const XmlNode& node, const std::string& name) const {
  const std::filesystem::path given =
      settings.strips_paths ? std::filesystem::path(name).filename() : std::filesystem::path(name);
  std::filesystem::path path = file.path.parent_path() / settings.mesh_folder / given;
  // As newer files of MuJoCo have it: beside the file that names it.
  if (!std::filesystem::exists(path)) {
    const auto other = std::filesystem::path(*node.file).parent_path() / settings.mesh_folder / given;
    if (std::filesystem::exists(other)) path = other;
  }
  return path;
}

bool Mjcf::is_limited(const MjcfElement& e, const std::string& limited, const std::string& range) const {
  const std::string when = e.word(limited, {"auto", "true", "false"});
  const auto values = e.numbers(range, 2, 2);
  const bool has_range = values && ((*values)[0] != 0 || (*values)[1] != 0);
  if (when != "auto") return when == "true";
  if (has_range && !settings.limits_by_range)
    e.refuse(range, fmt::format("{} has a {} but not {}", xml_label(e.node()), range, limited),
             fmt::format("add {}=\"true\" or \"false\", or autolimits=\"true\" to <compiler>", limited));
  return has_range;
}

}  // namespace trammel::model
