#include "system/relative/articulated_tree.h"

#include <algorithm>

#include "math/index.h"
#include "system/relative/invert_symmetric.h"

namespace trammel::system {
namespace {

using math::at;

// J x from the lower triangle.
inline Vec3 lower_times(const Mat3& J, const Vec3& x) {
  return {J(0, 0) * x[0] + J(1, 0) * x[1] + J(2, 0) * x[2], J(1, 0) * x[0] + J(1, 1) * x[1] + J(2, 1) * x[2],
          J(2, 0) * x[0] + J(2, 1) * x[1] + J(2, 2) * x[2]};
}

}  // namespace

template <int D>
ArticulatedTree<D>::ArticulatedTree(const Tree<D>& tree)
    : inertia_(tree.carrier.size()), h_(inertia_.size(), Twist<D>::Zero()), V_(h_) {
  for (const TreeJoint<D>& joint : tree.joints) {
    const int n = joint.velocities();
    Link link{joint.parent, joint.child, joint.v, n, Kind::any, joint.turns, false, false, 0, joint.armature};
    if (n == 0) {
      link.kind = Kind::rigid;
    } else if (joint.kind == TreeKind::revolute) {
      link.kind = Kind::hinge;
      link.kept = static_cast<int>(hinges_.size());
      hinges_.emplace_back();
    } else if (joint.kind == TreeKind::spherical) {
      link.kind = Kind::ball;
      link.kept = static_cast<int>(balls_.size());
      balls_.emplace_back();
    } else {
      link.kept = static_cast<int>(any_.size());
      any_.resize(any_.size() + at(2 * N * n + n * n), 0.0);
    }
    links_.push_back(link);
  }
  std::vector<bool> reached(tree.carrier.size(), false);
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    link->tip = !reached[at(link->child)];
    link->first = !reached[at(link->parent)];
    reached[at(link->parent)] = true;
  }
}

template <int D>
bool ArticulatedTree<D>::factor(const TreeMotion<D>& tree) {
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    const TreeBody<D>& body = tree.body(link->child);
    Inertia& I = inertia_[at(link->child)];
    if (link->tip) I.set_body(body.mass, body.lever, body.J);
    if (link->parent == 0) {
      if (!eliminate<true>(*link, body, I)) return false;
    } else {
      if (!eliminate<false>(*link, body, I)) return false;
      hang_on(*link, I, tree.body(link->parent), body);
    }
  }
  return true;
}

template <int D>
[[gnu::always_inline]] inline void ArticulatedTree<D>::hang_on(Link& link, const Inertia& I,
                                                               const TreeBody<D>& parent,
                                                               const TreeBody<D>& body) {
  const math::Vec<D> arm = parent.lever + (body.arm - body.lever);
  link.arm = arm;
  Inertia& carrier = inertia_[at(link.parent)];
  const auto add = [&](Inertia & to) __attribute__((always_inline)) {
    if (link.kind == Kind::ball || !link.turns)
      to.add_point(I.M, arm);
    else
      to.add(I, arm);
  };
  if (!link.first) return add(carrier);
  Inertia sum;  // in registers until it is whole
  sum.set_body(parent.mass, parent.lever, parent.J);
  add(sum);
  carrier.set(sum);
}

template <int D>
template <bool on_ground>
[[gnu::always_inline]] inline bool ArticulatedTree<D>::eliminate(Link& link, const TreeBody<D>& body,
                                                                 Inertia& I) {
  switch (link.kind) {
    case Kind::rigid:
      return true;
    case Kind::hinge:
      return eliminate_hinge<on_ground>(hinges_[at(link.kept)], link.armature, body, I);
    case Kind::ball:
      return eliminate_ball<on_ground>(balls_[at(link.kept)], body, I);
    case Kind::any:
      return with_velocities<D>(link.velocities, [&](auto n) { return eliminate_any<n>(link, body, I); });
  }
  return false;
}

template <int D>
template <bool on_ground>
bool ArticulatedTree<D>::eliminate_hinge(Hinge& kept, double armature, const TreeBody<D>& body,
                                         Inertia& I) const {
  const Spin<D> axis = body.template A<1>();
  Spin<D> m;
  if constexpr (D == 2)
    m = I.J * axis;
  else
    m = lower_times(I.J, axis);
  const double pivot = axis.dot(m) + armature;
  if (!(pivot > 0) || !std::isfinite(pivot)) return false;
  kept.axis = axis;
  kept.inverse = 1 / pivot;
  if (on_ground) return true;
  const math::Vec<D> f = I.H * axis;
  kept.f = f * kept.inverse;
  kept.m = m * kept.inverse;
  for (int k = 0; k < D; ++k)
    for (int i = k; i < D; ++i) I.M(i, k) -= f[i] * kept.f[k];
  I.H.noalias() -= f * kept.m.transpose();
  for (int k = 0; k < kSpin<D>; ++k)
    for (int i = k; i < kSpin<D>; ++i) I.J(i, k) -= m[i] * kept.m[k];
  return true;
}

template <int D>
template <bool on_ground>
bool ArticulatedTree<D>::eliminate_ball(Ball& kept, const TreeBody<D>& body, Inertia& I) const {
  if constexpr (D == 3) {
    Mat3 inverse;
    if (!invert_lower(I.J, inverse)) return false;
    kept.axes = body.template A<3>();
    kept.inverse = inverse;
    if (on_ground) return true;
    const Mat3 H = I.H, share = inverse * H.transpose();
    kept.share = share;
    for (int k = 0; k < 3; ++k)
      for (int i = k; i < 3; ++i)
        I.M(i, k) -= H(i, 0) * share(0, k) + H(i, 1) * share(1, k) + H(i, 2) * share(2, k);
  }
  return true;
}

template <int D>
template <int n>
bool ArticulatedTree<D>::eliminate_any(const Link& link, const TreeBody<D>& body, Inertia& I) {
  if constexpr (n > 0) {
    Any<n> kept(any_.data() + link.kept);
    kept.S.template topRows<D>().setZero();
    if (body.slides) kept.S.template topRows<D>() = body.template L<n>();
    kept.S.template bottomRows<kSpin<D>>() = body.template A<n>();
    const Eigen::Matrix<double, N, n> P = I.whole() * kept.S;
    Eigen::Matrix<double, n, n> pivot = kept.S.transpose() * P;
    pivot(0, 0) += link.armature;
    if (!invert_symmetric<n>(pivot)) return false;
    kept.inverse = pivot;
    kept.PD.noalias() = P * pivot;
    I.M.noalias() -= P.template topRows<D>() * kept.PD.template topRows<D>().transpose();
    I.H.noalias() -= P.template topRows<D>() * kept.PD.template bottomRows<kSpin<D>>().transpose();
    I.J.noalias() -= P.template bottomRows<kSpin<D>>() * kept.PD.template bottomRows<kSpin<D>>().transpose();
  }
  return true;
}

template <int D>
template <bool on_ground>
[[gnu::always_inline]] inline void ArticulatedTree<D>::solve_inwards(const Link& link, double* x) {
  math::Vec<D> f = math::Vec<D>::Zero();
  Spin<D> m = Spin<D>::Zero();
  if (!link.tip) {
    f = h_[at(link.child)].template head<D>();
    m = h_[at(link.child)].template tail<kSpin<D>>();
  }
  switch (link.kind) {
    case Kind::rigid:
      break;
    case Kind::hinge:
      hinges_[at(link.kept)].template inwards<on_ground>(x + link.v, f, m);
      break;
    case Kind::ball:
      balls_[at(link.kept)].template inwards<on_ground>(x + link.v, f, m);
      break;
    case Kind::any:
      with_velocities<D>(link.velocities, [&](auto n) {
        if constexpr (n > 0) Any<n>(any_.data() + link.kept).inwards(x + link.v, f, m);
      });
  }
  if (on_ground) return;
  Twist<D>& h = h_[at(link.parent)];
  Spin<D> at_carrier = moment<D>(link.arm, f);
  if (link.turns) at_carrier += m;
  if (!link.first) {
    f += h.template head<D>();
    at_carrier += h.template tail<kSpin<D>>();
  }
  h.template head<D>() = f;
  h.template tail<kSpin<D>>() = at_carrier;
}

template <int D>
template <bool on_ground>
[[gnu::always_inline]] inline void ArticulatedTree<D>::solve_outwards(const Link& link, double* x) {
  math::Vec<D> a = math::Vec<D>::Zero();
  Spin<D> w = Spin<D>::Zero();
  if (!on_ground) {
    const Twist<D>& V = V_[at(link.parent)];
    w = V.template tail<kSpin<D>>();
    a = V.template head<D>() + turn<D>(w, link.arm);
    if (!link.turns) w.setZero();
  }
  switch (link.kind) {
    case Kind::rigid:
      break;
    case Kind::hinge:
      hinges_[at(link.kept)].template outwards<on_ground>(x + link.v, a, w);
      break;
    case Kind::ball:
      balls_[at(link.kept)].template outwards<on_ground>(x + link.v, a, w);
      break;
    case Kind::any:
      with_velocities<D>(link.velocities, [&](auto n) {
        if constexpr (n > 0) Any<n>(any_.data() + link.kept).outwards(x + link.v, a, w);
      });
  }
  if (link.tip) return;
  V_[at(link.child)].template head<D>() = a;
  V_[at(link.child)].template tail<kSpin<D>>() = w;
}

template <int D>
void ArticulatedTree<D>::solve(std::span<double> x) {
  for (auto link = links_.rbegin(); link != links_.rend(); ++link)
    link->parent == 0 ? solve_inwards<true>(*link, x.data()) : solve_inwards<false>(*link, x.data());
  for (const Link& link : links_)
    link.parent == 0 ? solve_outwards<true>(link, x.data()) : solve_outwards<false>(link, x.data());
}

template class ArticulatedTree<2>;
template class ArticulatedTree<3>;

}  // namespace trammel::system
