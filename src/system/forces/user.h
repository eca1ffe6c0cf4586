// A person's own force on material points (trammel/user.h).
#pragma once

#include <array>

#include "system/motion.h"
#include "system/terms.h"
#include "trammel/user.h"

namespace trammel::system {

template <int D>
class UserEffort {
 public:
  UserEffort(UserForcePtr law, std::vector<Material<D>> points, int free_elements)
      : law_(std::move(law)), points_(std::move(points)) {
    ElementList<D> list(free_elements);
    for (const auto& point : points_) list.take(point.form);
    elements_ = list.list();
    columns_ = columns_of<D>(elements_);
  }

  static constexpr bool symmetric() { return false; }
  static constexpr bool conservative() { return false; }
  static constexpr bool damped() { return true; }
  static constexpr bool reads_signals() { return true; }
  int block_size() const { return static_cast<int>(columns_.size() * columns_.size()); }
  void declare(EntryPattern& K, EntryPattern& C) const { declare_block(columns_, K, C); }

  void evaluate(const Motion<D>& m, ForceOutput& out) const {
    const std::size_t n = points_.size();
    const Places x = places(m.x), v = places(m.v), f = force(m.t, x, v);
    for (std::size_t p = 0; p < n; ++p) {
      out.power += f[p].dot(v[p]);
      for (const auto& term : points_[p].form.terms)
        if (term.element < m.x.free_elements)
          Eigen::Map<math::Vec<D>>(out.Q + D * term.element) += term.weight.transposed(math::narrow<D>(f[p]));
    }
    if (out.K) tangent(m, x, v, out);
  }

  template <class Give>
  void sides(const Motion<D>& m, Give&& give) const {
    const Places f = force(m.t, places(m.x), places(m.v));
    for (std::size_t p = 0; p < points_.size(); ++p) give(points_[p], math::narrow<D>(f[p]));
  }

 private:
  using Places = std::array<Eigen::Vector3d, kMaxUserPoints>;

  Places places(const Elements<D>& x) const {
    Places r;
    for (std::size_t p = 0; p < points_.size(); ++p) r[p] = math::widen<D>(points_[p].form(x));
    return r;
  }
  Places force(double t, const Places& x, const Places& v) const {
    const std::size_t n = points_.size();
    Places f;
    f.fill(Eigen::Vector3d::Zero());
    law_->force(t, {x.data(), n}, {v.data(), n}, {f.data(), n});
    return f;
  }
  void tangent(const Motion<D>& m, const Places& x, const Places& v, ForceOutput& out) const {
    const auto points = static_cast<Eigen::Index>(points_.size());
    const auto n = static_cast<Eigen::Index>(columns_.size());
    using Derivative = Eigen::Matrix<double, -1, -1, 0, 3 * kMaxUserPoints, 3 * kMaxUserPoints>;
    Derivative by_x = Derivative::Zero(3 * points, 3 * points), by_v = by_x;
    law_->derivatives(m.t, {x.data(), points_.size()}, {v.data(), points_.size()}, by_x, by_v);
    Block K(out.K, n, n), C(out.C, n, n);
    K.setZero();
    C.setZero();
    for (Eigen::Index p = 0; p < points; ++p)
      for (Eigen::Index s = 0; s < points; ++s)
        for (const auto& row : points_[static_cast<std::size_t>(p)].form.terms)
          for (const auto& col : points_[static_cast<std::size_t>(s)].form.terms) {
            const int r = column_in<D>(elements_, row.element), c = column_in<D>(elements_, col.element);
            if (r < 0 || c < 0) continue;
            const math::Mat<D> left = row.weight.matrix().transpose(), right = col.weight.matrix();
            K.template block<D, D>(r, c) -= left * by_x.template block<D, D>(3 * p, 3 * s) * right;
            C.template block<D, D>(r, c) -= left * by_v.template block<D, D>(3 * p, 3 * s) * right;
          }
  }
  UserForcePtr law_;
  std::vector<Material<D>> points_;
  std::vector<int> elements_, columns_;
};

}  // namespace trammel::system
