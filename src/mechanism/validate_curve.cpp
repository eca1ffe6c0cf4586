#include "mechanism/validate_curve.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechanism/check_of_joint.h"
#include "mechanism/spline_curve.h"

namespace trammel::mechanism {
namespace {

// Of the curve's length: points nearer than this are one place.
constexpr double kSame = 1e-9;
// Of the curve's length: a point this far off at the start belongs to no part of the curve in particular.
constexpr double kFar = 0.1;

std::string text(const Vec3& p, bool is_planar) {
  return is_planar ? fmt::format("[{:.4g}, {:.4g}]", p.x(), p.y())
                   : fmt::format("[{:.4g}, {:.4g}, {:.4g}]", p.x(), p.y(), p.z());
}

class CurveCheck : CheckOfJoint {
 public:
  using CheckOfJoint::CheckOfJoint;

  void run(bool from_start) {
    if (!has_points() || !has_axes() || joint_.markers.size() != 2) return;
    const SplineCurve curve(joint_.curve.through, joint_.curve.closed);
    if (const auto at = curve.self_contact())
      return add("through",
                 fmt::format("the curve of '{}' meets itself, or nearly, at {}", joint_.name,
                             text(*at, mechanism_.is_planar)),
                 "a point there could go on in two ways: give points that keep its parts apart, more of "
                 "them where it turns sharply");
    if (from_start) starts_on(curve);
  }

 private:
  bool has_points() {
    const std::vector<Vec3>& points = joint_.curve.through;
    if (points.size() < 3) {
      add("through", fmt::format("the curve of '{}' has {} points", joint_.name, points.size()),
          "give three points or more; a line through two is point-on-line");
      return false;
    }
    double length = 0;
    for (std::size_t i = 1; i < points.size(); ++i) length += (points[i] - points[i - 1]).norm();
    const std::size_t last = points.size() - (joint_.curve.closed ? 0 : 1);
    for (std::size_t i = 0; i < last; ++i) {
      const Vec3& next = points[(i + 1) % points.size()];
      if ((next - points[i]).norm() > kSame * length) continue;
      add("through",
          fmt::format("points {} and {} of the curve of '{}' are in one place, {}", i + 1,
                      (i + 1) % points.size() + 1, joint_.name, text(next, mechanism_.is_planar)),
          "leave one out; a closed curve does not repeat its first point");
      return false;
    }
    if (std::ranges::all_of(points, [](const Vec3& p) { return p.allFinite(); })) return true;
    add("through", fmt::format("the curve of '{}' is not finite", joint_.name), "give finite numbers");
    return false;
  }

  // The body turns with the curve.
  bool has_axes() {
    if (joint_.markers.size() != 2) return true;
    const auto body = index_.bodies.find(joint_.markers[1].body);
    if (body == index_.bodies.end() || body->second->kind == Body::Kind::rigid) return true;
    if (mechanism_.is_planar && body->second->kind == Body::Kind::rod) return true;
    add("of",
        fmt::format("the curve of '{}' turns with '{}', which has no axes of its own", joint_.name,
                    body->first),
        "make it a rigid body with mass and inertia");
    return false;
  }

  void starts_on(const SplineCurve& curve) {
    const auto world = [&](const Marker& m) {
      const Frame place = mechanism_.placement(m.body);
      return Frame{place.at + place.axes * m.frame.at, place.axes * m.frame.axes};
    };
    const Frame axes = world(joint_.markers[1]);
    const Vec3 p = axes.axes.transpose() * (world(joint_.markers[0]).at - axes.at);
    const double s = curve.nearest(p);
    const double on = curve.is_closed() ? s : std::clamp(s, 0.0, curve.length());
    const double off = (p - curve.at(on).f).norm();
    if (off > kFar * curve.length())
      return add("", fmt::format("the point of '{}' starts {:.3g} m off its curve", joint_.name, off),
                 "place it near the part of the curve that it shall be on; assembly does the rest");
    if (curve.is_beyond(s))
      add("", fmt::format("the point of '{}' starts beyond the end of its curve", joint_.name),
          "place it between the ends, or give the curve more points");
  }
};

}  // namespace

void validate_curve(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                    Issues& issues) {
  CurveCheck(mechanism, index, joint, issues).run(true);
}

void validate_outline(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint,
                      Issues& issues) {
  CurveCheck(mechanism, index, joint, issues).run(false);
}

}  // namespace trammel::mechanism
