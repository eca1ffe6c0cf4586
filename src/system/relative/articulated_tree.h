// ArticulatedTree: x from RᵀM R x = b along a tree, Featherstone (1983).
//
// From the tips inwards each body is replaced by what it feels like to the one that carries it. With the
// articulated inertia I of a body at its joint, a = X V_p the motion that its carrier gives that point, and
// the joint's columns S = (L, A) there,
//
//   P = I S,   D = SᵀP,   I_p += Xᵀ(I − P D⁻¹Pᵀ)X
//   inwards:   r = b − Sᵀh,   h_p += Xᵀ(h + P D⁻¹r);      outwards:   x = D⁻¹r − D⁻¹Pᵀa,   V = a + S x
//
// A hinge has one column (0, A). A ball turns freely about its point: its body is felt as the mass
// M − H J⁻¹Hᵀ there and nothing else, all in world axes.
#pragma once

#include <span>
#include <vector>

#include "math/long_list.h"
#include "system/relative/articulated_inertia.h"
#include "system/relative/tree_motion.h"

namespace trammel {

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
    bool turns;                   // with its carrier, too
    bool tip, first;              // carries nothing; is the first to come to its carrier from the tips
    int kept;                     // where its kind keeps the factor
    Vec<D> arm = Vec<D>::Zero();  // from the carrier's joint to its own
  };
  // What each kind keeps of its factor. Inwards: b becomes D⁻¹r, force and moment those on the carrier;
  // outwards: D⁻¹r becomes x, the carrier's motion at the joint becomes that of the body.
  struct Hinge {
    Spin<D> axis;
    Vec<D> f;  // P D⁻¹: force, moment
    Spin<D> m;
    double inverse;  // D⁻¹

    void inwards(double* x, Vec<D>& force, Spin<D>& torque) const {
      const double rest = *x - axis.dot(torque);
      *x = inverse * rest;
      force += rest * f;
      torque += rest * m;
    }
    void outwards(double* x, Vec<D>& a, Spin<D>& w) const {
      const double own = *x - (f.dot(a) + m.dot(w));
      *x = own;
      w += own * axis;
    }
  };
  struct Ball {
    Mat<kSpin<D>> axes;                        // of its columns
    Mat<kSpin<D>> inverse;                     // J⁻¹
    Eigen::Matrix<double, kSpin<D>, D> share;  // J⁻¹Hᵀ

    // All that reaches the carrier through a ball is its own torque.
    void inwards(double* x, Vec<D>& force, Spin<D>& torque) const {
      Eigen::Map<Spin<D>> own(x);
      const Spin<D> given = axes * own, rest = given - torque;
      own.noalias() = inverse * rest;
      force.noalias() += share.transpose() * rest;
      torque = given;
    }
    void outwards(double* x, Vec<D>& a, Spin<D>& w) const {
      Eigen::Map<Spin<D>> own(x);
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

    void inwards(double* x, Vec<D>& force, Spin<D>& torque) const {
      Eigen::Map<Vec<n>> own(x);
      const Vec<n> rest = own - S.template topRows<D>().transpose() * force -
                          S.template bottomRows<kSpin<D>>().transpose() * torque;
      own.noalias() = inverse * rest;
      force.noalias() += PD.template topRows<D>() * rest;
      torque.noalias() += PD.template bottomRows<kSpin<D>>() * rest;
    }
    void outwards(double* x, Vec<D>& a, Spin<D>& w) const {
      Eigen::Map<Vec<n>> own(x);
      own.noalias() -= PD.template topRows<D>().transpose() * a;
      own.noalias() -= PD.template bottomRows<kSpin<D>>().transpose() * w;
      a.noalias() += S.template topRows<D>() * own;
      w.noalias() += S.template bottomRows<kSpin<D>>() * own;
    }
  };
  using Inertia = ArticulatedInertia<D>;

  bool eliminate(Link& link, const TreeBody<D>& body, Inertia& I);
  bool eliminate_hinge(Hinge& kept, const TreeBody<D>& body, Inertia& I) const;
  bool eliminate_ball(Ball& kept, const TreeBody<D>& body, Inertia& I) const;
  template <int n>
  bool eliminate_any(const Link& link, const TreeBody<D>& body, Inertia& I);
  void solve_inwards(const Link& link, double* x);
  void solve_outwards(const Link& link, double* x);

  LongList<Link> links_;  // parents before children
  LongList<Hinge> hinges_;
  LongList<Ball> balls_;
  std::vector<double> any_;
  LongList<Inertia> inertia_;  // by body
  LongList<Twist<D>> h_, V_;   // by body, at its joint
};

}  // namespace trammel
