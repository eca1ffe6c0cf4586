// PanelCholesky: A = L D Lᵀ of a fixed pattern by supernodes, right-looking (supernodes.h, panel.h).
//
// All index work is done at construction. factor_storage() factors one panel after the other and takes its
// shares off the later ones.
#pragma once

#include <string_view>

#include "linalg/linear_solver.h"
#include "linalg/supernodes.h"

namespace trammel::linalg {

class PanelCholesky final : public CholeskySolver {
 public:
  // Sparse, in the order that costs least.
  explicit PanelCholesky(const Pattern& pattern);
  // As if it were `filled`, a pattern that holds all of its entries, in its own order.
  PanelCholesky(const Pattern& pattern, const Pattern& filled, std::string_view name);

  FactorStatus factor_storage() override;
  void solve(std::span<double> x) override;
  std::string_view name() const override { return name_; }

 private:
  PanelCholesky(const Pattern& pattern, std::vector<int> order, const Pattern& filled, std::string_view name);
  template <int W, bool Chain>
  FactorStatus factor_node(const Supernode& node);
  template <int W, bool Chain>
  FactorStatus factor_stretch(const Stretch& stretch);
  void substitute(double* x) const;

  std::vector<int> order_;  // order_[place in the elimination] = unknown
  Supernodes supernodes_;
  std::string_view name_;
  bool natural_;               // the order is that of the unknowns
  std::vector<int> diagonal_;  // place in the storage of each diagonal entry, in the order of elimination
  std::vector<double> threshold_, inverse_d_, x_;
  std::vector<double> share_;  // scratch: one column of a panel
};

}  // namespace trammel::linalg
