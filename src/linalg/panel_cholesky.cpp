#include "linalg/panel_cholesky.h"

#include <algorithm>
#include <numeric>

#include "linalg/ordering.h"
#include "linalg/panel.h"
#include "linalg/panel_solve.h"
#include "linalg/pivot.h"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::vector<int> natural_order(int n) {
  std::vector<int> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

PanelCholesky::PanelCholesky(const Pattern& pattern)
    : PanelCholesky(pattern, elimination_order(pattern), pattern, "sparse-cholesky") {}

PanelCholesky::PanelCholesky(const Pattern& pattern, const Pattern& filled, std::string_view name)
    : PanelCholesky(pattern, natural_order(pattern.n), filled, name) {}

PanelCholesky::PanelCholesky(const Pattern& pattern, std::vector<int> order, const Pattern& filled,
                             std::string_view name)
    : order_(std::move(order)),
      supernodes_(permuted(filled, order_)),
      name_(name),
      natural_(std::is_sorted(order_.begin(), order_.end())),
      threshold_(order_.size()),
      inverse_d_(order_.size()),
      x_(order_.size()),
      share_(at(supernodes_.tallest)) {
  storage_.assign(at(supernodes_.values), 0.0);
  std::vector<int> position(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) position[at(order_[k])] = static_cast<int>(k);
  for (std::size_t j = 0; j < order_.size(); ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      place_.push_back(supernodes_.place(position[at(pattern.row[at(k)])], position[j]));
  for (int j = 0; j < pattern.n; ++j) diagonal_.push_back(supernodes_.place(j, j));
}

template <int W>
FactorStatus PanelCholesky::factor_node(const Supernode& node) {
  double* panel = storage_.data() + node.panel;
  double* inverse_d = &inverse_d_[at(node.first)];
  const FactorStatus status = factor_diagonal<W>(panel, node.rows, &threshold_[at(node.first)], inverse_d);
  if (status != FactorStatus::ok) return status;
  factor_below<W>(panel, node.rows);
  const Target* target = supernodes_.target.data() + node.list;
  for (int i = W; i < node.rows; ++i) {
    double* start = storage_.data() + target[i].start;
    if (target[i].relative < 0) {
      subtract_share<W>(start, panel, node.rows, i, inverse_d);
      continue;
    }
    std::fill_n(share_.begin(), node.rows - i, 0.0);
    subtract_share<W>(share_.data(), panel, node.rows, i, inverse_d);
    const int* row = supernodes_.relative_row.data() + target[i].relative;
    for (int k = 0; k < node.rows - i; ++k) start[row[k]] += share_[at(k)];
  }
  return status;
}

FactorStatus PanelCholesky::factor_storage() {
  const double tolerance = pivot_tolerance(supernodes_.longest_row);
  for (std::size_t j = 0; j < diagonal_.size(); ++j) threshold_[j] = tolerance * storage_[at(diagonal_[j])];
  for (const Supernode& node : supernodes_.nodes) {
    const FactorStatus status = with_width(node.width, [&](auto w) { return factor_node<w>(node); });
    if (status != FactorStatus::ok) return status;
  }
  return FactorStatus::ok;
}

void PanelCholesky::substitute(double* x) {
  const double* values = storage_.data();
  const auto runs = [&](const Supernode& node) {
    return std::span(supernodes_.run).subspan(at(node.runs), at(node.run_count));
  };
  for (const Supernode& node : supernodes_.nodes)
    with_width(node.width, [&](auto w) {
      forward_panel<w>(values + node.panel, node.rows, runs(node), x + node.first, x);
    });
  for (auto node = supernodes_.nodes.rbegin(); node != supernodes_.nodes.rend(); ++node)
    with_width(node->width, [&](auto w) {
      backward_panel<w>(values + node->panel, node->rows, runs(*node), &inverse_d_[at(node->first)],
                        x + node->first, x);
    });
}

void PanelCholesky::solve(std::span<double> x) {
  if (natural_) return substitute(x.data());
  for (std::size_t k = 0; k < order_.size(); ++k) x_[k] = x[at(order_[k])];
  substitute(x_.data());
  for (std::size_t k = 0; k < order_.size(); ++k) x[at(order_[k])] = x_[k];
}

std::unique_ptr<CholeskySolver> make_sparse_cholesky(const Pattern& pattern) {
  return std::make_unique<PanelCholesky>(pattern);
}

}  // namespace trammel
