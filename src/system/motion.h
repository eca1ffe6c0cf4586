// Motion: where the elements are and how fast they move, as constraint and force parts see them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "expressions/expression.h"
#include "system/linear_form.h"
#include "system/measure.h"
#include "system/terms.h"

namespace trammel::system {

// What a variable of an expression reads: a measure's value or rate; −1 for time, states and inputs.
struct SignalSource {
  int measure = -1;
  bool rate = false;
};

template <int D>
struct Motion {
  double t;
  Elements<D> x, v;
  std::span<const Measure<D>> measures;
  std::span<const int> measure_start;  // of each measure's scratch
  const double* measure_scratch;
  std::span<const double> signals;
  std::span<double> scratch;       // of expressions
  std::span<const double> flanks;  // decisions.h; none: teeth press along their pitch circles only

  MeasureView<D> measure(int k) const {
    return {measure_scratch + measure_start[static_cast<std::size_t>(k)],
            measures[static_cast<std::size_t>(k)].columns()};
  }
};

// Where a constraint part writes: its first row, its first entry of Φ_v and of its rate.
struct RowOutput {
  double *Phi, *Phi_t, *gamma, *Phi_v, *Phi_v_dot;
};

// Where a force part writes: Q (all of it), its own stiffness and damping blocks.
struct ForceOutput {
  double* Q;
  double* K;  // null when the tangent is not asked for
  double* C;
  double potential = 0, power = 0;
};

// Ascending, each once.
inline void sort_unique(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Collects the free elements that a part depends on.
template <int D>
class ElementList {
 public:
  explicit ElementList(int free_elements) : free_elements_(free_elements) {}
  void take(const LinearForm<D>& form) {
    for (const auto& term : form.terms)
      if (term.element < free_elements_ && !term.weight.is_zero()) elements_.push_back(term.element);
  }
  void take(const Measure<D>& measure) {
    elements_.insert(elements_.end(), measure.elements().begin(), measure.elements().end());
  }
  std::vector<int> list() {
    sort_unique(elements_);
    return elements_;
  }

 private:
  int free_elements_;
  std::vector<int> elements_;
};

// The first column of an element among the columns of an ascending list; −1 if it is not there.
template <int D>
int column_in(const std::vector<int>& elements, int element) {
  const auto at = std::lower_bound(elements.begin(), elements.end(), element);
  return at != elements.end() && *at == element ? D * static_cast<int>(at - elements.begin()) : -1;
}

// A dense block over the same rows and columns, in stiffness and damping alike.
inline void declare_block(const std::vector<int>& columns, EntryPattern& K, EntryPattern& C) {
  for (EntryPattern* pattern : {&K, &C})
    for (int r : columns)
      for (int c : columns) {
        pattern->row.push_back(r);
        pattern->column.push_back(c);
      }
}
using Block = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// The coordinates of a list of elements.
template <int D>
std::vector<int> columns_of(const std::vector<int>& elements) {
  std::vector<int> columns;
  for (int e : elements)
    for (int i = 0; i < D; ++i) columns.push_back(D * e + i);
  return columns;
}

}  // namespace trammel::system
