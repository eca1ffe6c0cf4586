#include "linalg/klu_solver.h"

#include <klu.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "linalg/pivot.h"
#include "math/index.h"
#include "math/spans.h"

namespace trammel::linalg {
namespace {

// A diagonal entry is preferred while it is at least this part of its column's largest. KLU's own 0.001
// suits circuits; 0.1 costs little fill here and at most one digit a column.
constexpr double kDiagonalPreference = 0.1;

// Reciprocal growth may fall by this much before new pivots are chosen: two digits.
constexpr double kGrowthAllowed = 1e-2;

using math::at;

}  // namespace

struct KluSolver::Klu {
  std::vector<int> start, row;            // both triangles, column-compressed
  std::vector<double> value;              // on start, row
  std::vector<int> lower, upper;          // place in `value` of each entry of the pattern and its mirror
  std::vector<double> largest_in_column;  // scratch
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* diagonal = nullptr;  // with the pivots of construction
  klu_numeric* chosen = nullptr;    // with those that values needed
  klu_numeric* numeric = nullptr;   // the one in use

  explicit Klu(const Pattern& pattern) : lower(pattern.row.size()), upper(pattern.row.size()) {
    lay_out(pattern);
    klu_defaults(&common);
    common.tol = kDiagonalPreference;
    common.halt_if_singular = 0;  // keeps the numeric object, and with it the memory
    symbolic = klu_analyze(pattern.n, start.data(), row.data(), &common);
    assert(symbolic);
  }

  ~Klu() {
    klu_free_numeric(&chosen, &common);
    klu_free_numeric(&diagonal, &common);
    klu_free_symbolic(&symbolic, &common);
  }

  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  void lay_out(const Pattern& pattern) {
    const auto n = at(pattern.n);
    start.assign(n + 1, 0);
    for (int j = 0; j < pattern.n; ++j) {
      for (int k = pattern.start[at(j)]; k < pattern.start[at(j) + 1]; ++k) {
        const int i = pattern.row[at(k)];
        ++start[at(j) + 1];
        if (i != j) ++start[at(i) + 1];
      }
    }
    for (std::size_t j = 0; j < n; ++j) start[j + 1] += start[j];
    row.resize(at(start[n]));
    value.resize(row.size());
    largest_in_column.resize(n);

    // Column j first receives its upper part, from the columns before it, then its lower: rows ascend.
    std::vector<int> next(start.begin(), start.end() - 1);
    for (int j = 0; j < pattern.n; ++j) {
      for (int k = pattern.start[at(j)]; k < pattern.start[at(j) + 1]; ++k) {
        const int i = pattern.row[at(k)];
        lower[at(k)] = next[at(j)];
        row[at(next[at(j)]++)] = i;
        upper[at(k)] = i == j ? lower[at(k)] : next[at(i)];
        if (i != j) row[at(next[at(i)]++)] = j;
      }
    }
  }

  void load(const MatrixValues& values) {
    const auto& from = values.symmetric ? values.lower : values.upper;
    for (std::size_t k = 0; k < upper.size(); ++k) value[at(upper[k])] = from[k];
    for (std::size_t k = 0; k < lower.size(); ++k) value[at(lower[k])] = values.lower[k];
  }

  void factor(klu_numeric*& into) {
    klu_free_numeric(&into, &common);
    into = klu_factor(start.data(), row.data(), value.data(), symbolic, &common);
    numeric = into;
  }

  bool refactor() {
    return klu_refactor(start.data(), row.data(), value.data(), symbolic, numeric, &common) != 0 &&
           common.status == KLU_OK;
  }

  // 1 without growth, towards 0 with it.
  double reciprocal_growth() {
    klu_rgrowth(start.data(), row.data(), value.data(), symbolic, numeric, &common);
    return common.rgrowth;
  }

  // Each pivot against the largest entry of its column; KLU has divided row i by Rs[Pinv[i]].
  bool pivots_are_sound() {
    const int n = symbolic->n;
    for (int j = 0; j < n; ++j) {
      double largest = 0;
      for (int k = start[at(j)]; k < start[at(j) + 1]; ++k) {
        largest = std::max(largest, std::abs(value[at(k)]) / numeric->Rs[numeric->Pinv[row[at(k)]]]);
      }
      largest_in_column[at(j)] = largest;
    }
    const auto* pivot = static_cast<const double*>(numeric->Udiag);
    const double tolerance = pivot_tolerance(n);
    for (int k = 0; k < n; ++k) {
      if (!(std::abs(pivot[k]) > tolerance * largest_in_column[at(symbolic->Q[k])])) return false;
    }
    return true;
  }
};

KluSolver::KluSolver(const Pattern& pattern) : n_(pattern.n) {
  if (pattern.n == 0) return;
  klu_ = std::make_unique<Klu>(pattern);
  MatrixValues dominant = MatrixValues::zeros(pattern);
  std::fill(dominant.lower.begin(), dominant.lower.end(), 1.0);
  for (int j = 0; j < pattern.n; ++j) dominant.lower[at(pattern.start[at(j)])] = 2.0 * pattern.n;
  klu_->load(dominant);
  klu_->factor(klu_->diagonal);
  diagonal_growth_ = fresh_growth_ = klu_->reciprocal_growth();
}

KluSolver::~KluSolver() = default;

FactorStatus KluSolver::factor(const MatrixValues& values) {
  if (!klu_) return FactorStatus::ok;
  klu_->load(values);
  if (!math::all_finite(klu_->value)) return FactorStatus::not_finite;
  return old_pivots_serve() ? FactorStatus::ok : choose_pivots();
}

void KluSolver::forget() {
  if (!klu_) return;
  klu_->numeric = klu_->diagonal;
  fresh_growth_ = diagonal_growth_;
}

bool KluSolver::old_pivots_serve() {
  return fresh_growth_ > 0 && klu_->refactor() &&
         klu_->reciprocal_growth() >= kGrowthAllowed * fresh_growth_ && klu_->pivots_are_sound();
}

FactorStatus KluSolver::choose_pivots() {
  ++refactorizations_;
  fresh_growth_ = 0;
  klu_->factor(klu_->chosen);
  if (!klu_->numeric || klu_->common.status != KLU_OK) return FactorStatus::singular;
  const double growth = klu_->reciprocal_growth();
  if (!std::isfinite(growth)) return FactorStatus::not_finite;
  if (!klu_->pivots_are_sound()) return FactorStatus::singular;
  fresh_growth_ = growth;
  return FactorStatus::ok;
}

void KluSolver::solve(std::span<double> x) {
  if (!klu_) return;
  klu_solve(klu_->symbolic, klu_->numeric, n_, 1, x.data(), &klu_->common);
}

std::unique_ptr<LinearSolver> make_klu(const Pattern& pattern) {
  return std::make_unique<KluSolver>(pattern);
}

}  // namespace trammel::linalg
