// TreeMotion: where the bodies of a tree are, how fast, and what their centripetal accelerations are, from
// ground outwards; forces add up on the way back.
//
//   V = R v by V_c = X V_p + S v_J,   V̇ = R v̇ + β,   Q = Rᵀ F        García de Jalón & Bayo (1994),
//   (5.71)–(5.88)
//
// R, the velocity transformation, is never formed.
#pragma once

#include <span>
#include <vector>

#include "system/relative/tree.h"
#include "system/relative/tree_body.h"
#include "trammel/state.h"

namespace trammel::system {

template <int D>
class TreeMotion {
 public:
  // com: by body, in its axes; inertia: by body, in its axes about the centre of mass.
  TreeMotion(const Tree<D>& tree, const std::vector<math::Vec<D>>& com,
             const std::vector<math::Mat<kTwist<D>>>& inertia);

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
  void clear() const {
    for (Twist<D>& F : twists_) F.setZero();
  }
  // Forces F in twist(): Q = Rᵀ(F + weight − ω × Jω − M β), and the potential of the weight. Destroys them.
  double fall(const math::Vec<D>& gravity, std::span<double> Q) const;
  Twist<D>& rate(int b) const { return rates_[static_cast<std::size_t>(b)]; }
  Twist<D>& twist(int b) const { return twists_[static_cast<std::size_t>(b)]; }

 private:
  // About the centre of mass: a matrix in the body's axes; or, where these are its principal axes e,
  // base 1 + Σ more_k e_k e_kᵀ over two of them, of which a round body needs the first alone.
  struct Inertia {
    explicit Inertia(const math::Mat<kSpin<D>>& J);
    math::Mat<kSpin<D>> in_axes(const math::Mat<D>& R) const;

    math::Mat<kSpin<D>> J;
    bool principal;
    int first = 0, second = 1;
    double base = 0, more_first = 0, more_second = 0;
  };
  // What a joint is to its two bodies, in their axes, and what the child weighs.
  struct Mount {
    int parent, child, q, v;
    TreeKind kind;
    bool straight_parent, straight_child;  // the joint has the axes of that body
    Inertia inertia;
    const TreeJoint<D>* joint;
    math::Vec<D> from;  // from the parent's centre of mass to the joint
    math::Vec<D> to;    // from the joint to the child's
  };
  void outwards(std::span<const double> v, std::vector<Twist<D>>& to) const;
  // on_ground: the parent is ground, whose part in all is known.
  template <bool on_ground = false>
  static math::Mat<D> parent_axes(const Mount& mount, const TreeBody<D>& p);
  static void turn_child(const Mount& mount, const math::Mat<D>& turned, TreeBody<D>& c);
  template <bool on_ground = false>
  static void carry_on(const math::Vec<D>& r1, const Spin<D>& spin, const TreeBody<D>& p, TreeBody<D>& c);
  template <bool on_ground>
  static void move_ball(const Mount& mount, const State& s, const TreeBody<D>& p, TreeBody<D>& c);
  template <bool on_ground>
  static void move_hinge(const Mount& mount, const State& s, const TreeBody<D>& p, TreeBody<D>& c);
  template <int N>
  static void move_any(const Mount& mount, const State& s, const TreeBody<D>& p, TreeBody<D>& c,
                       CarriedRate<D>* rate);
  template <int N>
  static void columns_rate(const TreeBody<D>& p, const math::Mat<D>& frame, const JointMotion<D, N>& m,
                           const TreeBody<D>& c, CarriedRate<D>& rate);

  std::vector<Mount> mounts_;  // parents before children
  std::vector<TreeBody<D>> bodies_;
  std::vector<CarriedRate<D>> carried_rates_;
  mutable std::vector<Twist<D>> twists_, rates_;  // work space of the passes
};

}  // namespace trammel::system
