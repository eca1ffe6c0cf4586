// Forward and backward substitution with one panel of a Cholesky factor (panel.h), unit lower L.
//
// A panel is taken in strips of at most four columns, whose unknowns stay in registers. Strip or panel,
// the rows are reached through a list of unknowns; its first ones are the columns themselves.
#pragma once

#include "linalg/unroll.h"

namespace trammel {

// x := L⁻¹ x with W columns; p is the corner of the strip, `stride` the height of its panel.
template <int W>
inline void forward_strip(const double* p, int stride, const int* row, int rows, double* x) {
  double z[W];
  unroll<W>([&](auto c) {
    z[c] = x[row[c]];
    unroll<c>([&](auto j) { z[c] -= p[j * stride + c] * z[j]; });
    x[row[c]] = z[c];
  });
  for (int k = W; k < rows; ++k) {
    double sum = x[row[k]];
    unroll<W>([&](auto c) { sum -= p[c * stride + k] * z[c]; });
    x[row[k]] = sum;
  }
}

// x := L⁻ᵀ D⁻¹ x with W columns. The unknowns found last come last in the sums, which then wait least.
template <int W>
inline void backward_strip(const double* p, int stride, const int* row, int rows, const double* inverse_d,
                           double* x) {
  double z[W];
  unroll<W>([&](auto c) { z[c] = x[row[c]] * inverse_d[c]; });
  for (int k = rows - 1; k >= W; --k) {
    const double y = x[row[k]];
    unroll<W>([&](auto c) { z[c] -= p[c * stride + k] * y; });
  }
  unroll<W>([&](auto reverse) {
    constexpr int c = W - 1 - reverse;
    unroll<c>([&](auto j) { z[j] -= p[j * stride + c] * z[c]; });
    x[row[c]] = z[c];
  });
}

// Calls strip(width, c) for strips c … c + width − 1 that cover the columns; width is a constant.
template <class F>
inline void strips_forward(int width, F&& strip) {
  int c = 0;
  for (; c + 4 <= width; c += 4) strip(std::integral_constant<int, 4>{}, c);
  switch (width - c) {
    case 1:
      return strip(std::integral_constant<int, 1>{}, c);
    case 2:
      return strip(std::integral_constant<int, 2>{}, c);
    case 3:
      return strip(std::integral_constant<int, 3>{}, c);
    default:
      return;
  }
}

// The same strips, last first.
template <class F>
inline void strips_backward(int width, F&& strip) {
  int c = width & ~3;
  switch (width - c) {
    case 1:
      strip(std::integral_constant<int, 1>{}, c);
      break;
    case 2:
      strip(std::integral_constant<int, 2>{}, c);
      break;
    case 3:
      strip(std::integral_constant<int, 3>{}, c);
      break;
    default:
      break;
  }
  while ((c -= 4) >= 0) strip(std::integral_constant<int, 4>{}, c);
}

inline void forward_panel(const double* panel, int rows, int width, const int* row, double* x) {
  strips_forward(width,
                 [&](auto w, int c) { forward_strip<w>(panel + c * rows + c, rows, row + c, rows - c, x); });
}

inline void backward_panel(const double* panel, int rows, int width, const int* row, const double* inverse_d,
                           double* x) {
  strips_backward(width, [&](auto w, int c) {
    backward_strip<w>(panel + c * rows + c, rows, row + c, rows - c, inverse_d + c, x);
  });
}

}  // namespace trammel
