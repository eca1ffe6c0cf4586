#include "model/reader/teeth.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "mechanism/joint_kinds.h"
#include "model/reader/places.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

constexpr double kUsualPressureAngle = 20 * std::numbers::pi / 180;

class TeethReader {
 public:
  TeethReader(ModelContext& context, const Fields& fields, const YamlNode& own, Joint& joint)
      : context_(context), fields_(fields), own_(own), joint_(joint) {}

  bool read_bodies() {
    const std::string kind = mechanism::to_string(joint_.kind);
    const auto names = read_words(context_, own_, kind, 2);
    if (!names) return false;
    const bool first = context_.find_body(own_.children[0], (*names)[0]);
    const bool second = context_.find_body(own_.children[1], (*names)[1]);
    if (!first || !second) return false;
    bodies_ = {(*names)[0], (*names)[1]};
    if (bodies_.first != bodies_.second) return true;
    context_.error(own_, fmt::format("{} '{}' lets '{}' press on itself", kind, joint_.name, bodies_.first),
                   "name two different bodies");
    return false;
  }

  // Places of the world at the start; by default the centres of mass.
  bool read_centers() {
    const YamlNode* node = fields_.find("centers");
    if (node != nullptr && (!node->is_sequence() || node->children.size() != 2)) {
      context_.error(*node, fmt::format("centers: expected two places, found {}", describe(*node)),
                     "write centers: [[0, 0], [0.3, 0]], or points of the two bodies");
      return false;
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string& name = k == 0 ? bodies_.first : bodies_.second;
      if (node != nullptr) {
        const auto at = read_place(context_, node->children[k], "centers");
        if (!at) return false;
        centers_[k] = *at;
      } else if (const Body* body = context_.mechanism.body(name)) {
        centers_[k] = body->placement.at + body->placement.axes * body->com;
      } else {
        context_.error(own_, fmt::format("the centre of the gear on {} is missing", name),
                       "give centers: [[0, 0], [0.3, 0]]: of the first gear, of the second");
        return false;
      }
    }
    return true;
  }

  std::pair<Mat3, Mat3> read_axes() {
    const Mat3 one = Mat3::Identity();
    if (context_.mechanism.is_planar) {
      fields_.refuse("axis", "in the plane every gear turns about z", "leave it out");
      return {one, one};
    }
    const YamlNode* axis = fields_.need("axis", "give the direction of the axes, as in axis: [0, 0, 1]");
    return axis == nullptr ? std::pair{one, one}
                           : frames_along_z(read_joint_axis(context_, *axis, "axis", bodies_));
  }

  void read_teeth() {
    Joint::Teeth& teeth = joint_.teeth;
    if (fields_.has("radius")) {
      fields_.refuse("radii", "a rack has no radius", "leave out `radii`, or `radius`");
      fields_.refuse("internal", "a rack has no inside", "leave it out");
      teeth.radii = {fields_.need_number("radius", "m"), std::numeric_limits<double>::infinity()};
    } else if (const YamlNode* radii = fields_.need(
                   "radii", "give the radii of the pitch circles, or the `radius` of a pinion on a rack")) {
      fields_.refuse("along", "only a rack has a direction",
                     "leave it out, or give `radius` instead of `radii`");
      if (const auto given = read_numbers(context_, *radii, "radii", 2, {"m"})) {
        if (!((*given)[0] > 0 && (*given)[1] > 0))
          context_.error(
              *radii,
              fmt::format("the radii of '{}' are {} m and {} m", joint_.name, (*given)[0], (*given)[1]),
              "give positive radii, and internal: true if the larger gear is toothed inside");
        teeth.radii = {(*given)[0], (*given)[1]};
        if (fields_.flag("internal", false)) teeth.radii[teeth.radii[0] > teeth.radii[1] ? 0 : 1] *= -1;
      }
    }
    teeth.pressure_angle = fields_.number("pressure-angle", "rad", kUsualPressureAngle);
    if (context_.mechanism.is_planar)
      fields_.refuse("helix-angle", "in the plane teeth are straight",
                     "leave it out, or describe it in space");
    else
      teeth.helix_angle = fields_.number("helix-angle", "rad", 0);
    if (const YamlNode* flank = fields_.find("flank"))
      if (const auto word = read_choice(context_, *flank, "flank", {"either", "positive", "negative"}))
        teeth.flank = *word == "either" ? 0 : *word == "positive" ? 1 : -1;
  }

  void place() {
    auto [first, second] = read_axes();
    if (std::isinf(joint_.teeth.radii[1])) {
      const YamlNode* node = fields_.need("along", "give the direction of the rack");
      const auto along = node == nullptr ? std::nullopt : read_world_direction(context_, *node, "along");
      if (!along) return;
      const Vec3 z = second.col(2), x = *along - along->dot(z) * z;
      if (x.norm() < 0.5)
        return context_.error(*node,
                              fmt::format("the rack of '{}' points along its pinion's axis", joint_.name),
                              "give a direction across the axis");
      second.col(0) = x.normalized();
      second.col(1) = z.cross(second.col(0));
    }
    joint_.markers = {context_.marker_at(bodies_.first, {centers_[0], first}),
                      context_.marker_at(bodies_.second, {centers_[1], second})};
  }

 private:
  ModelContext& context_;
  const Fields& fields_;
  const YamlNode& own_;
  Joint& joint_;
  BodyPair bodies_;
  std::array<Vec3, 2> centers_;
};

}  // namespace

void read_gear_pair(ModelContext& context, const Fields& fields, const YamlNode& bodies, Joint& joint) {
  TeethReader reader(context, fields, bodies, joint);
  reader.read_teeth();
  if (reader.read_bodies() && reader.read_centers()) reader.place();
}

}  // namespace trammel::model
