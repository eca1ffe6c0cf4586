#include "linalg/panel_cholesky.h"

#include <algorithm>
#include <numeric>

#include "linalg/ordering.h"
#include "linalg/panel.h"
#include "linalg/panel_solve.h"
#include "linalg/pivot.h"
#include "math/index.h"

namespace trammel::linalg {
namespace {

using math::at;

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

// Everything about a link of a chain but its places is known beforehand: its loops are written out too.
template <int W, bool Chain>
FactorStatus PanelCholesky::factor_node(const Supernode& node) {
  const int rows = Chain ? 2 * W : node.rows;
  double* panel = storage_.data() + node.panel;
  double* inverse_d = &inverse_d_[at(node.first)];
  const FactorStatus status = factor_diagonal<W>(panel, rows, &threshold_[at(node.first)], inverse_d);
  if (status != FactorStatus::ok) return status;
  factor_below<W>(panel, rows);
  const Target* target = supernodes_.target.data() + node.list;
  if constexpr (Chain) {
    math::unroll<W>([&](auto i) {
      subtract_share<W>(storage_.data() + target[W + i].start, panel, rows, W + i, inverse_d);
    });
    return status;
  }
  for (int i = W; i < rows; ++i) {
    double* start = storage_.data() + target[i].start;
    if (target[i].relative < 0) {
      subtract_share<W>(start, panel, rows, i, inverse_d);
      continue;
    }
    std::fill_n(share_.begin(), rows - i, 0.0);
    subtract_share<W>(share_.data(), panel, rows, i, inverse_d);
    const int* row = supernodes_.relative_row.data() + target[i].relative;
    for (int k = 0; k < rows - i; ++k) start[row[k]] += share_[at(k)];
  }
  return status;
}

template <int W, bool Chain>
FactorStatus PanelCholesky::factor_stretch(const Stretch& stretch) {
  for (int k = stretch.begin; k < stretch.end; ++k) {
    const FactorStatus status = factor_node<W, Chain>(supernodes_.nodes[at(k)]);
    if (status != FactorStatus::ok) return status;
  }
  return FactorStatus::ok;
}

FactorStatus PanelCholesky::factor_storage() {
  const double tolerance = pivot_tolerance(supernodes_.longest_row);
  for (std::size_t j = 0; j < diagonal_.size(); ++j) threshold_[j] = tolerance * storage_[at(diagonal_[j])];
  for (const Stretch& stretch : supernodes_.stretches) {
    const FactorStatus status = with_width(stretch.width, [&](auto w) {
      return stretch.chain ? factor_stretch<w, true>(stretch) : factor_stretch<w, false>(stretch);
    });
    if (status != FactorStatus::ok) return status;
  }
  return FactorStatus::ok;
}

// Forward along all panels, then back.
void PanelCholesky::substitute(double* x) const {
  const double *values = storage_.data(), *inverse_d = inverse_d_.data();
  const Supernode* nodes = supernodes_.nodes.data();
  const Run* runs = supernodes_.run.data();
  for (const Stretch& stretch : supernodes_.stretches)
    with_width(stretch.width, [&](auto w) {
      for (const Supernode *node = nodes + stretch.begin, *end = nodes + stretch.end; node != end; ++node) {
        const double* panel = values + node->panel;
        if (stretch.chain) {
          const Run run{w, runs[node->runs].unknown, w};
          forward_panel<w>(panel, 2 * w, &run, &run + 1, x + node->first, x);
        } else {
          forward_panel<w>(panel, node->rows, runs + node->runs, runs + node->runs_end, x + node->first, x);
        }
      }
    });
  for (auto stretch = supernodes_.stretches.rbegin(); stretch != supernodes_.stretches.rend(); ++stretch)
    with_width(stretch->width, [&](auto w) {
      for (const Supernode *node = nodes + stretch->end, *end = nodes + stretch->begin; node-- != end;) {
        const double *panel = values + node->panel, *d = inverse_d + node->first;
        if (stretch->chain) {
          const Run run{w, runs[node->runs].unknown, w};
          backward_panel<w>(panel, 2 * w, &run, &run + 1, d, x + node->first, x);
        } else {
          backward_panel<w>(panel, node->rows, runs + node->runs, runs + node->runs_end, d, x + node->first,
                            x);
        }
      }
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

}  // namespace trammel::linalg
