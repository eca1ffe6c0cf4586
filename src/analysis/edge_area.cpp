#include "analysis/edge_area.h"

#include <algorithm>
#include <cmath>

namespace trammel::analysis {
namespace {

using Vec2 = Eigen::Vector2d;

// A tangent that turns by more between two points, rad, tells of a corner.
constexpr double kTurnsSmoothly = 0.3;
// Tangents of which the second goes back along the first, by their cosine, tell of a cusp.
constexpr double kCusp = -0.9;
// Cells: how far a corner may lie from the points before and after it, and how near points may be one.
constexpr double kFarCorner = 25, kSamePoint = 1e-6;

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }
double angle(const Vec2& from, const Vec2& to) { return std::atan2(cross(from, to), from.dot(to)); }

double polygon_area(const std::vector<Vec2>& points) {
  double twice = 0;
  for (std::size_t k = 0; k < points.size(); ++k) twice += cross(points[k], points[(k + 1) % points.size()]);
  return twice / 2;
}

class Edges {
 public:
  Edges(const std::vector<EdgePoint>& points, double cell) : points_(points), cell_(cell) {
    for (std::size_t k = 0; k < points.size(); ++k)
      if (points[k].exact && !goes_back(k)) exact_.push_back(k);
  }

  // Too few exact points: the outline of the grid.
  EdgeLoop rough() const {
    EdgeLoop out;
    std::vector<Vec2> all;
    double length = 0;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      all.push_back(points_[k].at);
      length += (points_[(k + 1) % points_.size()].at - points_[k].at).norm();
      out.corners.emplace_back(points_[k].at.x(), points_[k].at.y(), 0);
    }
    out.area = polygon_area(all);
    out.error = length * cell_;
    return out;
  }

  bool mostly_exact() const { return exact_.size() >= 3 && 2 * exact_.size() > points_.size(); }

  EdgeLoop refined() const {
    EdgeLoop out;
    std::vector<Vec2> polygon;
    for (std::size_t i = 0; i < exact_.size(); ++i) {
      const std::size_t a = exact_[i], b = exact_[(i + 1) % exact_.size()];
      polygon.push_back(points_[a].at);
      add_edge(a, b, polygon, out);
    }
    out.area += polygon_area(polygon);
    for (const Vec2& at : polygon) out.corners.emplace_back(at.x(), at.y(), 0);
    return out;
  }

 private:
  // Behind the exact point before it, or the same: neighbours on the grid that were moved past each other.
  bool goes_back(std::size_t k) const {
    if (exact_.empty() || points_[k].corner) return false;
    const EdgePoint& before = points_[exact_.back()];
    const Vec2 way = points_[k].at - before.at;
    return way.norm() <= kSamePoint * cell_ ||
           (way.norm() < 2 * cell_ && way.dot(before.tangent) < 0 && way.dot(points_[k].tangent) < 0);
  }

  void add_edge(std::size_t a, std::size_t b, std::vector<Vec2>& polygon, EdgeLoop& out) const {
    const EdgePoint &from = points_[a], &to = points_[b];
    if (to.corner) return;
    const Vec2 chord = to.at - from.at;
    const double length = chord.norm(), alpha = angle(from.tangent, chord), beta = angle(chord, to.tangent);
    if (std::max({std::abs(alpha), std::abs(beta), std::abs(alpha + beta)}) <= kTurnsSmoothly) {
      // The boundary lies to the right of the chord where it turns to the left.
      const double beyond = length * length / 12 * (std::tan(alpha) + std::tan(beta));
      out.area += beyond;
      // Where the curvature jumps between the points, the cubic errs by no more than its asymmetry.
      const double uneven = length * length / 12 * std::abs(std::tan(alpha) - std::tan(beta));
      out.error += std::abs(beyond) * (alpha * alpha + beta * beta) + uneven + left_out(a, b, {});
      return;
    }
    // from + s t_a = to − r t_b
    const double turn = cross(from.tangent, to.tangent);
    const double s = cross(chord, to.tangent) / turn, r = cross(from.tangent, chord) / turn;
    const double far = kFarCorner * cell_;
    // The tip of a cusp, and a strip or gap that ends between parallel tangents, are narrower than a cell.
    if (from.tangent.dot(to.tangent) < kCusp || s * r < 0) out.error += far * cell_;
    if (std::abs(turn) > 0 && s > 0 && r > 0 && s < far && r < far) {
      const Vec2 corner = from.at + s * from.tangent;
      polygon.push_back(corner);
      // Curves bend from their tangents as they do at the points before.
      out.error += cell_ * cell_ / 2 + left_out(a, b, {corner});
    } else {
      out.error += length * cell_ + left_out(a, b, {});
    }
  }

  // How far what is drawn between two exact points differs from the rough points between them, beyond the
  // grid.
  double left_out(std::size_t a, std::size_t b, const std::vector<Vec2>& corner) const {
    std::vector<Vec2> between = {points_[a].at};
    double length = 0;
    for (std::size_t k = (a + 1) % points_.size(); k != b; k = (k + 1) % points_.size())
      if (!points_[k].exact) between.push_back(points_[k].at);
    if (between.size() == 1) return 0;
    between.push_back(points_[b].at);
    for (std::size_t k = 1; k < between.size(); ++k) length += (between[k] - between[k - 1]).norm();
    between.insert(between.end(), corner.begin(), corner.end());
    return std::max(0.0, std::abs(polygon_area(between)) - length * cell_);
  }

  const std::vector<EdgePoint>& points_;
  double cell_;
  std::vector<std::size_t> exact_;
};

}  // namespace

EdgeLoop edge_loop(const std::vector<EdgePoint>& points, double cell) {
  const Edges edges(points, cell);
  return edges.mostly_exact() ? edges.refined() : edges.rough();
}

}  // namespace trammel::analysis
