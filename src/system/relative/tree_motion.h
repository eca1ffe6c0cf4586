// TreeMotion: where the bodies of a tree are, how fast, and what their centripetal accelerations are, from
// ground outwards; forces add up on the way back.
//
//   V = R v by V_c = X V_p + S v_J,   V̇ = R v̇ + β,   Q = Rᵀ F        García de Jalón & Bayo (1994),
//   (5.71)–(5.88)
//
// R, the velocity transformation, is never formed: X moves a twist from the carrying body's centre of mass to
// the carried one's, S holds the joint's columns.
#pragma once

#include <span>
#include <vector>

#include "system/relative/tree.h"
#include "trammel/state.h"

namespace trammel {

// How a body hangs on the one that carries it.
template <int D>
struct Carried {
  Vec<D> arm = Vec<D>::Zero();  // from the carrying body's centre of mass to its own
  bool turns = true;
  Columns<D, kTwist<D>> S;  // of its joint

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
  Mat<kTwist<D>> X() const {
    Mat<kTwist<D>> matrix = Mat<kTwist<D>>::Identity();
    if (!turns) matrix.template bottomRightCorner<kSpin<D>, kSpin<D>>().setZero();
    if constexpr (D == 2) matrix.template topRightCorner<2, 1>() = quarter_turn(arm);
    if constexpr (D == 3) matrix.template topRightCorner<3, 3>() = -skew(arm);
    return matrix;
  }
};

template <int D>
struct TreeBody : Carried<D> {
  Vec<D> c = Vec<D>::Zero();         // centre of mass
  Mat<D> R = Mat<D>::Identity();     // axes
  Twist<D> V = Twist<D>::Zero();     // velocity
  Twist<D> beta = Twist<D>::Zero();  // V̇ while v is held
  double mass = 0;
  Mat<kSpin<D>> J = Mat<kSpin<D>>::Zero();  // inertia about the centre of mass, world axes

  // M V
  Twist<D> momentum(const Twist<D>& velocity) const {
    Twist<D> P;
    P.template head<D>() = mass * velocity.template head<D>();
    P.template tail<kSpin<D>>() = J * velocity.template tail<kSpin<D>>();
    return P;
  }
  void add_inertia(Mat<kTwist<D>>& sum) const {
    for (int i = 0; i < D; ++i) sum(i, i) += mass;
    sum.template bottomRightCorner<kSpin<D>, kSpin<D>>() += J;
  }
};

// Ẋ and Ṡ, where they are asked for.
template <int D>
struct CarriedRate {
  Vec<D> arm_dot = Vec<D>::Zero();
  Columns<D, kTwist<D>> S_dot;

  // Ẋᵀ F
  Twist<D> pass_on(const Twist<D>& F) const {
    Twist<D> moved = Twist<D>::Zero();
    moved.template tail<kSpin<D>>() = moment<D>(arm_dot, F.template head<D>());
    return moved;
  }
};

template <int D>
class TreeMotion {
 public:
  // com: by body, in its axes; inertia: by body, in its axes about the centre of mass.
  TreeMotion(const Tree<D>& tree, const std::vector<Vec<D>>& com, const std::vector<Mat<kTwist<D>>>& inertia);

  void move(const State& s, bool with_rates);  // from q and v; rates: of X and S
  const TreeBody<D>& body(int b) const { return bodies_[static_cast<std::size_t>(b)]; }
  const CarriedRate<D>& carried_rate(int b) const { return carried_rates_[static_cast<std::size_t>(b)]; }

  // V = R v for any v; what it wrote is in twist().
  void outwards(std::span<const double> v) const { outwards(v, twists_); }
  // xᵀ RᵀM R y
  double product(std::span<const double> x, std::span<const double> y) const;
  // Forces in twist(), by body: Q += factor · Rᵀ F. Destroys them.
  void inwards(double factor, std::span<double> Q) const;
  // The same for F in twist() and its rate in rate(): Q += (Rᵀ F)˙. Destroys both.
  void inwards_rate(std::span<double> Q) const;
  Twist<D>& rate(int b) const { return rates_[static_cast<std::size_t>(b)]; }
  Twist<D>& twist(int b) const { return twists_[static_cast<std::size_t>(b)]; }

 private:
  void outwards(std::span<const double> v, std::vector<Twist<D>>& to) const;
  template <int N>
  void move_body(const TreeJoint<D>& joint, const State& s, bool with_rates);
  template <int N>
  void move_columns(const TreeBody<D>& p, const Mat<D>& frame, const Vec<D>& r2, const JointMotion<D, N>& m,
                    const TreeBody<D>& c, CarriedRate<D>& rate) const;

  const Tree<D>* tree_;
  const std::vector<Vec<D>>* com_;
  const std::vector<Mat<kTwist<D>>>* inertia_;
  std::vector<TreeBody<D>> bodies_;
  std::vector<CarriedRate<D>> carried_rates_;
  mutable std::vector<Twist<D>> twists_, rates_;  // work space of the passes
};

}  // namespace trammel
