#include "mechanism/validate_teeth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel::mechanism {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kMostPressure = 45 * kDegree, kMostHelix = 60 * kDegree;
// Rough drawings are off by a little: of the distance of the centres, and of axes that should be parallel.
constexpr double kRough = 0.05, kSkew = 5 * kDegree;
// Of the distance: how far the middle planes of two gears may lie apart.
constexpr double kAside = 0.01;

class TeethCheck {
 public:
  TeethCheck(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint, Issues& issues)
      : mechanism_(mechanism), index_(index), joint_(joint), issues_(issues) {}

  void run() {
    const Joint::Teeth& teeth = joint_.teeth;
    const auto [r1, r2] = teeth.radii;
    const bool is_rack = std::isinf(r2);
    if (is_rack && !(std::isfinite(r1) && r1 > 0))
      return add("radius", fmt::format("the radius of the pinion of '{}' is {} m", joint_.name, r1),
                 "give a positive radius");
    if (!is_rack && (!std::isfinite(r1) || !std::isfinite(r2) || r1 == 0 || r2 == 0 || r1 + r2 == 0 ||
                     (r1 < 0 && r2 < 0)))
      return add(
          "radii", fmt::format("the radii of '{}' are {} m and {} m", joint_.name, r1, r2),
          "give two positive radii, and internal: true if the larger is toothed inside; an internal pair "
          "has different radii");
    if (!(teeth.pressure_angle >= 0 && teeth.pressure_angle <= kMostPressure))
      add("pressure-angle", angle("pressure angle", teeth.pressure_angle), "give 0 to 45 deg, as 20 deg");
    if (!(std::abs(teeth.helix_angle) <= kMostHelix) || (mechanism_.is_planar && teeth.helix_angle != 0))
      add("helix-angle", angle("helix angle", teeth.helix_angle),
          mechanism_.is_planar ? "in the plane it is zero" : "give −60 to 60 deg, as 15 deg");
    if (joint_.markers.size() != 2) return;
    std::ranges::for_each(joint_.markers, [&](const Marker& m) { turns(m); });
    placed();
  }

 private:
  std::string angle(const char* what, double value) const {
    return fmt::format("the {} of '{}' is {:.4g} deg", what, joint_.name, value / kDegree);
  }

  // A gear has axes of its own; a thin rod in space does not turn about itself.
  void turns(const Marker& marker) {
    const auto body = index_.bodies.find(marker.body);
    if (body == index_.bodies.end() || body->second->kind == Body::Kind::rigid) return;
    if (mechanism_.is_planar && body->second->kind == Body::Kind::rod) return;
    add("", fmt::format("'{}', a gear of '{}', has no axes of its own", marker.body, joint_.name),
        "make it a rigid body with mass and inertia");
  }

  void placed() {
    const auto world = [&](const Marker& m) {
      const Frame place = mechanism_.placement(m.body);
      return Frame{place.at + place.axes * m.frame.at, place.axes * m.frame.axes};
    };
    const Frame first = world(joint_.markers[0]), second = world(joint_.markers[1]);
    const Vec3 axis = first.axes.col(2), line = second.at - first.at;
    if (!(axis.dot(second.axes.col(2)) > std::cos(kSkew)))
      return add("axis", fmt::format("the axes of the gears of '{}' are not parallel", joint_.name),
                 "give both one direction");
    const bool is_rack = std::isinf(joint_.teeth.radii[1]);
    const double distance = is_rack ? std::abs(line.dot(second.axes.col(1))) : line.norm(),
                 fits = is_rack ? joint_.teeth.radii[0]
                                : std::abs(joint_.teeth.radii[0] + joint_.teeth.radii[1]);
    if (!(std::abs(distance - fits) <= kRough * fits))
      return add(
          "radii",
          is_rack ? fmt::format("the centre of the pinion of '{}' is {:.4g} m from the pitch line of the "
                                "rack at the start, and its radius is {:.4g} m",
                                joint_.name, distance, fits)
                  : fmt::format("the centres of the gears of '{}' are {:.4g} m apart at the start, and their "
                                "radii make {:.4g} m",
                                joint_.name, distance, fits),
          "give the pitch radii that fit, or the places of the centres");
    if (std::abs(line.dot(axis)) > kAside * distance)
      add("centers",
          fmt::format("the centres of the gears of '{}' are {:.3g} m apart along the axis", joint_.name,
                      std::abs(line.dot(axis))),
          "give the places in the middle of the width in which the teeth meet");
  }

  void add(const std::string& field, std::string message, std::string remedy) {
    issues_.push_back({joint_.where, field, std::move(message), std::move(remedy)});
  }

  const Mechanism& mechanism_;
  const MechanismIndex& index_;
  const Joint& joint_;
  Issues& issues_;
};

}  // namespace

void validate_teeth(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                    Issues& issues) {
  TeethCheck(mechanism, index, joint, issues).run();
}

}  // namespace trammel::mechanism
