#include "results/scene/thumbnail.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanism/joint_kinds.h"
#include "results/scene/scene.h"

namespace trammel::results {
namespace {

using Vec2 = Eigen::Vector2d;

constexpr double kWidth = 160, kHeight = 100, kMargin = 12;
constexpr int kColours = 8;
constexpr std::size_t kMostBodies = 300;  // more are not told apart in so small a picture

// From the front in the plane, from above and aside in space.
class Projection {
 public:
  explicit Projection(const Mechanism& m) {
    if (m.is_planar) return;
    const Vec3 up = m.gravity.isZero() ? Vec3::UnitZ() : Vec3(-m.gravity.normalized());
    const Vec3 aside = std::abs(up.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
    const Vec3 right = (aside - aside.dot(up) * up).normalized(), front = up.cross(right);
    const Vec3 eye = (0.75 * right - front + 0.55 * up).normalized();
    right_ = up.cross(eye).normalized();
    up_ = eye.cross(right_);
  }
  Vec2 operator()(const Vec3& x) const { return {right_.dot(x), up_.dot(x)}; }

 private:
  Vec3 right_ = Vec3::UnitX(), up_ = Vec3::UnitY();
};

struct Line {
  std::string look;
  std::vector<Vec2> points;
};

constexpr int kRound = 24;  // corners of a circle

class Sketch {
 public:
  explicit Sketch(const Mechanism& m) : m_(m), see_(m) {
    for (std::size_t b = 0; b < std::min(m.bodies.size(), kMostBodies); ++b) add_body(m.bodies[b], b);
    for (const Force& force : m.forces)
      if (const auto* spring = std::get_if<SpringDamper>(&force.law)) add_spring(*spring);
    for (const Joint& joint : m.joints) add_joint(joint);
  }

  std::string svg() const {
    Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity()), high = -low;
    const auto reach = [&](const Vec2& p) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    };
    for (const Line& line : lines_) std::ranges::for_each(line.points, reach);
    std::ranges::for_each(dots_, reach);
    if (!(low.x() <= high.x())) return {};
    const Vec2 extent = high - low, middle = (low + high) / 2;
    const double scale = std::min((kWidth - 2 * kMargin) / std::max(extent.x(), 1e-12),
                                  (kHeight - 2 * kMargin) / std::max(extent.y(), 1e-12));
    // A single point has no size.
    const double unit = extent.norm() > 0 ? scale : 1;
    const auto at = [&](const Vec2& p) -> Vec2 {
      return {kWidth / 2 + unit * (p.x() - middle.x()), kHeight / 2 - unit * (p.y() - middle.y())};
    };
    std::string out =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">", kWidth, kHeight);
    for (const Line& line : lines_) {
      out += fmt::format("<polyline class=\"{}\" points=\"", line.look);
      for (const Vec2& p : line.points) out += fmt::format("{:.1f},{:.1f} ", at(p).x(), at(p).y());
      out += "\"/>";
    }
    for (const Vec2& p : ground_)
      out += fmt::format("<path class=\"ground\" d=\"M{:.1f} {:.1f}l-5 8h10z\"/>", at(p).x(), at(p).y());
    for (const Vec2& p : dots_)
      out += fmt::format("<circle class=\"joint\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>", at(p).x(),
                         at(p).y());
    return out + "</svg>";
  }

 private:
  Vec2 place(const Marker& marker) const {
    const Frame frame = m_.placement(marker.body);
    return see_(frame.at + frame.axes * marker.frame.at);
  }

  // A rod as it lies; another body from its middle to whatever is joined to it.
  void add_body(const Body& body, std::size_t number) {
    const std::string look = fmt::format("body b{}", number % kColours);
    const auto on_body = [&](const Vec3& x) { return see_(body.placement.at + body.placement.axes * x); };
    if (body.kind == Body::Kind::rod) {
      lines_.push_back({look, {on_body(Vec3::Zero()), on_body(Vec3(body.length, 0, 0))}});
      return;
    }
    const Vec2 middle = on_body(body.com);
    const std::size_t before = lines_.size();
    for (const Joint& joint : m_.joints)
      for (const Marker& marker : joint.markers)
        if (marker.body == body.name) lines_.push_back({look, {middle, place(marker)}});
    for (const auto& [name, at] : body.points) lines_.push_back({look, {middle, on_body(at)}});
    const double wheel = wheel_of(body);
    if (wheel > 0) add_circle(look, body, wheel);
    if (lines_.size() == before) lines_.push_back({look, {middle, middle}});
  }

  // The radius of a body that is a gear or a pulley, or that turns about its centre of mass and has nothing
  // else to be drawn; 0: none.
  double wheel_of(const Body& body) const {
    double reach = 0, radius = 0;
    for (const Joint& joint : m_.joints)
      for (std::size_t k = 0; k < joint.markers.size() && k < 2; ++k) {
        if (joint.markers[k].body != body.name) continue;
        reach = std::max(reach, (joint.markers[k].frame.at - body.com).norm());
        const double given = std::abs(mechanism::about(joint.kind).teeth ? joint.teeth.radii[k]
                                      : joint.kind == Joint::Kind::belt  ? joint.pulleys[k]
                                                                         : 0);
        if (std::isfinite(given)) radius = std::max(radius, given);
      }
    const double even = body_size(body, m_.is_planar).half.maxCoeff();
    return radius > 0 ? radius : reach < 0.2 * even ? even : 0;
  }

  // In the plane; in space about the body's z axis.
  void add_circle(const std::string& look, const Body& body, double radius) {
    Line line{look, {}};
    for (int k = 0; k <= kRound; ++k) {
      const double angle = 2 * M_PI * k / kRound;
      const Vec3 at = body.com + radius * Vec3(std::cos(angle), std::sin(angle), 0);
      line.points.push_back(see_(body.placement.at + body.placement.axes * at));
    }
    lines_.push_back(std::move(line));
  }

  void add_spring(const SpringDamper& spring) {
    const Vec2 a = place(spring.a), b = place(spring.b), along = b - a, across(-along.y(), along.x());
    Line line{"spring", {a}};
    for (int k = 1; k < 8; ++k)
      line.points.push_back(a + along * (0.1 + 0.1 * k) + across * (k % 2 == 0 ? 0.06 : -0.06));
    line.points.push_back(b);
    lines_.push_back(std::move(line));
  }

  void add_joint(const Joint& joint) {
    for (const Marker& marker : joint.markers) {
      const Vec2 at = place(marker);
      if (marker.body == kGround) ground_.push_back(at);
      if (&marker == &joint.markers.front()) dots_.push_back(at);
    }
  }

  const Mechanism& m_;
  Projection see_;
  std::vector<Line> lines_;
  std::vector<Vec2> ground_, dots_;
};

}  // namespace

std::string thumbnail_svg(const Mechanism& mechanism) {
  return mechanism.generalized ? std::string() : Sketch(mechanism).svg();
}

}  // namespace trammel::results
