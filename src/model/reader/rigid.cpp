// Inertia tensors, orientations and rotors as a person writes them.
#include "model/reader/rigid.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "model/reader/fields.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

constexpr const char* kInertiaUnit = "kg.m^2";

std::optional<Mat3> inertia_matrix(ModelContext& context, const YamlNode& node) {
  Mat3 tensor = Mat3::Zero();
  bool is_complete = true;
  for (int row = 0; row < 3; ++row) {
    const auto numbers =
        read_numbers(context, node.children[static_cast<std::size_t>(row)], "inertia", 3, {kInertiaUnit});
    is_complete = is_complete && numbers.has_value();
    if (numbers) tensor.row(row) << (*numbers)[0], (*numbers)[1], (*numbers)[2];
  }
  if (!is_complete) return std::nullopt;
  // written-out numbers are symmetric exactly; expressions may differ by round-off
  if ((tensor - tensor.transpose()).cwiseAbs().maxCoeff() > 1e-12 * tensor.cwiseAbs().maxCoeff()) {
    context.error(node, "inertia: the tensor is not symmetric", "make each entry equal to its mirror image");
    return std::nullopt;
  }
  return 0.5 * (tensor + tensor.transpose());
}

Mat3 inertia_entries(ModelContext& context, const YamlNode& node) {
  const Fields fields(context, node, node, "inertia");
  const double xx = fields.need_number("xx", kInertiaUnit), yy = fields.need_number("yy", kInertiaUnit),
               zz = fields.need_number("zz", kInertiaUnit);
  const double xy = fields.number("xy", kInertiaUnit, 0), xz = fields.number("xz", kInertiaUnit, 0),
               yz = fields.number("yz", kInertiaUnit, 0);
  return (Mat3() << xx, xy, xz, xy, yy, yz, xz, yz, zz).finished();
}

std::optional<Mat3> axis_angle(ModelContext& context, const Fields& fields) {
  const YamlNode* axis = fields.need("axis", "give axis: and angle: together");
  const double angle = fields.need_number("angle", "rad", "give axis: and angle: together");
  const auto direction = axis == nullptr ? std::nullopt : read_direction(context, *axis, "axis");
  if (!direction) return std::nullopt;
  return Eigen::AngleAxisd(angle, *direction).toRotationMatrix();
}

// Rotations about the body's own x, then y, then z.
std::optional<Mat3> euler_xyz(ModelContext& context, const YamlNode& node) {
  const auto angles = read_numbers(context, node, "euler-xyz", 3, {"rad"});
  if (!angles) return std::nullopt;
  const Eigen::AngleAxisd x((*angles)[0], Vec3::UnitX()), y((*angles)[1], Vec3::UnitY()),
      z((*angles)[2], Vec3::UnitZ());
  return (x * y * z).toRotationMatrix();
}

std::optional<Mat3> quaternion(ModelContext& context, const YamlNode& node) {
  const auto q = read_numbers(context, node, "quaternion", 4, {"1"});
  if (!q) return std::nullopt;
  const Eigen::Quaterniond rotation((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
  if (rotation.norm() < 1e-12) {
    context.error(node, "quaternion: it must not be zero", "write [w, x, y, z], as [1, 0, 0, 0]");
    return std::nullopt;
  }
  return rotation.normalized().toRotationMatrix();
}

// Where the body's x and y axes point; x exactly, y made perpendicular to it.
std::optional<Mat3> two_axes(ModelContext& context, const Fields& fields, const YamlNode& node) {
  const YamlNode* x_node = fields.need("x", "give x: and y: together");
  const YamlNode* y_node = fields.need("y", "give x: and y: together");
  if (x_node == nullptr || y_node == nullptr) return std::nullopt;
  const auto x = read_direction(context, *x_node, "x");
  const auto y = read_direction(context, *y_node, "y");
  if (!x || !y) return std::nullopt;
  const Vec3 z = x->cross(*y);
  // below this the two directions agree to round-off
  if (z.norm() < 1e-9) {
    context.error(node, "orientation: x and y point the same way", "give two directions that differ");
    return std::nullopt;
  }
  Mat3 axes;
  axes << *x, z.normalized().cross(*x), z.normalized();
  return axes;
}

}  // namespace

std::optional<Mat3> read_inertia(ModelContext& context, const YamlNode& node) {
  if (context.mechanism.is_planar) {
    const auto value = read_number(context, node, "inertia", kInertiaUnit);
    if (!value) return std::nullopt;
    Mat3 tensor = Mat3::Zero();
    tensor(2, 2) = *value;
    return tensor;
  }
  if (node.is_map()) return inertia_entries(context, node);
  if (node.is_sequence() && node.children.size() == 3 && node.children[0].is_sequence()) {
    return inertia_matrix(context, node);
  }
  if (!node.is_sequence()) {
    context.error(node, fmt::format("inertia: expected a tensor, found {}", describe(node)),
                  "in space write [Ixx, Iyy, Izz], three rows of three, or {xx: …, yy: …, zz: …}");
    return std::nullopt;
  }
  const auto diagonal = read_numbers(context, node, "inertia", 3, {kInertiaUnit});
  if (!diagonal) return std::nullopt;
  return Mat3(Vec3((*diagonal)[0], (*diagonal)[1], (*diagonal)[2]).asDiagonal());
}

std::optional<Mat3> read_orientation(ModelContext& context, const YamlNode& node) {
  const Fields fields(context, node, node, "orientation");
  const std::string kind = first_key(node, {"euler-xyz", "quaternion", "x", "y", "axis", "angle"});
  const std::size_t keys = kind == "x" || kind == "y" || kind == "axis" || kind == "angle" ? 2 : 1;
  if (node.is_map() && node.entries() > keys) {
    context.error(node, "orientation: given in more than one way",
                  "keep one of {axis:, angle:}, {euler-xyz:}, {quaternion:}, {x:, y:}");
    return std::nullopt;
  }
  if (kind == "euler-xyz") return euler_xyz(context, *fields.find(kind));
  if (kind == "quaternion") return quaternion(context, *fields.find(kind));
  if (kind == "x" || kind == "y") return two_axes(context, fields, node);
  return axis_angle(context, fields);
}

std::optional<Rotor> read_rotor(ModelContext& context, const YamlNode& node) {
  const Fields fields(context, node, node, "rotor");
  Rotor rotor;
  rotor.inertia = fields.need_number("inertia", kInertiaUnit);
  rotor.speed = fields.need_number("speed", "rad/s");
  const YamlNode* axis = fields.need("axis");
  const auto direction = axis == nullptr ? std::nullopt : read_direction(context, *axis, "axis");
  if (!direction) return std::nullopt;
  rotor.axis = *direction;
  return rotor;
}

}  // namespace trammel::model
