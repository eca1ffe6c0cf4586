// Dense Cholesky A = L D Lᵀ for small systems: loops written out by the compiler for each size. Above it the
// matrix is cut into panels, as a sparse one that happens to be full.
//
// The written-out sizes matter most: a double four-bar has 6 unknowns.
#include <array>

#include "linalg/linear_solver.h"
#include "linalg/panel.h"
#include "linalg/panel_cholesky.h"
#include "linalg/pivot.h"

namespace trammel {
namespace {

constexpr int kUnrolled = 8;  // above it the written-out loops no longer fit the registers, and gain nothing

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
    std::array<double, N> threshold;
    unroll<N>([&](auto j) { threshold[j] = pivot_tolerance(N) * storage_[j * N + j]; });
    return factor_diagonal<N>(storage_.data(), N, threshold.data(), inverse_d_.data());
  }

  void solve(std::span<double> x) override {
    const double* a = storage_.data();
    std::array<double, N> z;
    unroll<N>([&](auto i) {
      z[i] = x[i];
      unroll<i>([&](auto j) { z[i] -= a[j * N + i] * z[j]; });
    });
    unroll<N>([&](auto reverse) {
      constexpr int i = N - 1 - reverse;
      z[i] *= inverse_d_[i];
      unroll<N - 1 - i>([&](auto back) {
        constexpr int k = N - 1 - back;
        z[i] -= a[i * N + k] * z[k];
      });
      x[i] = z[i];
    });
  }

  std::string_view name() const override { return "dense-cholesky"; }

 private:
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

}  // namespace trammel
