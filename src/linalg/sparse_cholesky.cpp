// Sparse Cholesky of a fixed pattern: A = L D Lᵀ by supernodes, right-looking (supernodes.h, panel.h).
//
// All index work is done at construction. factor() scatters the values into the panels, then factors one
// panel after the other and takes its shares off the later ones.
#include <algorithm>

#include "linalg/linear_solver.h"
#include "linalg/ordering.h"
#include "linalg/panel.h"
#include "linalg/panel_solve.h"
#include "linalg/pivot.h"
#include "linalg/supernodes.h"

namespace trammel {
namespace {

class SparseCholesky final : public LinearSolver {
 public:
  explicit SparseCholesky(const Pattern& pattern)
      : order_(elimination_order(pattern)),
        supernodes_(permuted(pattern, order_)),
        values_(static_cast<std::size_t>(supernodes_.values)),
        threshold_(order_.size()),
        inverse_d_(order_.size()),
        x_(order_.size()),
        l_(static_cast<std::size_t>(supernodes_.widest)),
        share_(static_cast<std::size_t>(supernodes_.tallest)) {
    map_entries(pattern);
  }

  FactorStatus factor(const MatrixValues& values) override {
    if (!values.symmetric) return FactorStatus::not_positive_definite;
    load(values);
    for (const Supernode& node : supernodes_.nodes) {
      if (!factor_panel(panel(node), node.rows, node.width, &threshold_[at(node.first)],
                        &inverse_d_[at(node.first)], l_.data())) {
        return all_finite(values.lower) ? FactorStatus::not_positive_definite : FactorStatus::not_finite;
      }
      update_later_panels(node);
    }
    return FactorStatus::ok;
  }

  void solve(std::span<double> x) override {
    for (std::size_t k = 0; k < order_.size(); ++k) x_[k] = x[at(order_[k])];
    const int* row = supernodes_.row.data();
    for (const Supernode& node : supernodes_.nodes) {
      forward_panel(panel(node), node.rows, node.width, row + node.list, x_.data());
    }
    for (auto node = supernodes_.nodes.rbegin(); node != supernodes_.nodes.rend(); ++node) {
      backward_panel(panel(*node), node->rows, node->width, row + node->list, &inverse_d_[at(node->first)],
                     x_.data());
    }
    for (std::size_t k = 0; k < order_.size(); ++k) x[at(order_[k])] = x_[k];
  }

  std::string_view name() const override { return "sparse-cholesky"; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  double* panel(const Supernode& node) { return values_.data() + node.panel; }

  // Where each entry of the matrix as given goes.
  void map_entries(const Pattern& pattern) {
    const Pattern ordered = permuted(pattern, order_);
    std::vector<int> position(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) position[at(order_[k])] = static_cast<int>(k);
    for (std::size_t j = 0; j < order_.size(); ++j) {
      diagonal_.push_back(pattern.start[at(order_[j])]);
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
        const int i = position[at(pattern.row[at(k)])];
        entry_.push_back(supernodes_.entry[at(ordered.find(i, position[j]))]);
      }
    }
  }

  void load(const MatrixValues& values) {
    std::fill(values_.begin(), values_.end(), 0.0);
    for (std::size_t k = 0; k < entry_.size(); ++k) values_[at(entry_[k])] = values.lower[k];
    const double tolerance = pivot_tolerance(supernodes_.longest_row);
    for (std::size_t j = 0; j < diagonal_.size(); ++j) {
      threshold_[j] = tolerance * values.lower[at(diagonal_[j])];
    }
  }

  void update_later_panels(const Supernode& node) {
    const Target* target = supernodes_.target.data() + node.list;
    const double* inverse_d = &inverse_d_[at(node.first)];
    for (int i = node.width; i < node.rows; ++i) {
      double* start = values_.data() + target[i].start;
      if (target[i].relative < 0) {
        subtract_row_share(start, panel(node), node.rows, node.width, i, inverse_d, l_.data());
        continue;
      }
      std::fill_n(share_.begin(), node.rows - i, 0.0);
      subtract_row_share(share_.data(), panel(node), node.rows, node.width, i, inverse_d, l_.data());
      const int* row = supernodes_.relative_row.data() + target[i].relative;
      for (int k = 0; k < node.rows - i; ++k) start[row[k]] += share_[at(k)];
    }
  }

  std::vector<int> order_;  // order_[place in the elimination] = unknown
  Supernodes supernodes_;
  std::vector<int> entry_;      // place in values_ of each entry of the matrix
  std::vector<int> diagonal_;   // entry of the matrix that is the diagonal of each place
  std::vector<double> values_;  // the panels
  std::vector<double> threshold_, inverse_d_, x_;
  std::vector<double> l_, share_;  // scratch: one row, one column of a panel
};

}  // namespace

std::unique_ptr<LinearSolver> make_sparse_cholesky(const Pattern& pattern) {
  return std::make_unique<SparseCholesky>(pattern);
}

}  // namespace trammel
