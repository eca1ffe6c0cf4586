#include "mechanism/validate_cam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanism/spline_curve.h"
#include "mechanism/validate_curve.h"

namespace trammel::mechanism {
namespace {

// Of the outline's length: a follower this far off at the start touches no part of it in particular.
constexpr double kFarOff = 0.2;

class CamCheck {
 public:
  CamCheck(const Mechanism& mechanism, const Joint& joint, Issues& issues)
      : mechanism_(mechanism), joint_(joint), issues_(issues) {}

  void run() {
    const SplineCurve curve(joint_.curve.through, joint_.curve.closed);
    if (!(std::isfinite(joint_.value) && joint_.value >= 0))
      return add("radius", fmt::format("the radius of the roller of '{}' is {} m", joint_.name, joint_.value),
                 "give zero, a point, or more");
    if (joint_.cam.face) return face(curve);
    if (!fits_hollows(curve)) return;
    const double s = curve.nearest(follower());
    const double off = (follower() - curve.at(s).f).norm() - joint_.value;
    if (joint_.keeps_contact && std::abs(off) > kFarOff * curve.length())
      add("follower",
          fmt::format("the follower of '{}' starts {:.3g} m off its cam", joint_.name, std::abs(off)),
          "place it where it touches; assembly does the rest");
  }

 private:
  void face(const SplineCurve& curve) {
    if (!curve.is_closed() || !curve.is_convex())
      add("through",
          fmt::format("the outline of '{}' is not convex: a flat face would touch it in several places",
                      joint_.name),
          "give more points where it turns sharply, or let a roller follow it");
  }

  // A roller does not fit into a hollow that is narrower than itself.
  bool fits_hollows(const SplineCurve& curve) {
    for (const double s : curve.sample_places()) {
      const VectorSpline::Jet c = curve.at(s);
      const double speed = c.d.norm();
      const double bend = (c.d.x() * c.dd.y() - c.d.y() * c.dd.x()) / (speed * speed * speed);
      if (joint_.cam.side * bend * joint_.value < 1) continue;
      add("radius",
          fmt::format(
              "the roller of '{}' does not fit into its cam at [{:.4g}, {:.4g}], whose hollow has the "
              "radius {:.4g} m",
              joint_.name, c.f.x(), c.f.y(), std::abs(1 / bend)),
          "give a smaller roller, or an outline with a wider hollow");
      return false;
    }
    return true;
  }

  // In the axes of the outline.
  Vec3 follower() const {
    const auto world = [&](const Marker& m) {
      const Frame place = mechanism_.placement(m.body);
      return Frame{place.at + place.axes * m.frame.at, place.axes * m.frame.axes};
    };
    const Frame axes = world(joint_.markers[1]);
    Vec3 p = axes.axes.transpose() * (world(joint_.markers[0]).at - axes.at);
    p.z() = 0;
    return p;
  }

  void add(const std::string& field, std::string message, std::string remedy) {
    issues_.push_back({joint_.where, field, std::move(message), std::move(remedy)});
  }

  const Mechanism& mechanism_;
  const Joint& joint_;
  Issues& issues_;
};

}  // namespace

void validate_cam(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                  Issues& issues) {
  const std::size_t before = issues.size();
  validate_outline(mechanism, index, joint, issues);
  if (issues.size() == before && joint.markers.size() == 2) CamCheck(mechanism, joint, issues).run();
}

}  // namespace trammel::mechanism
