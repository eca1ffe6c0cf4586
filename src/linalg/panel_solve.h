// Forward and backward substitution with one panel of a Cholesky factor (panel.h), unit lower L.
//
// The unknowns of the panel's columns stay in registers. Its rows below the diagonal block are reached in
// runs: rows of neighbouring unknowns.
#pragma once

#include "math/pair.h"
#include "math/unroll.h"

namespace trammel::linalg {

// Rows row … row + count − 1 of a panel belong to the unknowns unknown, unknown + 1, …
struct Run {
  int row, unknown, count;
};

// x := L⁻¹ x; `own` is where the unknowns of the columns begin in x.
template <int W>
[[gnu::always_inline]] inline void forward_panel(const double* panel, int rows, const Run* run,
                                                 const Run* end, double* own, double* x) {
  double z[W];
  math::unroll<W>([&](auto c) {
    z[c] = own[c];
    math::unroll<c>([&](auto j) { z[c] -= panel[j * rows + c] * z[j]; });
    own[c] = z[c];
  });
  for (; run != end; ++run) {
    const double* p = panel + run->row;
    double* y = x + run->unknown;
    int k = 0;
    for (; k + 2 <= run->count; k += 2) {
      math::Pair sum = math::load_pair(y + k);
      math::unroll<W>([&](auto c) { sum -= math::load_pair(p + c * rows + k) * math::twice(z[c]); });
      math::store_pair(y + k, sum);
    }
    if (k == run->count) continue;
    double sum = y[k];
    math::unroll<W>([&](auto c) { sum -= p[c * rows + k] * z[c]; });
    y[k] = sum;
  }
}

// x := L⁻ᵀ D⁻¹ x.
template <int W>
[[gnu::always_inline]] inline void backward_panel(const double* panel, int rows, const Run* run,
                                                  const Run* end, const double* inverse_d, double* own,
                                                  const double* x) {
  double z[W];
  math::Pair sums[W] = {};
  math::unroll<W>([&](auto c) { z[c] = own[c] * inverse_d[c]; });
  for (; run != end; ++run) {
    const double* p = panel + run->row;
    const double* y = x + run->unknown;
    int k = 0;
    for (; k + 2 <= run->count; k += 2) {
      const math::Pair pair = math::load_pair(y + k);
      math::unroll<W>([&](auto c) { sums[c] += math::load_pair(p + c * rows + k) * pair; });
    }
    if (k == run->count) continue;
    math::unroll<W>([&](auto c) { z[c] -= p[c * rows + k] * y[k]; });
  }
  math::unroll<W>([&](auto c) { z[c] -= math::sum_of(sums[c]); });
  math::unroll<W>([&](auto reverse) {
    constexpr int c = W - 1 - reverse;
    math::unroll<c>([&](auto j) { z[j] -= panel[j * rows + c] * z[c]; });
    own[c] = z[c];
  });
}

}  // namespace trammel::linalg
