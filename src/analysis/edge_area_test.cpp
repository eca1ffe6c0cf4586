// Areas within points that have tangents, against closed forms.
#include "analysis/edge_area.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trammel::tests::edge_area_test {
namespace {

using analysis::EdgeLoop;
using analysis::EdgePoint;
using std::numbers::pi;

EdgePoint on_circle(double radius, double angle, double sense = 1) {
  const Eigen::Vector2d out(std::cos(angle), std::sin(angle));
  return {radius * out, sense * Eigen::Vector2d(-out.y(), out.x()), true};
}

// A chord's segment is known to its fifth power: twice the points, a sixteenth of the error.
TEST(EdgeArea, OfACircleHasFourthOrder) {
  double before = 0;
  for (const int count : {40, 80}) {
    std::vector<EdgePoint> points;
    for (int k = 0; k < count; ++k) points.push_back(on_circle(1, 2 * pi * k / count));
    const EdgeLoop loop = analysis::edge_loop(points, 0.01);
    const double off = std::abs(loop.area - pi);
    EXPECT_LT(off, loop.error);
    EXPECT_LT(loop.error, 1e-3);
    if (before > 0) {
      EXPECT_NEAR(before / off, 16, 1);
    }
    before = off;
  }
}

// What is enclosed lies to the left: a hole counts against it.
TEST(EdgeArea, OfAHoleIsNegative) {
  std::vector<EdgePoint> points;
  for (int k = 0; k < 100; ++k) points.push_back(on_circle(0.5, -2 * pi * k / 100, -1));
  EXPECT_NEAR(analysis::edge_loop(points, 0.01).area, -pi / 4, 1e-6);
}

// Rough points about the corners of a rectangle are replaced by where its sides meet.
TEST(EdgeArea, OfARectangleHasItsCorners) {
  const double a = 2, b = 1, cell = 0.01;
  std::vector<EdgePoint> points;
  const auto side = [&](Eigen::Vector2d from, const Eigen::Vector2d& along, double length) {
    for (double s = 0.005; s < length; s += cell)
      points.push_back({from + s * along, along, s > 4 * cell && s < length - 4 * cell});
  };
  side({0, 0}, {1, 0}, a);
  side({a, 0}, {0, 1}, b);
  side({a, b}, {-1, 0}, a);
  side({0, b}, {0, -1}, b);
  const EdgeLoop loop = analysis::edge_loop(points, cell);
  EXPECT_NEAR(loop.area, a * b, 1e-12);
  EXPECT_LT(loop.error, 1e-3);
  const auto corners = std::ranges::count_if(loop.corners, [&](const Vec3& p) {
    return (std::abs(p.x()) < 1e-9 || std::abs(p.x() - a) < 1e-9) &&
           (std::abs(p.y()) < 1e-9 || std::abs(p.y() - b) < 1e-9);
  });
  EXPECT_EQ(corners, 4);
}

// Without exact points the area is that of the outline, known to a cell along it.
TEST(EdgeArea, OfAnOutlineIsKnownToTheGrid) {
  const std::vector<EdgePoint> points = {
      {{0, 0}, {1, 0}}, {{1, 0}, {0, 1}}, {{1, 1}, {-1, 0}}, {{0, 1}, {0, -1}}};
  const EdgeLoop loop = analysis::edge_loop(points, 0.1);
  EXPECT_EQ(loop.area, 1);
  EXPECT_NEAR(loop.error, 0.4, 1e-12);
}

}  // namespace
}  // namespace trammel::tests::edge_area_test
