#include "model/reader/belts.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "mechanism/belts.h"
#include "mechanism/joint_kinds.h"
#include "model/reader/places.h"
#include "model/reader/values.h"

namespace trammel::model {
namespace {

constexpr double kRound = 2 * std::numbers::pi;
// Of a round: above rounding, and below the whole round by which a wrong order differs.
constexpr double kSameRound = 0.1;

struct Span {
  std::string name;
  Marker from, to;
  Joint::Pulleys radii;
  double length;  // m, at the start
};

class BeltReader {
 public:
  BeltReader(ModelContext& context, const YamlNode& key, const Fields& fields)
      : context_(context), key_(key), fields_(fields), own_(*fields.find("belt")) {}

  // None where something is wrong, which is told.
  std::vector<Span> spans(const char* what) {
    const std::size_t errors = context_.error_count();
    read_bodies();
    read_radii();
    read_axis();
    closed_ = fields_.flag("closed", true);
    // Beside an unknown key a missing one is not told.
    if (radii_.size() != bodies_.size() || bodies_.size() < 2) return {};
    if (context_.error_count() == errors) read_centers();
    if (context_.error_count() == errors) make();
    if (context_.error_count() == errors && closed_) check_order();
    if (context_.error_count() > errors) return {};
    if (spans_.size() == 1) spans_[0].name = key_.text;
    for (const Span& span : spans_)
      if (span.name != key_.text && !context_.declare(key_, span.name, what)) return {};
    return std::move(spans_);
  }

 private:
  void read_bodies() {
    if (!own_.is_sequence() || own_.children.size() < 2)
      return context_.error(own_, fmt::format("belt: expected two pulleys or more, found {}", describe(own_)),
                            "write belt: [motor, fan]: the bodies of the pulleys");
    for (const YamlNode& node : own_.children) {
      const auto name = read_word(context_, node, "belt");
      if (name && context_.find_body(node, *name)) bodies_.push_back(*name);
    }
    for (std::size_t k = 0; k < bodies_.size(); ++k)
      if (k + 1 < bodies_.size() && bodies_[k] == bodies_[k + 1])
        context_.error(own_, fmt::format("belt '{}' runs from '{}' to itself", key_.text, bodies_[k]),
                       "name different bodies one after the other");
  }

  void read_radii() {
    const YamlNode* node = fields_.need("radii", "give the radius of each pulley");
    if (node == nullptr || !own_.is_sequence()) return;
    if (const auto given = read_numbers(context_, *node, "radii", own_.children.size(), {"m"}))
      radii_ = *given;
    for (const double r : radii_)
      if (r == 0)
        context_.error(*node, fmt::format("a pulley of '{}' has the radius 0 m", key_.text),
                       "give a radius that is not zero; negative where the belt runs clockwise");
  }

  void read_axis() {
    if (context_.mechanism.is_planar)
      return fields_.refuse("axis", "in the plane every pulley turns about z", "leave it out");
    const YamlNode* node = fields_.need("axis", "give the direction of the axes, as in axis: [0, 0, 1]");
    if (node == nullptr) return;
    if (const auto axis = read_world_direction(context_, *node, "axis"))
      axes_ = frames_along_z({*axis, *axis}).first;
  }

  void read_centers() {
    const YamlNode* node = fields_.find("centers");
    if (node != nullptr && (!node->is_sequence() || node->children.size() != bodies_.size()))
      return context_.error(
          *node, fmt::format("centers: expected {} places, found {}", bodies_.size(), describe(*node)),
          "give one place for each pulley");
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      if (node != nullptr) {
        if (const auto at = read_place(context_, node->children[k], "centers")) centers_.push_back(*at);
      } else if (const Body* body = context_.mechanism.body(bodies_[k])) {
        centers_.push_back(body->placement.at + body->placement.axes * body->com);
      } else {
        context_.error(own_, fmt::format("the centre of the pulley on {} is missing", bodies_[k]),
                       "give centers: one place for each pulley");
      }
    }
  }

  void make() {
    const std::size_t n = bodies_.size();
    for (std::size_t k = 0; k + (closed_ ? 0 : 1) < n; ++k) {
      const std::size_t next = (k + 1) % n;
      const Joint::Pulleys radii{radii_[k], radii_[next]};
      const double length = mechanism::belt_tangent(centers_[k], centers_[next], axes_.col(2), radii).length;
      spans_.push_back({fmt::format("{}_{}", key_.text, k + 1),
                        context_.marker_at(bodies_[k], {centers_[k], axes_}),
                        context_.marker_at(bodies_[next], {centers_[next], axes_}), radii, length});
    }
  }

  // A belt that runs about all its pulleys in one sense goes round once.
  void check_order() {
    for (const double r : radii_)
      if (r * radii_[0] < 0) return;
    const std::size_t n = centers_.size();
    std::vector<Vec3> along;
    for (std::size_t k = 0; k < n; ++k)
      along.push_back(
          mechanism::belt_tangent(centers_[k], centers_[(k + 1) % n], axes_.col(2), spans_[k].radii).along);
    double all = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3 &before = along[(k + n - 1) % n], &after = along[k];
      const double turn = std::atan2(before.cross(after).dot(axes_.col(2)), before.dot(after));
      const double wrapped = std::copysign(1.0, radii_[0]) * turn;
      all += wrapped < -1e-9 ? wrapped + kRound : wrapped;
    }
    if (!(all > kRound + kSameRound)) return;  // NaN: validation tells
    context_.error(own_, fmt::format("belt '{}' would go round more than once", key_.text),
                   "name the pulleys in the order in which the belt runs over them: counterclockwise where "
                   "the radii are positive");
  }

  ModelContext& context_;
  const YamlNode& key_;
  const Fields& fields_;
  const YamlNode& own_;
  std::vector<std::string> bodies_;
  std::vector<double> radii_;
  std::vector<Vec3> centers_;
  Mat3 axes_ = Mat3::Identity();
  bool closed_ = true;
  std::vector<Span> spans_;
};

// The tension of a span as an expression of its stretch.
std::string law_of(const Span& span, double pretension, double stiffness, double damping) {
  std::string law =
      fmt::format("max(0, {:.17g} + {:.17g}*{}.stretch", pretension, stiffness / span.length, span.name);
  if (damping != 0) law += fmt::format(" + {:.17g}*{}.rate", damping / span.length, span.name);
  return law + ")";
}

}  // namespace

void read_belt_joints(ModelContext& context, const YamlNode& key, const Fields& fields) {
  for (const Span& span : BeltReader(context, key, fields).spans("joint")) {
    Joint joint;
    joint.name = span.name;
    joint.kind = Joint::Kind::belt;
    joint.where = {key.line, key.column};
    joint.markers = {span.from, span.to};
    joint.pulleys = span.radii;
    context.joints[joint.name] = context.mechanism.joints.size();
    context.mechanism.joints.push_back(std::move(joint));
  }
}

void read_belt_forces(ModelContext& context, const YamlNode& key, const Fields& fields) {
  const std::vector<Span> spans = BeltReader(context, key, fields).spans("force");
  std::string given;
  double pretension = 0, stiffness = 0, damping = 0;
  if (const YamlNode* tension = fields.find("tension")) {
    for (const char* other : {"stiffness", "damping", "pretension"})
      fields.refuse(other, "`tension:` already says the whole law", "keep one of them");
    if (spans.size() > 1)
      fields.refuse("tension", fmt::format("belt '{}' has {} spans", key.text, spans.size()),
                    "give stiffness:, damping: and pretension:, or a belt for each span with closed: false");
    given = read_expression(context, *tension, "tension", "N");
  } else {
    stiffness =
        fields.need_number("stiffness", "N", "give the tension for a stretch of the belt's own length");
    damping = fields.number("damping", "N.s", 0);
    pretension = fields.number("pretension", "N", 0);
    for (const auto& [name, value] : {std::pair("stiffness", stiffness), std::pair("damping", damping),
                                      std::pair("pretension", pretension)})
      if (!(value >= 0))
        fields.refuse(name, fmt::format("the {} of '{}' is {}", name, key.text, value), "give zero or more");
  }
  for (const Span& span : spans)
    context.mechanism.forces.push_back(
        {span.name,
         ElasticBelt{span.from, span.to, span.radii,
                     given.empty() ? law_of(span, pretension, stiffness, damping) : given},
         {key.line, key.column}});
}

}  // namespace trammel::model
