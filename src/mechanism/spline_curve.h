// SplineCurve: a cubic spline through points in space, closed (periodic) or open (natural), and the point of
// it that is nearest to a place.
//
//   c(s) with s from 0 to L, the sum of the distances between the points: |c'| is nearly one
//   (p − c(s))·c'(s) = 0          the foot point s of a place p, the nearest one
//
// Between two points c is cubic, so that c'' is continuous. Beyond its ends an open curve goes on in a
// straight line, which fits the natural end c'' = 0; callers see from s that a place lies there. In the plane
// z = 0.
//
// In space two vectors follow the curve that stay across it: at the points they are perpendicular to the
// curve and turn about it as little as they can (a closed curve's fit together after a round), in between
// they are splines.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

// A vector function by its values at knots: cubic in between, with continuous second derivatives.
class VectorSpline {
 public:
  struct Jet {
    Vec3 f, d, dd, ddd;  // value and derivatives
  };
  VectorSpline() = default;
  // A closed one has its first value again at the last knot.
  VectorSpline(std::vector<double> knots, std::vector<Vec3> values, bool closed);
  Jet at(double s) const;

 private:
  std::vector<double> knots_;
  std::vector<Vec3> values_, seconds_;  // f and f'' at the knots
  bool closed_ = false;
};

class SplineCurve {
 public:
  // At least three points, no two neighbours in one place.
  SplineCurve(std::vector<Vec3> through, bool closed);

  double length() const { return length_; }
  bool is_closed() const { return closed_; }
  VectorSpline::Jet at(double s) const { return position_.at(s); }
  // The two vectors across, and their derivatives.
  std::array<VectorSpline::Jet, 2> across(double s) const { return {across_[0].at(s), across_[1].at(s)}; }
  double nearest(const Vec3& place) const;
  // The point of a closed convex curve that lies farthest in a direction: c'·direction = 0.
  double farthest(const Vec3& direction) const;
  // Of a closed curve in the plane: the area that it runs about counterclockwise.
  double area() const;
  // Of a curve in the plane: whether it turns to one side alone.
  bool is_convex() const;
  // Whether s lies beyond an end of an open curve, by more than rounding.
  bool is_beyond(double s) const;
  // A place where the curve meets itself, or nearly: there the nearest point is not unique.
  std::optional<Vec3> self_contact() const;
  // Places along the curve, close enough to draw; the first again at the end of a closed one.
  std::vector<Vec3> samples() const;
  // Their s.
  const std::vector<double>& sample_places() const { return sample_s_; }

 private:
  void make_across(const std::vector<double>& knots);
  void sample(const std::vector<double>& knots);

  bool closed_;
  double length_ = 0;
  VectorSpline position_;
  std::array<VectorSpline, 2> across_;
  std::vector<double> sample_s_;
  std::vector<Vec3> sample_;
};

}  // namespace trammel::mechanism
