#include "mechanism/spline_curve.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "math/rotations.h"

namespace trammel::mechanism {
namespace {

// Each sweep of Gauss–Seidel halves the error of the second derivatives at least, as the matrix is diagonally
// dominant by a factor of two: after so many they do not change any more.
constexpr int kSweeps = 120;
// Newton's method for the foot point: steps at most, and the length below which a step is rounding.
constexpr int kFootSteps = 50;
constexpr double kFoot = 1e-15;
// Of the length of a curve: what counts as being beyond its end.
constexpr double kEnd = 1e-9;

}  // namespace

// h₋ m₋ + 2(h₋ + h₊) m + h₊ m₊ = 6(slope₊ − slope₋) for m = f'' at each knot.
VectorSpline::VectorSpline(std::vector<double> knots, std::vector<Vec3> values, bool closed)
    : knots_(std::move(knots)),
      values_(std::move(values)),
      seconds_(values_.size(), Vec3::Zero()),
      closed_(closed) {
  const std::size_t n = values_.size() - 1;  // pieces
  const auto step = [&](std::size_t piece) { return knots_[piece + 1] - knots_[piece]; };
  const auto slope = [&](std::size_t piece) -> Vec3 {
    return (values_[piece + 1] - values_[piece]) / step(piece);
  };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = closed ? 0 : 1; i < n; ++i) {
      const std::size_t before = i == 0 ? n - 1 : i - 1;
      const double h0 = step(before), h1 = step(i);
      seconds_[i] =
          (6 * (slope(i) - slope(before)) - h0 * seconds_[before] - h1 * seconds_[i + 1]) / (2 * (h0 + h1));
      if (i == 0) seconds_[n] = seconds_[0];
    }
  }
}

VectorSpline::Jet VectorSpline::at(double s) const {
  const double length = knots_.back();
  double inside = s;
  if (closed_)
    inside = s - length * std::floor(s / length);
  else
    inside = std::clamp(s, 0.0, length);
  const auto right = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, inside);
  const auto i = static_cast<std::size_t>(right - knots_.begin()) - 1;
  const double h = knots_[i + 1] - knots_[i], b = (inside - knots_[i]) / h, a = 1 - b;
  const Vec3 &m0 = seconds_[i], &m1 = seconds_[i + 1];
  Jet jet;
  jet.f = a * values_[i] + b * values_[i + 1] + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * (h * h / 6);
  jet.d = (values_[i + 1] - values_[i]) / h + ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0) * (h / 6);
  jet.dd = a * m0 + b * m1;
  jet.ddd = (m1 - m0) / h;
  if (!closed_ && inside != s) {
    jet.f += (s - inside) * jet.d;
    jet.dd.setZero();
    jet.ddd.setZero();
  }
  return jet;
}

SplineCurve::SplineCurve(std::vector<Vec3> through, bool closed) : closed_(closed) {
  if (closed) through.push_back(through.front());
  std::vector<double> knots{0};
  for (std::size_t i = 1; i < through.size(); ++i)
    knots.push_back(knots.back() + (through[i] - through[i - 1]).norm());
  length_ = knots.back();
  position_ = VectorSpline(knots, through, closed);
  make_across(knots);
  sample(knots);
}

// As many samples as the length of a piece asks for, so that they are about equally far apart however the
// points are spaced. Fine enough that the sagitta between two samples is a hundredth of their distance on a
// circle through eight points; fewer for long lists, which are fine themselves.
void SplineCurve::sample(const std::vector<double>& knots) {
  constexpr std::size_t kLeast = 4;  // of a piece: a cubic may turn twice
  const std::size_t pieces = knots.size() - 1, each = std::clamp<std::size_t>(2000 / pieces, kLeast, 16);
  const double all = static_cast<double>(each * pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    const double h = knots[i + 1] - knots[i];
    const std::size_t here = std::max(kLeast, static_cast<std::size_t>(std::lround(all * h / length_)));
    for (std::size_t k = 0; k < here; ++k)
      sample_s_.push_back(knots[i] + h * static_cast<double>(k) / static_cast<double>(here));
  }
  sample_s_.push_back(length_);
  for (const double s : sample_s_) sample_.push_back(at(s).f);
}

// Carries a frame from point to point by the smallest rotation between the tangents; what is missing after a
// round is spread over the whole length.
void SplineCurve::make_across(const std::vector<double>& knots) {
  std::vector<Vec3> tangent, u;
  for (const double s : knots) tangent.push_back(at(s).d.normalized());
  u.push_back(tangent.front().unitOrthogonal());
  for (std::size_t i = 1; i < knots.size(); ++i)
    u.push_back(math::shortest_turn(tangent[i - 1], tangent[i]) * u[i - 1]);
  const double missing =
      closed_ ? std::atan2(u.back().cross(u.front()).dot(tangent.front()), u.back().dot(u.front())) : 0.0;
  std::vector<Vec3> first, second;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    first.push_back(Eigen::AngleAxisd(missing * knots[i] / length_, tangent[i]) * u[i]);
    second.push_back(tangent[i].cross(first.back()));
  }
  if (closed_) {
    first.back() = first.front();
    second.back() = second.front();
  }
  across_ = {VectorSpline(knots, first, closed_), VectorSpline(knots, second, closed_)};
}

// From the nearest sample Newton's method on g(s) = (p − c)·c', g' = (p − c)·c'' − |c'|².
double SplineCurve::nearest(const Vec3& place) const {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < sample_.size(); ++i) {
    const double d = (place - sample_[i]).squaredNorm();
    if (d < least) {
      least = d;
      best = i;
    }
  }
  double s = sample_s_[best];
  const double reach = length_ / static_cast<double>(sample_s_.size() - 1);
  for (int k = 0; k < kFootSteps; ++k) {
    const VectorSpline::Jet c = at(s);
    const Vec3 w = place - c.f;
    const double tt = c.d.squaredNorm(), bent = tt - c.dd.dot(w);
    // Beyond the centre of curvature the slope has the wrong sign: then as if the curve were straight.
    double step = c.d.dot(w) / (bent > 0.1 * tt ? bent : tt);
    const bool is_end = !closed_ && (s + step < 0 || s + step > length_);
    if (!is_end) step = std::clamp(step, -2 * reach, 2 * reach);
    s += step;
    if (!(std::abs(step) > kFoot * length_)) break;
  }
  return s;
}

// From the farthest sample Newton's method on g(s) = c'·n, g' = c''·n.
double SplineCurve::farthest(const Vec3& direction) const {
  const Vec3 n = direction.normalized();
  std::size_t best = 0;
  for (std::size_t i = 1; i < sample_.size(); ++i)
    if (sample_[i].dot(n) > sample_[best].dot(n)) best = i;
  double s = sample_s_[best];
  const double reach = length_ / static_cast<double>(sample_s_.size() - 1);
  for (int k = 0; k < kFootSteps; ++k) {
    const VectorSpline::Jet c = at(s);
    const double step = std::clamp(-c.d.dot(n) / c.dd.dot(n), -2 * reach, 2 * reach);
    s += step;
    if (!(std::abs(step) > kFoot * length_)) break;
  }
  return s;
}

// Of the polygon of the samples, which has the sign of the curve's.
double SplineCurve::area() const {
  double sum = 0;
  for (std::size_t i = 1; i < sample_.size(); ++i)
    sum += 0.5 * (sample_[i - 1].x() * sample_[i].y() - sample_[i - 1].y() * sample_[i].x());
  return sum;
}

bool SplineCurve::is_convex() const {
  int left = 0, right = 0;
  for (const double s : sample_s_) {
    const VectorSpline::Jet c = at(s);
    (c.d.x() * c.dd.y() - c.d.y() * c.dd.x() > 0 ? left : right) += 1;
  }
  return left == 0 || right == 0;
}

bool SplineCurve::is_beyond(double s) const {
  return !closed_ && (s < -kEnd * length_ || s > (1 + kEnd) * length_);
}

// Two samples that are nearer to each other in space than samples are there, but farther along the curve.
// There nearest() could start on the wrong part of the curve.
std::optional<Vec3> SplineCurve::self_contact() const {
  constexpr double kApart = 3.5;  // spacings along the curve: the fourth sample from here, not the third
  const std::size_t n = sample_.size();
  std::vector<double> along{0}, spacing(n, 0.0);
  for (std::size_t i = 1; i < n; ++i) {
    const double gap = (sample_[i] - sample_[i - 1]).norm();
    along.push_back(along.back() + gap);
    spacing[i - 1] = std::max(spacing[i - 1], gap);
    spacing[i] = gap;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = i + 1; k < n; ++k) {
      const double near = std::max(spacing[i], spacing[k]), ahead = along[k] - along[i];
      // around the seam of a closed curve too
      const double apart = closed_ ? std::min(ahead, along.back() - ahead) : ahead;
      if (apart > kApart * near && (sample_[i] - sample_[k]).squaredNorm() < near * near) return sample_[i];
    }
  return std::nullopt;
}

std::vector<Vec3> SplineCurve::samples() const { return sample_; }

}  // namespace trammel::mechanism
