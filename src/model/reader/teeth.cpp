#include "model/reader/teeth.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

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

  // Two directions, of the first gear and of the second.
  std::optional<AxisPair> read_two_axes() {
    const YamlNode* node = fields_.need("axes", "give the axes of both, as in axes: [[1, 0, 0], [0, 1, 0]]");
    if (node == nullptr) return std::nullopt;
    if (!node->is_sequence() || node->children.size() != 2) {
      context_.error(*node, fmt::format("axes: expected two directions, found {}", describe(*node)),
                     "write axes: [[1, 0, 0], [0, 1, 0]]: of the first, of the second");
      return std::nullopt;
    }
    const std::size_t errors = context_.error_count();
    const AxisPair axes = read_joint_axis(context_, *node, "axes", bodies_);
    return context_.error_count() > errors ? std::nullopt : std::optional(axes);
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
    if (joint_.kind == Joint::Kind::rack_pair)
      teeth.radii = {fields_.need_number("radius", "m"), std::numeric_limits<double>::infinity()};
    else
      read_radii();
    teeth.pressure_angle = fields_.number("pressure-angle", "rad", kUsualPressureAngle);
    read_helix();
    if (const YamlNode* flank = fields_.find("flank"))
      if (const auto word = read_choice(context_, *flank, "flank", {"either", "positive", "negative"}))
        teeth.flank = *word == "either" ? 0 : *word == "positive" ? 1 : -1;
  }

  void place() {
    switch (joint_.kind) {
      case Joint::Kind::bevel_pair:
        return place_at_apex();
      case Joint::Kind::worm_pair:
        return place_next_to_each_other();
      default:
        return place_parallel();
    }
  }

 private:
  void read_radii() {
    const YamlNode* radii = fields_.need("radii", "give the radii of the pitch circles");
    const auto given = radii == nullptr ? std::nullopt : read_numbers(context_, *radii, "radii", 2, {"m"});
    if (!given) return;
    const auto [r1, r2] = std::pair((*given)[0], (*given)[1]);
    const bool parallel = joint_.kind == Joint::Kind::gear_pair;
    if (!(r1 > 0 && r2 > 0))
      context_.error(*radii, fmt::format("the radii of '{}' are {} m and {} m", joint_.name, r1, r2),
                     parallel ? "give positive radii, and internal: true if the larger gear is toothed inside"
                              : "give positive radii");
    joint_.teeth.radii = {r1, r2};
    if (parallel && fields_.flag("internal", false)) joint_.teeth.radii[r1 > r2 ? 0 : 1] *= -1;
  }

  void read_helix() {
    double& angle = joint_.teeth.helix_angle;
    if (joint_.kind == Joint::Kind::worm_pair)
      angle = fields_.need_number("lead-angle", "rad", "give the lead angle of the worm, as 5 deg");
    else if (joint_.kind == Joint::Kind::bevel_pair)
      angle = fields_.number("spiral-angle", "rad", 0);
    else if (context_.mechanism.is_planar)
      fields_.refuse("helix-angle", "in the plane teeth are straight",
                     "leave it out, or describe it in space");
    else
      angle = fields_.number("helix-angle", "rad", 0);
  }

  void put(const Frame& first, const Frame& second) {
    joint_.markers = {context_.marker_at(bodies_.first, first), context_.marker_at(bodies_.second, second)};
  }

  void place_parallel() {
    if (!read_centers()) return;
    auto [first, second] = read_axes();
    if (joint_.kind == Joint::Kind::rack_pair) {
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
    put({centers_[0], first}, {centers_[1], second});
  }

  void place_at_apex() {
    const YamlNode* node = fields_.need("apex", "give the place where the axes meet");
    const auto apex = node == nullptr ? std::nullopt : read_place(context_, *node, "apex");
    const auto axes = read_two_axes();
    if (!apex || !axes) return;
    const auto [first, second] = frames_along_z(*axes);
    put({*apex, first}, {*apex, second});
  }

  // At the ends of the shortest line between the axes.
  void place_next_to_each_other() {
    const bool placed = read_centers();
    const auto axes = read_two_axes();
    if (!placed || !axes) return;
    const auto [first, second] = frames_along_z(*axes);
    const Vec3 &a1 = axes->first, &a2 = axes->second, between = centers_[1] - centers_[0];
    const double c = a1.dot(a2), sine2 = 1 - c * c;
    double along1 = 0, along2 = 0;  // parallel axes are refused by validation
    if (sine2 > 0) {
      along1 = (between.dot(a1) - c * between.dot(a2)) / sine2;
      along2 = (c * between.dot(a1) - between.dot(a2)) / sine2;
    }
    put({centers_[0] + along1 * a1, first}, {centers_[1] + along2 * a2, second});
  }

  ModelContext& context_;
  const Fields& fields_;
  const YamlNode& own_;
  Joint& joint_;
  BodyPair bodies_;
  std::array<Vec3, 2> centers_;
};

}  // namespace

void read_toothed_pair(ModelContext& context, const Fields& fields, const YamlNode& bodies, Joint& joint) {
  TeethReader reader(context, fields, bodies, joint);
  reader.read_teeth();
  if (reader.read_bodies()) reader.place();
}

}  // namespace trammel::model
