#include "expressions/function1.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace trammel::expressions {
namespace {

void check(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size())
    throw std::invalid_argument(
        fmt::format("{} x values but {} y values: give one y for each x", x.size(), y.size()));
  if (x.size() < 2) throw std::invalid_argument(fmt::format("{} data points: give at least two", x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
      throw std::invalid_argument(
          fmt::format("data point {} is ({}, {}): give finite numbers", i + 1, x[i], y[i]));
    if (i > 0 && x[i] <= x[i - 1])
      throw std::invalid_argument(
          fmt::format("x must increase strictly, but x = {} follows {}: sort the "
                      "points and remove repeated ones",
                      x[i], x[i - 1]));
  }
}

// Second derivatives of a spline: Thomas' algorithm on
//   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (s_i - s_{i-1}),  s_i the slope of segment i.
std::vector<double> natural_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> m(n, 0.0), upper(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
    const double jump = (y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0;
    const double pivot = 2 * (h0 + h1) - h0 * upper[i - 1];
    upper[i] = h1 / pivot;
    m[i] = (6 * jump - h0 * m[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] -= upper[i] * m[i + 1];
  return m;
}

// The same rows, with 2 h_0 m_0 + h_0 m_1 = 6 (s_0 - first) and its like at the end.
std::vector<double> clamped_curvature(const std::vector<double>& x, const std::vector<double>& y,
                                      double first, double last) {
  const std::size_t n = x.size();
  std::vector<double> m(n, 0.0), upper(n, 0.0);
  double h0 = 0, s0 = first;
  for (std::size_t i = 0; i < n; ++i) {
    const double h1 = i + 1 < n ? x[i + 1] - x[i] : 0, s1 = i + 1 < n ? (y[i + 1] - y[i]) / h1 : last;
    const double pivot = 2 * (h0 + h1) - (i > 0 ? h0 * upper[i - 1] : 0);
    upper[i] = h1 / pivot;
    m[i] = (6 * (s1 - s0) - (i > 0 ? h0 * m[i - 1] : 0)) / pivot;
    h0 = h1;
    s0 = s1;
  }
  for (std::size_t i = n - 1; i-- > 0;) m[i] -= upper[i] * m[i + 1];
  return m;
}

// The same rows around a circle, m_0 = m_{n-1} among the unknowns: m = a + m_0 b, where a and b have zero and
// one at both ends; the row of m_0 then gives it.
std::vector<double> periodic_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> a = natural_curvature(x, y), b(n, 0.0), upper(n, 0.0);
  b.front() = b.back() = 1;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
    const double pivot = 2 * (h0 + h1) - (i > 1 ? h0 * upper[i - 1] : 0);
    upper[i] = h1 / pivot;
    b[i] = -h0 * b[i - 1] / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) b[i] -= upper[i] * b[i + 1];
  const double h0 = x[1] - x[0], h1 = x[n - 1] - x[n - 2];
  const double jump = (y[1] - y[0]) / h0 - (y[n - 1] - y[n - 2]) / h1;
  const double m0 = (6 * jump - h1 * a[n - 2] - h0 * a[1]) / (2 * (h0 + h1) + h1 * b[n - 2] + h0 * b[1]);
  for (std::size_t i = 0; i < n; ++i) a[i] += m0 * b[i];
  return a;
}

// The slope of a parabola through three points at the first of them, so limited that the curve stays
// monotone there; s0, s1 are the slopes of its two segments h0, h1.
double end_slope(double h0, double h1, double s0, double s1) {
  const double slope = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
  if (slope * s0 <= 0) return 0;
  if (s0 * s1 <= 0 && std::abs(slope) > 3 * std::abs(s0)) return 3 * s0;
  return slope;
}

// Weighted harmonic means of the slopes on both sides; zero at an extremum of the data.
std::vector<double> monotone_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  const auto h = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto s = [&](std::size_t i) { return (y[i + 1] - y[i]) / h(i); };
  if (n == 2) return {s(0), s(0)};
  std::vector<double> slope(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double s0 = s(i - 1), s1 = s(i), w0 = 2 * h(i) + h(i - 1), w1 = h(i) + 2 * h(i - 1);
    if (s0 * s1 > 0) slope[i] = (w0 + w1) / (w0 / s0 + w1 / s1);
  }
  slope.front() = end_slope(h(0), h(1), s(0), s(1));
  slope.back() = end_slope(h(n - 2), h(n - 3), s(n - 2), s(n - 3));
  return slope;
}

}  // namespace

Function1::Function1(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {
  check(x_, y_);
  m_.resize(x_.size() - 1);
}

void Function1::bend(const std::vector<double>& m) {
  for (std::size_t i = 0; i < m_.size(); ++i) m_[i] = {m[i], m[i + 1]};
  is_spline_ = true;
}

void Function1::bend_by_slopes(const std::vector<double>& slope) {
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const double h = x_[i + 1] - x_[i], s = (y_[i + 1] - y_[i]) / h;
    m_[i] = {(6 * s - 4 * slope[i] - 2 * slope[i + 1]) / h, (2 * slope[i] + 4 * slope[i + 1] - 6 * s) / h};
  }
  is_spline_ = true;
}

Function1 Function1::table(std::vector<double> x, std::vector<double> y) {
  return {std::move(x), std::move(y)};
}

Function1 Function1::spline(std::vector<double> x, std::vector<double> y) {
  Function1 f(std::move(x), std::move(y));
  f.bend(natural_curvature(f.x_, f.y_));
  return f;
}

Function1 Function1::clamped(std::vector<double> x, std::vector<double> y, double first_slope,
                             double last_slope) {
  Function1 f(std::move(x), std::move(y));
  if (!std::isfinite(first_slope) || !std::isfinite(last_slope))
    throw std::invalid_argument(
        fmt::format("the end slopes are {} and {}: give finite numbers", first_slope, last_slope));
  f.bend(clamped_curvature(f.x_, f.y_, first_slope, last_slope));
  return f;
}

Function1 Function1::periodic(std::vector<double> x, std::vector<double> y) {
  Function1 f(std::move(x), std::move(y));
  if (f.x_.size() < 3)
    throw std::invalid_argument(fmt::format("{} data points: a period needs three or more", f.x_.size()));
  if (f.y_.back() != f.y_.front())
    throw std::invalid_argument(
        fmt::format("the period ends at y = {} but begins at y = {}: give the same y at both ends",
                    f.y_.back(), f.y_.front()));
  f.bend(periodic_curvature(f.x_, f.y_));
  f.is_periodic_ = true;
  return f;
}

Function1 Function1::monotone(std::vector<double> x, std::vector<double> y) {
  Function1 f(std::move(x), std::move(y));
  f.bend_by_slopes(monotone_slopes(f.x_, f.y_));
  return f;
}

void Function1::knots_around(double x, double& below, double& above) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (!is_periodic_) {
    const auto at = std::upper_bound(x_.begin(), x_.end(), x);
    below = at == x_.begin() ? -kNone : *(at - 1);
    above = at == x_.end() ? kNone : *at;
    return;
  }
  // Knot i of turn k; the last one is the first of the next turn.
  const auto knot = [&](std::size_t i, double k) { return x_[i] + k * period(); };
  const std::size_t n = x_.size() - 1;
  double turn = std::floor((x - x_.front()) / period());
  if (!std::isfinite(turn)) {
    below = -kNone;
    above = kNone;
    return;
  }
  while (knot(0, turn) > x) --turn;
  while (knot(0, turn + 1) <= x) ++turn;
  std::size_t i = 0;
  while (i + 1 < n && knot(i + 1, turn) <= x) ++i;
  below = knot(i, turn);
  above = i + 1 < n ? knot(i + 1, turn) : knot(0, turn + 1);
}

Function1::Jet Function1::at(double x) const {
  if (is_periodic_) x -= std::floor((x - x_.front()) / period()) * period();
  const double edge = std::clamp(x, x_.front(), x_.back());
  const Jet jet = inside(edge);
  if (edge == x) return jet;
  // NaN lands here too, and stays NaN.
  return {jet.f + jet.d * (x - edge), jet.d, 0.0};
}

Function1::Jet Function1::inside(double x) const {
  const auto right = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto i = static_cast<std::size_t>(right - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i];
  const double a = (x_[i + 1] - x) / h, b = (x - x_[i]) / h;
  const auto [m0, m1] = m_[i];
  return {a * y_[i] + b * y_[i + 1] + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6,
          (y_[i + 1] - y_[i]) / h + ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0) * h / 6, a * m0 + b * m1};
}

}  // namespace trammel::expressions
