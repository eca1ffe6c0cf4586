// ArticulatedTree: x from RᵀM R x = b along a tree, Featherstone (1983).
//
// From the tips inwards each body is replaced by what it feels like to the one that carries it. With the
// articulated inertia I of a body at its joint, a = X V_p the motion that its carrier gives that point, and
// the joint's columns S = (L, A) there,
//
//   P = I S,   D = SᵀP,   I_p += Xᵀ(I − P D⁻¹Pᵀ)X
//   inwards:   r = b − Sᵀh,   h_p += Xᵀ(h + P D⁻¹r);      outwards:   x = D⁻¹r − D⁻¹Pᵀa,   V = a + S x
//
// A rotor that turns with a joint's only velocity adds its inertia to D. A hinge has one column (0, A). A
// ball turns freely about its point: its body is felt as the mass M − H J⁻¹Hᵀ there and nothing else, all in
// world axes.
#pragma once

#include <span>
#include <vector>

#include "system/relative/articulated_inertia.h"
#include "system/relative/tree_motion.h"

namespace trammel::system {

template <int D>
class ArticulatedTree {
 public:
  explicit ArticulatedTree(const Tree<D>& tree);

  // False when a direction has no mass.
  [[nodiscard]] bool factor(const TreeMotion<D>& tree);
  void solve(std::span<double> x);  // in place

 private:
  static constexpr int N = kTwist<D>;
  enum class Kind { rigid, hinge, ball, any };
  struct Link {
    int parent, child, v, velocities;
    Kind kind;
    bool turns;       // with its carrier, too
    bool tip, first;  // carries nothing; is the first to come to its carrier from the tips
    int kept;         // where its kind keeps the factor
    double armature;  // on its only velocity
    math::Vec<D> arm = math::Vec<D>::Zero();  // from the carrier's joint to its own
  };
  // What each kind keeps of its factor. Inwards: b becomes D⁻¹r, force and moment those on the carrier;
  // outwards: D⁻¹r becomes x, the carrier's motion at the joint becomes that of the body. on_ground: the
  // carrier is ground, which does not move, and feels what no one asks for.
  struct Hinge {
    Spin<D> axis;
    math::Vec<D> f;  // P D⁻¹: force, moment
    Spin<D> m;
    double inverse;  // D⁻¹

    template <bool on_ground>
    void inwards(double* x, math::Vec<D>& force, Spin<D>& torque) const {
      const double rest = *x - axis.dot(torque);
      *x = inverse * rest;
      if (on_ground) return;
      force += rest * f;
      torque += rest * m;
    }
    template <bool on_ground>
    void outwards(double* x, math::Vec<D>& a, Spin<D>& w) const {
      if (on_ground) {
        w = *x * axis;
        return;
      }
      const double own = *x - (f.dot(a) + m.dot(w));
      *x = own;
      w += own * axis;
    }
  };
  struct Ball {
    math::Mat<kSpin<D>> axes;                  // of its columns
    math::Mat<kSpin<D>> inverse;               // J⁻¹
    Eigen::Matrix<double, kSpin<D>, D> share;  // J⁻¹Hᵀ

    // All that reaches the carrier through a ball is its own torque.
    template <bool on_ground>
    [[gnu::always_inline]] void inwards(double* x, math::Vec<D>& force, Spin<D>& torque) const {
      Eigen::Map<Spin<D>> own(x);
      const Spin<D> given = axes * own, rest = given - torque;
      own.noalias() = inverse * rest;
      if (on_ground) return;
      force.noalias() += share.transpose() * rest;
      torque = given;
    }
    template <bool on_ground>
    [[gnu::always_inline]] void outwards(double* x, math::Vec<D>& a, Spin<D>& w) const {
      Eigen::Map<Spin<D>> own(x);
      if (on_ground) {
        w = own;
        own.noalias() = axes.transpose() * w;
        return;
      }
      const Spin<D> turned = own - share * a;
      own.noalias() = axes.transpose() * (turned - w);
      w = turned;
    }
  };
  // Of a joint with n velocities, in the list of numbers: S, P D⁻¹ and D⁻¹.
  template <int n>
  struct Any {
    explicit Any(double* at) : S(at), PD(at + N * n), inverse(at + 2 * N * n) {}
    Eigen::Map<Eigen::Matrix<double, N, n>> S, PD;
    Eigen::Map<Eigen::Matrix<double, n, n>> inverse;

    void inwards(double* x, math::Vec<D>& force, Spin<D>& torque) const {
      Eigen::Map<math::Vec<n>> own(x);
      const math::Vec<n> rest = own - S.template topRows<D>().transpose() * force -
                                S.template bottomRows<kSpin<D>>().transpose() * torque;
      own.noalias() = inverse * rest;
      force.noalias() += PD.template topRows<D>() * rest;
      torque.noalias() += PD.template bottomRows<kSpin<D>>() * rest;
    }
    void outwards(double* x, math::Vec<D>& a, Spin<D>& w) const {
      Eigen::Map<math::Vec<n>> own(x);
      own.noalias() -= PD.template topRows<D>().transpose() * a;
      own.noalias() -= PD.template bottomRows<kSpin<D>>().transpose() * w;
      a.noalias() += S.template topRows<D>() * own;
      w.noalias() += S.template bottomRows<kSpin<D>>() * own;
    }
  };
  using Inertia = ArticulatedInertia<D>;

  // What remains of a body and all that it carries is felt by its carrier.
  void hang_on(Link& link, const Inertia& I, const TreeBody<D>& parent, const TreeBody<D>& body);
  template <bool on_ground>
  bool eliminate(Link& link, const TreeBody<D>& body, Inertia& I);
  template <bool on_ground>
  bool eliminate_hinge(Hinge& kept, double armature, const TreeBody<D>& body, Inertia& I) const;
  template <bool on_ground>
  bool eliminate_ball(Ball& kept, const TreeBody<D>& body, Inertia& I) const;
  template <int n>
  bool eliminate_any(const Link& link, const TreeBody<D>& body, Inertia& I);
  template <bool on_ground>
  void solve_inwards(const Link& link, double* x);
  template <bool on_ground>
  void solve_outwards(const Link& link, double* x);

  std::vector<Link> links_;  // parents before children
  std::vector<Hinge> hinges_;
  std::vector<Ball> balls_;
  std::vector<double> any_;
  std::vector<Inertia> inertia_;  // by body
  std::vector<Twist<D>> h_, V_;   // by body, at its joint
};

}  // namespace trammel::system
