// A person's own constraint row on material points (trammel/user.h).
#pragma once

#include <array>
#include <stdexcept>

#include "system/motion.h"
#include "system/terms.h"
#include "trammel/user.h"

namespace trammel {

template <int D>
class UserRow {
 public:
  UserRow(UserConstraintPtr law, std::vector<Material<D>> points, int free_elements)
      : law_(std::move(law)), points_(std::move(points)) {
    if (points_.size() > kMaxPoints) throw std::invalid_argument("a user constraint takes at most 16 points");
    ElementList<D> list(free_elements);
    for (const auto& point : points_) list.take(point.form);
    elements_ = list.list();
  }

  static constexpr bool kHolonomic = true;
  static constexpr int rows() { return 1; }
  void declare(RowPattern& pattern) const { pattern.add_row(columns_of<D>(elements_)); }

  void evaluate(const Motion<D>& m, unsigned ask, RowOutput out) const {
    const std::size_t n = points_.size();
    const Places x = places(m.x), v = places(m.v);
    if (ask & kAskPosition) {
      *out.Phi = law_->value(m.t, {x.data(), n});
      *out.Phi_t = law_->time_derivative(m.t, {x.data(), n});
      std::fill_n(out.Phi_v, D * elements_.size(), 0.0);
      const Places g = gradient(m);
      for (std::size_t p = 0; p < points_.size(); ++p)
        for (const auto& term : points_[p].form.terms) {
          const int c = column_in<D>(elements_, term.element);
          if (c >= 0) Eigen::Map<Vec<D>>(out.Phi_v + c) += term.weight.transposed(narrow<D>(g[p]));
        }
    }
    if (ask & kAskGamma) *out.gamma = law_->gamma(m.t, {x.data(), n}, {v.data(), n});
  }

  template <class Give>
  void sides(const Motion<D>& m, const double* lambda, Give&& give) const {
    const Places g = gradient(m);
    for (std::size_t p = 0; p < points_.size(); ++p) give(points_[p], Vec<D>(-*lambda * narrow<D>(g[p])));
  }

 private:
  static constexpr std::size_t kMaxPoints = 16;
  using Places = std::array<Eigen::Vector3d, kMaxPoints>;

  Places places(const Elements<D>& x) const {
    Places r;
    for (std::size_t p = 0; p < points_.size(); ++p) r[p] = widen<D>(points_[p].form(x));
    return r;
  }
  Places gradient(const Motion<D>& m) const {
    const std::size_t n = points_.size();
    const Places x = places(m.x);
    Places g;
    law_->gradient(m.t, {x.data(), n}, {g.data(), n});
    return g;
  }

  UserConstraintPtr law_;
  std::vector<Material<D>> points_;
  std::vector<int> elements_;
};

}  // namespace trammel
