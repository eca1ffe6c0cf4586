#include "mechanism/validate_belt.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mechanism/belts.h"

namespace trammel::mechanism {
namespace {

// Rough drawings are off by a little: axes that should be parallel, and pulleys that should be in one plane,
// of their distance.
constexpr double kParallel = 5 * std::numbers::pi / 180, kInPlane = 0.01;

// One span, whether a joint or a force has it.
class SpanCheck {
 public:
  SpanCheck(const Mechanism& mechanism, const MechanismIndex& index, const std::string& name,
            const Source& where, Issues& issues)
      : mechanism_(mechanism), index_(index), name_(name), where_(where), issues_(issues) {}

  void run(const Marker& a, const Marker& b, const Joint::Pulleys& radii) {
    for (const double r : radii)
      if (!std::isfinite(r) || r == 0)
        return add("radii", fmt::format("a pulley of '{}' has the radius {} m", name_, r),
                   "give a radius that is not zero; negative where the belt runs clockwise");
    turns(a);
    turns(b);
    const Frame first = world(a), second = world(b);
    const Vec3 axis = first.axes.col(2), line = second.at - first.at;
    if (!(axis.dot(second.axes.col(2)) > std::cos(kParallel)))
      return add("axis", fmt::format("the axes of the pulleys of '{}' are not parallel", name_),
                 "give all one direction");
    const double aside = std::abs(line.dot(axis)), distance = (line - line.dot(axis) * axis).norm();
    if (aside > kInPlane * distance)
      return add("centers",
                 fmt::format("the pulleys '{}' and '{}' of '{}' are {:.3g} m apart along their axes", a.body,
                             b.body, name_, aside),
                 "put the centres into one plane, that of the belt");
    if (!(distance > std::abs(radii[0] - radii[1])))
      add("radii",
          fmt::format("no belt runs from '{}' to '{}': their centres are {:.4g} m apart, and it needs more "
                      "than {:.4g} m",
                      a.body, b.body, distance, std::abs(radii[0] - radii[1])),
          radii[0] * radii[1] < 0 ? "put them farther apart, or let the belt run about both in the same sense"
                                  : "put them farther apart; one pulley would lie within the other");
  }

 private:
  Frame world(const Marker& m) const {
    const Frame place = mechanism_.placement(m.body);
    return {place.at + place.axes * m.frame.at, place.axes * m.frame.axes};
  }
  void turns(const Marker& marker) {
    const auto body = index_.bodies.find(marker.body);
    if (body == index_.bodies.end() || body->second->kind == Body::Kind::rigid) return;
    if (mechanism_.is_planar && body->second->kind == Body::Kind::rod) return;
    add("", fmt::format("'{}', a pulley of '{}', has no axes of its own", marker.body, name_),
        "make it a rigid body with mass and inertia");
  }
  void add(const std::string& field, std::string message, std::string remedy) {
    issues_.push_back({where_, field, std::move(message), std::move(remedy)});
  }

  const Mechanism& mechanism_;
  const MechanismIndex& index_;
  const std::string& name_;
  const Source& where_;
  Issues& issues_;
};

}  // namespace

void validate_belt(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                   Issues& issues) {
  if (joint.markers.size() != 2) return;
  SpanCheck(mechanism, index, joint.name, joint.where, issues)
      .run(joint.markers[0], joint.markers[1], joint.pulleys);
}

void validate_span(const Mechanism& mechanism, const MechanismIndex& index, const Force& force,
                   const ElasticBelt& belt, Issues& issues) {
  SpanCheck(mechanism, index, force.name, force.where, issues).run(belt.a, belt.b, belt.pulleys);
}

}  // namespace trammel::mechanism
