// Dense LU with partial pivoting, P A = L U, right-looking by columns (Golub & Van Loan, alg. 3.4.1).
// Written out by hand: a plain loop over contiguous columns, no scratch memory.
#include <algorithm>
#include <cmath>

#include "linalg/linear_solver.h"
#include "linalg/pivot.h"
#include "math/index.h"
#include "math/spans.h"

namespace trammel::linalg {
namespace {

using math::at;

class DenseLu final : public LinearSolver {
 public:
  explicit DenseLu(const Pattern& pattern)
      : n_(pattern.n), pattern_(pattern), a_(at(n_) * at(n_)), threshold_(at(n_)), pivot_row_(at(n_)) {}

  FactorStatus factor(const MatrixValues& values) override {
    load(values);
    if (!math::all_finite(a_)) return FactorStatus::not_finite;
    for (int k = 0; k < n_; ++k) {
      const int p = largest_in_column(k);
      pivot_row_[at(k)] = p;
      const double pivot = column(k)[p];
      if (!std::isfinite(pivot)) return FactorStatus::not_finite;
      if (std::abs(pivot) <= threshold_[at(k)]) return FactorStatus::singular;
      if (p != k) swap_rows(k, p);
      eliminate(k);
    }
    return FactorStatus::ok;
  }

  void solve(std::span<double> x) override {
    for (int k = 0; k < n_; ++k) std::swap(x[at(k)], x[at(pivot_row_[at(k)])]);
    for (int k = 0; k < n_; ++k) subtract(x.data(), x[at(k)], column(k), k + 1, n_);
    for (int k = n_ - 1; k >= 0; --k) {
      x[at(k)] /= column(k)[k];
      subtract(x.data(), x[at(k)], column(k), 0, k);
    }
  }

  std::string_view name() const override { return "dense-lu"; }

 private:
  double* column(int j) { return a_.data() + at(j) * at(n_); }

  // y −= factor · x over rows begin … end − 1.
  static void subtract(double* y, double factor, const double* x, int begin, int end) {
    for (int i = begin; i < end; ++i) y[i] -= factor * x[i];
  }

  void load(const MatrixValues& values) {
    const auto& upper = values.symmetric ? values.lower : values.upper;
    std::fill(a_.begin(), a_.end(), 0.0);
    for (int j = 0; j < n_; ++j) {
      for (int k = pattern_.start[at(j)]; k < pattern_.start[at(j) + 1]; ++k) {
        const int i = pattern_.row[at(k)];
        column(i)[j] = upper[at(k)];
        column(j)[i] = values.lower[at(k)];
      }
    }
    for (int j = 0; j < n_; ++j) {
      double largest = 0;
      for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(column(j)[i]));
      threshold_[at(j)] = pivot_tolerance(n_) * largest;
    }
  }

  // A NaN that arises on the way is returned as the pivot, so that it is noticed.
  int largest_in_column(int k) {
    int p = k;
    for (int i = k + 1; i < n_; ++i) {
      if (!(std::abs(column(k)[i]) <= std::abs(column(k)[p]))) p = i;
    }
    return p;
  }

  void swap_rows(int i, int j) {
    for (int c = 0; c < n_; ++c) std::swap(column(c)[i], column(c)[j]);
  }

  // l_ik = a_ik / a_kk;  a_ij −= l_ik a_kj
  void eliminate(int k) {
    double* l = column(k);
    const double inverse = 1.0 / l[k];
    for (int i = k + 1; i < n_; ++i) l[i] *= inverse;
    for (int j = k + 1; j < n_; ++j) subtract(column(j), column(j)[k], l, k + 1, n_);
  }

  int n_;
  Pattern pattern_;
  std::vector<double> a_;  // A, then L (unit) and U, column by column
  std::vector<double> threshold_;
  std::vector<int> pivot_row_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_dense_lu(const Pattern& pattern) {
  return std::make_unique<DenseLu>(pattern);
}

}  // namespace trammel::linalg
