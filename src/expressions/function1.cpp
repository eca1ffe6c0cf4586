#include "expressions/function1.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

// Second derivatives of the natural spline: Thomas' algorithm on
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

}  // namespace

Function1::Function1(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {
  check(x_, y_);
  m_.assign(x_.size(), 0.0);
}

Function1 Function1::table(std::vector<double> x, std::vector<double> y) {
  return {std::move(x), std::move(y)};
}

Function1 Function1::spline(std::vector<double> x, std::vector<double> y) {
  Function1 f(std::move(x), std::move(y));
  f.m_ = natural_curvature(f.x_, f.y_);
  f.is_spline_ = true;
  return f;
}

Function1::Jet Function1::at(double x) const {
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
  const double m0 = m_[i], m1 = m_[i + 1];
  return {a * y_[i] + b * y_[i + 1] + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6,
          (y_[i + 1] - y_[i]) / h + ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0) * h / 6, a * m0 + b * m1};
}

}  // namespace trammel::expressions
