// A panel: W neighbouring columns of a Cholesky factor that share one list of rows, stored column by column
// as a dense rows × W block. Its first W rows are the diagonal block; the rows below follow.
//
//   A = L D Lᵀ,  L unit lower:   w_j = a_j − Σ_{c<j} l_jc w_c,   d_j = w_jj,   l_j = w_j / d_j
//
// Root-free. The rows below are left as w and divided by d row by row, when a row is needed as the
// coefficients l_ic of its share in a later column: so the division costs no pass of its own.
//
// W is a constant and all loops over it are written out: what a small block costs is mostly loop.
#pragma once

#include <cmath>
#include <limits>

#include "linalg/linear_solver.h"
#include "math/pair.h"
#include "math/unroll.h"

namespace trammel::linalg {

// The width of a panel at most: whole elements of the plane and of space.
inline constexpr int kWidest = 6;

// Calls f with the width as a constant.
template <class F>
[[gnu::always_inline]] inline auto with_width(int width, F&& f) {
  static_assert(kWidest == 6);
  switch (width) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 3:
      return f(std::integral_constant<int, 3>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 5:
      return f(std::integral_constant<int, 5>{});
    default:
      return f(std::integral_constant<int, 6>{});
  }
}

// What a pivot that is not above its threshold says.
inline FactorStatus refused(double pivot) {
  return std::isfinite(pivot) ? FactorStatus::not_positive_definite : FactorStatus::not_finite;
}

// Factors the diagonal block; the rows below it are not touched.
template <int W>
[[gnu::always_inline]] inline FactorStatus factor_diagonal(double* panel, int rows, const double* threshold,
                                                           double* inverse_d) {
  double a[W][W];
  math::unroll<W>([&](auto j) { math::unroll<j + 1>([&](auto c) { a[j][c] = panel[c * rows + j]; }); });
  FactorStatus status = FactorStatus::ok;
  math::unroll<W>([&](auto j) {
    const double d = a[j][j];
    if (!(d > threshold[j] && d <= std::numeric_limits<double>::max()) && status == FactorStatus::ok)
      status = refused(d);
    inverse_d[j] = 1.0 / d;
    double l[W];
    math::unroll<W - 1 - j>([&](auto below) {
      constexpr int i = j + 1 + below;
      panel[j * rows + i] = l[i] = a[i][j] * inverse_d[j];
      math::unroll<below + 1>([&](auto k) { a[i][j + 1 + k] -= l[i] * a[j + 1 + k][j]; });
    });
  });
  return status;
}

// Turns the rows below the diagonal block into w.
template <int W>
[[gnu::always_inline]] inline void factor_below(double* panel, int rows) {
  int k = W;
  for (; k + 2 <= rows; k += 2) {
    math::Pair w[W];
    math::unroll<W>([&](auto j) {
      w[j] = math::load_pair(panel + j * rows + k);
      math::unroll<j>([&](auto c) { w[j] -= math::twice(panel[c * rows + j]) * w[c]; });
      if constexpr (j > 0) math::store_pair(panel + j * rows + k, w[j]);
    });
  }
  if (k == rows) return;
  double w[W];
  math::unroll<W>([&](auto j) {
    w[j] = panel[j * rows + k];
    math::unroll<j>([&](auto c) { w[j] -= panel[c * rows + j] * w[c]; });
    panel[j * rows + k] = w[j];
  });
}

// y −= Σ_c l_c w_c over `count` rows of a panel, from row `w` on.
template <int W>
[[gnu::always_inline]] inline void subtract_columns(double* y, const double* w, int rows, int count,
                                                    const double (&l)[W]) {
  int k = 0;
  for (; k + 2 <= count; k += 2) {
    math::Pair sum = math::load_pair(y + k);
    math::unroll<W>([&](auto c) { sum -= math::twice(l[c]) * math::load_pair(w + c * rows + k); });
    math::store_pair(y + k, sum);
  }
  if (k == count) return;
  double sum = y[k];
  math::unroll<W>([&](auto c) { sum -= l[c] * w[c * rows + k]; });
  y[k] = sum;
}

// The share of row i in the column of that unknown: y −= Σ_c l_ic w_c over rows i, i + 1, …; afterwards row i
// holds l_ic in place of w_ic.
template <int W>
[[gnu::always_inline]] inline void subtract_share(double* y, double* panel, int rows, int i,
                                                  const double* inverse_d) {
  double l[W];
  math::unroll<W>([&](auto c) { l[c] = panel[c * rows + i] * inverse_d[c]; });
  subtract_columns<W>(y, panel + i, rows, rows - i, l);
  math::unroll<W>([&](auto c) { panel[c * rows + i] = l[c]; });
}

}  // namespace trammel::linalg
