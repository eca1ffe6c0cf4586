#include "mechanism/validate_teeth.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanism/check_of_joint.h"
#include "mechanism/teeth.h"

namespace trammel::mechanism {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kMostPressure = 45 * kDegree, kMostHelix = 60 * kDegree;
constexpr double kLeastLead = 1 * kDegree, kMostLead = 89 * kDegree;
// Of the force between worm and wheel: the part along the wheel's pitch circle that can turn it.
constexpr double kLeastTurning = 1e-3;
// Rough drawings are off by a little: of the distance of the centres, and of axes that should be parallel.
constexpr double kRough = 0.05, kSkew = 5 * kDegree;
// Of the distance: how far the middle planes of two gears may lie apart.
constexpr double kAside = 0.01;

class TeethCheck : CheckOfJoint {
 public:
  using CheckOfJoint::CheckOfJoint;

  void run() {
    const Joint::Teeth& teeth = joint_.teeth;
    if (!radii_fit()) return;
    if (!(teeth.pressure_angle >= 0 && teeth.pressure_angle <= kMostPressure))
      add("pressure-angle", angle("pressure angle", teeth.pressure_angle), "give 0 to 45 deg, as 20 deg");
    helix();
    if (joint_.markers.size() != 2) return;
    std::ranges::for_each(joint_.markers, [&](const Marker& m) { turns(m); });
    const Frame first = world(joint_.markers[0]), second = world(joint_.markers[1]);
    switch (joint_.kind) {
      case Joint::Kind::bevel_pair:
        return bevel_placed(first, second);
      case Joint::Kind::worm_pair:
        return worm_placed(first, second);
      default:
        return placed(first, second);
    }
  }

 private:
  bool radii_fit() {
    const auto [r1, r2] = joint_.teeth.radii;
    const bool is_rack = joint_.kind == Joint::Kind::rack_pair;
    if (is_rack) {
      if (std::isfinite(r1) && r1 > 0) return true;
      add("radius", fmt::format("the radius of the pinion of '{}' is {} m", joint_.name, r1),
          "give a positive radius");
      return false;
    }
    const bool finite = std::isfinite(r1) && std::isfinite(r2);
    const bool parallel = joint_.kind == Joint::Kind::gear_pair;
    if (finite && (parallel ? r1 != 0 && r2 != 0 && r1 + r2 != 0 && (r1 > 0 || r2 > 0) : r1 > 0 && r2 > 0))
      return true;
    add("radii", fmt::format("the radii of '{}' are {} m and {} m", joint_.name, r1, r2),
        parallel ? "give two positive radii, and internal: true if the larger is toothed inside; an internal "
                   "pair has different radii"
                 : "give two positive radii");
    return false;
  }

  void helix() {
    const double value = joint_.teeth.helix_angle;
    if (joint_.kind == Joint::Kind::worm_pair) {
      if (!(std::abs(value) >= kLeastLead && std::abs(value) <= kMostLead))
        add("lead-angle", angle("lead angle", value), "give 1 to 89 deg, as 5 deg, or with a minus sign");
      return;
    }
    const bool spiral = joint_.kind == Joint::Kind::bevel_pair;
    if (!(std::abs(value) <= kMostHelix) || (mechanism_.is_planar && value != 0))
      add(spiral ? "spiral-angle" : "helix-angle", angle(spiral ? "spiral angle" : "helix angle", value),
          mechanism_.is_planar ? "in the plane it is zero" : "give −60 to 60 deg, as 15 deg");
  }

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

  void placed(const Frame& first, const Frame& second) {
    const Vec3 axis = first.axes.col(2), line = second.at - first.at;
    if (!(axis.dot(second.axes.col(2)) > std::cos(kSkew)))
      return add("axis", fmt::format("the axes of the gears of '{}' are not parallel", joint_.name),
                 "give both one direction");
    const bool is_rack = joint_.kind == Joint::Kind::rack_pair;
    const double distance = is_rack ? std::abs(line.dot(second.axes.col(1))) : line.norm(),
                 fits = is_rack ? joint_.teeth.radii[0]
                                : std::abs(joint_.teeth.radii[0] + joint_.teeth.radii[1]);
    if (!(std::abs(distance - fits) <= kRough * fits))
      return add(is_rack ? "radius" : "radii",
                 is_rack
                     ? fmt::format("the centre of the pinion of '{}' is {:.4g} m from the pitch line of the "
                                   "rack at the start, and its radius is {:.4g} m",
                                   joint_.name, distance, fits)
                     : apart(distance, fits),
                 "give the pitch radii that fit, or the places of the centres");
    if (std::abs(line.dot(axis)) > kAside * distance)
      add("centers",
          fmt::format("the centres of the gears of '{}' are {:.3g} m apart along the axis", joint_.name,
                      std::abs(line.dot(axis))),
          "give the places in the middle of the width in which the teeth meet");
  }

  std::string apart(double distance, double fits) const {
    return fmt::format(
        "the centres of the gears of '{}' are {:.4g} m apart at the start, and their radii make {:.4g} m",
        joint_.name, distance, fits);
  }

  void bevel_placed(const Frame& first, const Frame& second) {
    const Vec3 a1 = first.axes.col(2), a2 = second.axes.col(2);
    const auto [r1, r2] = joint_.teeth.radii;
    if (!(a1.cross(a2).norm() > std::sin(kSkew)))
      return add("axes", fmt::format("the axes of the bevel gears of '{}' are parallel", joint_.name),
                 "bevel gears have axes that meet at an angle; those on parallel axes are a gear-pair");
    const double cosine = a1.dot(a2);
    if (!(r2 / r1 + cosine > 0 && r1 / r2 + cosine > 0))
      return add("radii",
                 fmt::format("the larger of the bevel gears of '{}' would be toothed inside: its pitch cone "
                             "opens by more than 90 deg",
                             joint_.name),
                 "let both axes point from the apex to the gears, or give other radii");
    const double distance = pitch_cones(joint_.teeth, a1, a2).distance;
    if ((second.at - first.at).norm() > kRough * distance)
      add("apex", fmt::format("the axes of '{}' do not meet in one apex", joint_.name),
          "give the place where both axes meet");
  }

  void worm_placed(const Frame& first, const Frame& second) {
    const Vec3 a1 = first.axes.col(2), a2 = second.axes.col(2), line = second.at - first.at;
    if (!(a1.cross(a2).norm() > std::sin(kSkew)))
      return add("axes", fmt::format("the axes of worm and wheel of '{}' are parallel", joint_.name),
                 "they cross, mostly at 90 deg; helical gears on parallel axes are a gear-pair");
    const double distance = line.norm(), fits = joint_.teeth.radii[0] + joint_.teeth.radii[1];
    if (!(std::abs(distance - fits) <= kRough * fits))
      return add("radii", apart(distance, fits), "give the pitch radii that fit, or places of both axes");
    if (std::max(std::abs(line.dot(a1)), std::abs(line.dot(a2))) > kAside * distance)
      return add("centers", fmt::format("the centres of '{}' do not lie next to each other", joint_.name),
                 "give the ends of the shortest line between both axes");
    const WormForce f = worm_force(joint_.teeth, a1, a2, line);
    if (!(std::abs(f.second) > kLeastTurning))
      add("lead-angle",
          fmt::format("the thread of '{}' runs along the pitch circle of its wheel, which it cannot turn",
                      joint_.name),
          "give another lead angle, or other axes");
  }
};

}  // namespace

void validate_teeth(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                    Issues& issues) {
  TeethCheck(mechanism, index, joint, issues).run();
}

}  // namespace trammel::mechanism
