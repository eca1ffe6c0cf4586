// TreeBody: a body of a tree, where it is and how it hangs on the one that carries it.
//
//   V_c = X V_p + S v_J:   X moves a twist from the carrying body's centre of mass to the body's own, S holds
//   the joint's columns, which are spins A about its point on the body and slides L of that point:
//   S = (L + A × lever, A), world axes        García de Jalón & Bayo (1994), (5.71)–(5.88)
#pragma once

#include <array>

#include "system/relative/tree_joint.h"

namespace trammel::system {

// How a body hangs on the one that carries it.
template <int D>
struct Carried {
  static constexpr int kMost = kTwist<D>;
  template <int n>
  using Spins = Eigen::Map<const FixedColumns<D, kSpin<D>, n>>;
  template <int n>
  using Slides = Eigen::Map<const FixedColumns<D, D, n>>;

  int velocities = 0;  // of its joint
  bool turns = true;
  bool slides = false;                        // the joint moves its point on the body: there is an L
  math::Vec<D> arm = math::Vec<D>::Zero();    // from the carrying body's centre of mass to its own
  math::Vec<D> lever = math::Vec<D>::Zero();  // from its joint to its centre of mass
  std::array<double, static_cast<std::size_t>(kMost* kMost)> columns;  // A, then L

  template <int n>
  Spins<n> A() const {
    return Spins<n>(columns.data());
  }
  template <int n>
  Slides<n> L() const {
    return Slides<n>(columns.data() + kSpin<D> * n);
  }
  template <int n>
  Eigen::Matrix<double, kMost, n> S() const {
    Eigen::Matrix<double, kMost, n> all;
    for (int k = 0; k < n; ++k) {
      const Spin<D> w = A<n>().col(k);
      all.col(k).template head<D>() = turn<D>(w, lever);
      all.col(k).template tail<kSpin<D>>() = w;
    }
    if (slides) all.template topRows<D>() += L<n>();
    return all;
  }

  // V += S v
  void add_own(const double* v, Twist<D>& V) const {
    with_velocities<D>(velocities, [&](auto n) {
      if constexpr (n > 0) {
        const Eigen::Map<const math::Vec<n>> own(v);
        const Spin<D> w = A<n>() * own;
        V.template head<D>() += turn<D>(w, lever);
        if (slides) V.template head<D>() += L<n>() * own;
        V.template tail<kSpin<D>>() += w;
      }
    });
  }
  // Q += factor · Sᵀ F
  void add_force(const Twist<D>& F, double factor, double* Q) const {
    with_velocities<D>(velocities, [&](auto n) {
      if constexpr (n > 0) {
        const math::Vec<D> f = factor * F.template head<D>();
        const Spin<D> m = factor * F.template tail<kSpin<D>>() + moment<D>(lever, f);
        Eigen::Map<math::Vec<n>> own(Q);
        own.noalias() += A<n>().transpose() * m;
        if (slides) own.noalias() += L<n>().transpose() * f;
      }
    });
  }
  // Q = Sᵀ(f, m)
  [[gnu::always_inline]] void set_force(const math::Vec<D>& f, const Spin<D>& m, double* Q) const {
    with_velocities<D>(velocities, [&](auto n) {
      if constexpr (n > 0) {
        const Spin<D> at_joint = m + moment<D>(lever, f);
        math::Vec<n> own = A<n>().transpose() * at_joint;
        if (slides) own.noalias() += L<n>().transpose() * f;
        Eigen::Map<math::Vec<n>>{Q} = own;
      }
    });
  }
  // X V: what the carrying body's motion gives it.
  Twist<D> carry(const Twist<D>& V) const {
    Twist<D> moved = Twist<D>::Zero();
    const Spin<D> w = V.template tail<kSpin<D>>();
    moved.template head<D>() = V.template head<D>() + turn<D>(w, arm);
    if (turns) moved.template tail<kSpin<D>>() = w;
    return moved;
  }
  // Xᵀ F: what a force on it does to the carrying body.
  Twist<D> pass_on(const Twist<D>& F) const {
    Twist<D> moved = F;
    if (!turns) moved.template tail<kSpin<D>>().setZero();
    moved.template tail<kSpin<D>>() += moment<D>(arm, F.template head<D>());
    return moved;
  }
  math::Mat<kTwist<D>> X() const {
    math::Mat<kTwist<D>> matrix = math::Mat<kTwist<D>>::Identity();
    if (!turns) matrix.template bottomRightCorner<kSpin<D>, kSpin<D>>().setZero();
    if constexpr (D == 2) matrix.template topRightCorner<2, 1>() = math::quarter_turn(arm);
    if constexpr (D == 3) matrix.template topRightCorner<3, 3>() = -math::skew(arm);
    return matrix;
  }
};

template <int D>
struct TreeBody : Carried<D> {
  math::Vec<D> c = math::Vec<D>::Zero();      // centre of mass
  math::Mat<D> R = math::Mat<D>::Identity();  // axes
  Twist<D> V = Twist<D>::Zero();              // velocity
  Twist<D> beta = Twist<D>::Zero();           // V̇ while v is held
  double mass = 0;
  math::Mat<kSpin<D>> J = math::Mat<kSpin<D>>::Zero();  // inertia about the centre of mass, world axes

  // M V
  Twist<D> momentum(const Twist<D>& velocity) const {
    Twist<D> P;
    P.template head<D>() = mass * velocity.template head<D>();
    P.template tail<kSpin<D>>() = J * velocity.template tail<kSpin<D>>();
    return P;
  }
  void add_inertia(math::Mat<kTwist<D>>& sum) const {
    for (int i = 0; i < D; ++i) sum(i, i) += mass;
    sum.template bottomRightCorner<kSpin<D>, kSpin<D>>() += J;
  }
};

// Ẋ and Ṡ, where they are asked for.
template <int D>
struct CarriedRate {
  math::Vec<D> arm_dot = math::Vec<D>::Zero();
  Columns<D, kTwist<D>> S_dot;

  // Ẋᵀ F
  Twist<D> pass_on(const Twist<D>& F) const {
    Twist<D> moved = Twist<D>::Zero();
    moved.template tail<kSpin<D>>() = moment<D>(arm_dot, F.template head<D>());
    return moved;
  }
};

}  // namespace trammel::system
