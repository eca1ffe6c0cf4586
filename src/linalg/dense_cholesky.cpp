// Dense Cholesky A = L D Lᵀ for small systems: loops written out by the compiler for each size. Above it the
// matrix is cut into panels, as a sparse one that happens to be full.
//
// The written-out sizes matter most: a double four-bar has 6 unknowns.
#include <array>

#include "linalg/linear_solver.h"
#include "linalg/panel.h"
#include "linalg/panel_cholesky.h"
#include "linalg/pivot.h"
#include "math/index.h"

namespace trammel::linalg {
namespace {

constexpr int kUnrolled = 8;  // above it the written-out loops no longer fit the registers, and gain nothing

using math::at;

Pattern full_pattern(int n) {
  std::vector<int> all(at(n));
  for (int i = 0; i < n; ++i) all[at(i)] = i;
  return Pattern::from_cliques(n, std::array{all});
}

template <int N>
class FixedCholesky final : public CholeskySolver {
 public:
  explicit FixedCholesky(const Pattern& pattern) {
    for (int j = 0; j < N; ++j)
      for (int k = pattern.start[at(j)]; k < pattern.start[at(j) + 1]; ++k)
        place_.push_back(j * N + pattern.row[at(k)]);
    storage_.assign(N * N, 0.0);
  }

  FactorStatus factor_storage() override {
    if constexpr (N % 2 == 0) return factor_pairs();
    std::array<double, N> threshold;
    math::unroll<N>([&](auto j) { threshold[j] = pivot_tolerance(N) * storage_[j * N + j]; });
    return factor_diagonal<N>(storage_.data(), N, threshold.data(), inverse_d_.data());
  }

  void solve(std::span<double> x) override {
    if constexpr (N % 2 == 0) return solve_pairs(x.data());
    const double* a = storage_.data();
    std::array<double, N> z;
    math::unroll<N>([&](auto i) {
      z[i] = x[i];
      math::unroll<i>([&](auto j) { z[i] -= a[j * N + i] * z[j]; });
    });
    math::unroll<N>([&](auto reverse) {
      constexpr int i = N - 1 - reverse;
      z[i] *= inverse_d_[i];
      math::unroll<N - 1 - i>([&](auto back) {
        constexpr int k = N - 1 - back;
        z[i] -= a[i * N + k] * z[k];
      });
      x[i] = z[i];
    });
  }

  std::string_view name() const override { return "dense-cholesky"; }

 private:
  // The same two rows at a time; what lies above the diagonal is carried along and never read.
  FactorStatus factor_pairs() {
    constexpr int kPairs = N / 2;
    math::Pair a[N][kPairs];  // columns, from the diagonal on
    std::array<double, N> threshold, d;
    math::unroll<N>([&](auto j) {
      math::unroll<kPairs - j / 2>(
          [&](auto k) { a[j][j / 2 + k] = math::load_pair(&storage_[j * N + 2 * (j / 2 + k)]); });
      threshold[j] = pivot_tolerance(N) * a[j][j / 2][j % 2];
    });
    math::unroll<N>([&](auto j) {
      d[j] = a[j][j / 2][j % 2];
      inverse_d_[j] = 1.0 / d[j];
      const math::Pair inverse = math::twice(inverse_d_[j]);
      math::Pair l[kPairs] = {};
      math::unroll<kPairs - j / 2>([&](auto k) {
        constexpr int p = j / 2 + k;
        l[p] = a[j][p] * inverse;
        if constexpr (2 * p + 1 > j) math::store_pair(&storage_[j * N + 2 * p], l[p]);
      });
      math::unroll<N - 1 - j>([&](auto next) {
        constexpr int i = j + 1 + next;
        const math::Pair share = math::twice(l[i / 2][i % 2]);
        math::unroll<kPairs - i / 2>([&](auto k) { a[i][i / 2 + k] -= share * a[j][i / 2 + k]; });
      });
    });
    return judged(d, threshold);
  }

  // Two unknowns at a time: the second follows from the first, and both go on to the others.
  void solve_pairs(double* x) const {
    constexpr int kPairs = N / 2;
    const double* l = storage_.data();
    math::Pair z[kPairs];
    math::unroll<kPairs>([&](auto p) { z[p] = math::load_pair(x + 2 * p); });
    math::unroll<kPairs>([&](auto p) {
      constexpr int j = 2 * p;
      const double one = z[p][0], other = z[p][1] - l[j * N + j + 1] * one;
      z[p] = math::Pair{one, other};
      math::unroll<kPairs - 1 - p>([&](auto next) {
        constexpr int k = p + 1 + next;
        z[k] -= math::twice(one) * math::load_pair(l + j * N + 2 * k);
        z[k] -= math::twice(other) * math::load_pair(l + (j + 1) * N + 2 * k);
      });
    });
    math::unroll<kPairs>([&](auto reverse) {
      constexpr int p = kPairs - 1 - reverse, j = 2 * p;
      math::Pair one{}, other{};
      math::unroll<reverse>([&](auto next) {
        constexpr int k = p + 1 + next;
        one += math::load_pair(l + j * N + 2 * k) * z[k];
        other += math::load_pair(l + (j + 1) * N + 2 * k) * z[k];
      });
      const math::Pair w = z[p] * math::load_pair(&inverse_d_[j]) -
                           (math::Pair{one[0], other[0]} + math::Pair{one[1], other[1]});
      z[p] = math::Pair{w[0] - l[j * N + j + 1] * w[1], w[1]};
      math::store_pair(x + j, z[p]);
    });
  }

  // What the first pivot that is not above its threshold says.
  static FactorStatus judged(const std::array<double, N>& d, const std::array<double, N>& threshold) {
    const math::Pair most = math::twice(std::numeric_limits<double>::max());
    auto good = most <= most;
    math::unroll<N / 2>([&](auto k) {
      const math::Pair pivots = math::load_pair(&d[2 * k]);
      good &= (pivots > math::load_pair(&threshold[2 * k])) & (pivots <= most);
    });
    if (good[0] && good[1]) return FactorStatus::ok;
    std::size_t j = 0;
    while (d[j] > threshold[j] && d[j] <= most[0]) ++j;
    return refused(d[j]);
  }

  std::array<double, N> inverse_d_{};
};

template <int N>
std::unique_ptr<CholeskySolver> make(const Pattern& pattern) {
  if (pattern.n == N) return std::make_unique<FixedCholesky<N>>(pattern);
  if constexpr (N < kUnrolled) return make<N + 1>(pattern);
  return std::make_unique<PanelCholesky>(pattern, full_pattern(pattern.n), "dense-cholesky");
}

}  // namespace

std::unique_ptr<CholeskySolver> make_dense_cholesky(const Pattern& pattern) { return make<1>(pattern); }

}  // namespace trammel::linalg
