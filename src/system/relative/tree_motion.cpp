#include "system/relative/tree_motion.h"

#include <cmath>

namespace trammel {
namespace {

template <int D>
auto axes_of(const Frame& frame) {
  return frame.axes.template topLeftCorner<D, D>();
}

template <int D>
void clear(std::vector<Twist<D>>& list) {
  std::fill_n(list.front().data(), list.size() * static_cast<std::size_t>(kTwist<D>), 0.0);
}

}  // namespace

template <int D>
TreeMotion<D>::TreeMotion(const Tree<D>& tree, const std::vector<Vec<D>>& com,
                          const std::vector<Mat<kTwist<D>>>& inertia)
    : bodies_(tree.carrier.size()), twists_(tree.carrier.size(), Twist<D>::Zero()), rates_(twists_) {
  const auto straight = [](const Frame& f) { return f.axes.isIdentity(0); };
  for (const TreeJoint<D>& joint : tree.joints) {
    const auto b = static_cast<std::size_t>(joint.child);
    TreeBody<D>& body = bodies_[b];
    body.velocities = joint.velocities();
    body.turns = joint.turns;
    body.slides = body.velocities > 0 && joint.kind != TreeKind::revolute &&
                  joint.kind != TreeKind::spherical && joint.kind != TreeKind::universal;
    body.columns.fill(0);
    body.mass = inertia[b](0, 0);
    const Mat<kSpin<D>> J = inertia[b].template bottomRightCorner<kSpin<D>, kSpin<D>>();
    mounts_.push_back({joint.parent, joint.child, joint.q, joint.v, joint.kind, straight(joint.parent_frame),
                       straight(joint.child_frame), J.isDiagonal(0), &joint,
                       narrow<D>(joint.parent_frame.at) - com[static_cast<std::size_t>(joint.parent)],
                       com[b] - narrow<D>(joint.child_frame.at), J});
  }
}

template <int D>
Mat<D> TreeMotion<D>::parent_axes(const Mount& mount, const TreeBody<D>& p) {
  if (mount.straight_parent) return p.R;
  return p.R * axes_of<D>(mount.joint->parent_frame);
}

// From the axes of the joint on the child.
template <int D>
void TreeMotion<D>::turn_child(const Mount& mount, const Mat<D>& turned, TreeBody<D>& c) {
  if (mount.straight_child)
    c.R = turned;
  else
    c.R.noalias() = turned * axes_of<D>(mount.joint->child_frame).transpose();
  c.lever.noalias() = c.R * mount.to;
}

// A ball's columns are the axes of the joint on the child.
template <int D>
typename TreeMotion<D>::OwnMotion TreeMotion<D>::move_ball(const Mount& mount, const State& s,
                                                           const TreeBody<D>& p, TreeBody<D>& c) {
  OwnMotion own;
  if constexpr (D == 3) {
    Eigen::Map<Mat3> A(c.columns.data());
    A.noalias() = parent_axes(mount, p) * rotation_along(s.q.data() + mount.q);
    turn_child(mount, A, c);
    own.r1.noalias() = p.R * mount.from;
    own.spin.noalias() = A * Eigen::Map<const Vec3>(s.v.data() + mount.v);
  }
  return own;
}

// A hinge's column is the z axis of both.
template <int D>
typename TreeMotion<D>::OwnMotion TreeMotion<D>::move_hinge(const Mount& mount, const State& s,
                                                            const TreeBody<D>& p, TreeBody<D>& c) {
  OwnMotion own;
  const double angle = s.q[static_cast<std::size_t>(mount.q)], cosine = std::cos(angle),
               sine = std::sin(angle);
  const Mat<D> frame = parent_axes(mount, p);
  Mat<D> turned;
  turned.col(0) = cosine * frame.col(0) + sine * frame.col(1);
  turned.col(1) = cosine * frame.col(1) - sine * frame.col(0);
  Eigen::Map<Spin<D>> axis(c.columns.data());
  if constexpr (D == 2) axis[0] = 1;
  if constexpr (D == 3) axis = turned.col(2) = frame.col(2);
  turn_child(mount, turned, c);
  own.r1.noalias() = p.R * mount.from;
  own.spin = s.v[static_cast<std::size_t>(mount.v)] * axis;
  return own;
}

template <int D>
template <int N>
typename TreeMotion<D>::OwnMotion TreeMotion<D>::move_any(const Mount& mount, const State& s,
                                                          const TreeBody<D>& p, TreeBody<D>& c,
                                                          CarriedRate<D>* rate) {
  const JointMotion<D, N> m = mount.joint->template motion<N>(s.q.data(), s.v.data());
  const Mat<D> frame = parent_axes(mount, p);
  OwnMotion own;
  own.r1 = p.R * mount.from + frame * m.p;
  if (c.turns)
    turn_child(mount, frame * m.R, c);
  else
    c.lever = mount.to;
  const Vec<N> v = Eigen::Map<const Vec<N>>(s.v.data() + mount.v);
  if constexpr (N > 0) {
    Eigen::Map<FixedColumns<D, kSpin<D>, N>> A(c.columns.data());
    Eigen::Map<FixedColumns<D, D, N>> L(c.columns.data() + kSpin<D> * N);
    for (int k = 0; k < N; ++k) A.col(k) = turned<D>(frame, m.A.col(k));
    own.spin = A * v;
    own.spin_dot = turned<D>(frame, m.A_dot * v);
    if (c.slides) {
      L = frame * m.L;
      own.slide = L * v;
    }
  }
  if (rate != nullptr) columns_rate<N>(p, frame, m, v, c, *rate);
  return own;
}

// Ṡ: the joint's frame turns with the parent, the lever with the child.
template <int D>
template <int N>
void TreeMotion<D>::columns_rate(const TreeBody<D>& p, const Mat<D>& frame, const JointMotion<D, N>& m,
                                 const Vec<N>& v, const TreeBody<D>& c, CarriedRate<D>& rate) {
  const Spin<D> wp = p.V.template tail<kSpin<D>>();
  rate.S_dot.resize(kTwist<D>, N);
  if constexpr (N > 0) {
    const Spin<D> wc = wp + c.template A<N>() * v;
    for (int k = 0; k < N; ++k) {
      const Spin<D> w = c.template A<N>().col(k);
      const Spin<D> w_dot = turn_spin<D>(wp, w) + turned<D>(frame, m.A_dot.col(k));
      rate.S_dot.col(k).template head<D>() =
          turn<D>(wp, frame * m.L.col(k)) + turn<D>(w_dot, c.lever) + turn<D>(w, turn<D>(wc, c.lever));
      rate.S_dot.col(k).template tail<kSpin<D>>() = w_dot;
    }
  }
}

// Place, velocity and the acceleration that remains while v is held, from the parent's over the joint.
template <int D>
void TreeMotion<D>::carry_on(const OwnMotion& own, const TreeBody<D>& p, TreeBody<D>& c) {
  const Vec<D> r1 = own.r1, r2 = c.lever;
  c.arm = r1 + r2;
  c.c = p.c + c.arm;
  const Spin<D> wp = p.V.template tail<kSpin<D>>(), bp = p.beta.template tail<kSpin<D>>();
  Spin<D> wc = Spin<D>::Zero(), bc = Spin<D>::Zero();
  if (c.turns) {
    wc = wp + own.spin;
    bc = bp + turn_spin<D>(wp, own.spin) + own.spin_dot;
  }
  const Vec<D> u1 = turn<D>(wp, r1), u2 = turn<D>(wc, r2);
  c.V.template head<D>() = p.V.template head<D>() + u1 + u2;
  c.V.template tail<kSpin<D>>() = wc;
  c.beta.template head<D>() =
      p.beta.template head<D>() + turn<D>(bp, r1) + turn<D>(wp, u1) + turn<D>(bc, r2) + turn<D>(wc, u2);
  c.beta.template tail<kSpin<D>>() = bc;
  if (!c.slides) return;
  c.V.template head<D>() += own.slide;
  c.beta.template head<D>() += 2 * turn<D>(wp, own.slide);
}

// R J Rᵀ
template <int D>
void TreeMotion<D>::turn_inertia(const Mount& mount, TreeBody<D>& c) {
  if constexpr (D == 2) c.J = mount.J;
  if constexpr (D == 3) {
    Mat3 RJ;
    if (mount.principal)
      for (int k = 0; k < 3; ++k) RJ.col(k) = mount.J(k, k) * c.R.col(k);
    else
      RJ.noalias() = c.R * mount.J;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k <= i; ++k) c.J(i, k) = c.J(k, i) = RJ.row(i).dot(c.R.row(k));
  }
}

template <int D>
void TreeMotion<D>::move(const State& s, bool with_rates) {
  if (with_rates) carried_rates_.resize(bodies_.size());
  for (const Mount& mount : mounts_) {
    const TreeBody<D>& p = body(mount.parent);
    TreeBody<D>& c = bodies_[static_cast<std::size_t>(mount.child)];
    CarriedRate<D>* rate = with_rates ? &carried_rates_[static_cast<std::size_t>(mount.child)] : nullptr;
    if (D == 3 && mount.kind == TreeKind::spherical && !with_rates)
      carry_on(move_ball(mount, s, p, c), p, c);
    else if (mount.kind == TreeKind::revolute && !with_rates)
      carry_on(move_hinge(mount, s, p, c), p, c);
    else
      carry_on(with_velocities<D>(c.velocities, [&](auto n) { return move_any<n>(mount, s, p, c, rate); }), p,
               c);
    if (rate != nullptr) rate->arm_dot = c.V.template head<D>() - p.V.template head<D>();
    turn_inertia(mount, c);
  }
}

template <int D>
void TreeMotion<D>::outwards(std::span<const double> v, std::vector<Twist<D>>& to) const {
  to[0].setZero();
  for (const Mount& mount : mounts_) {
    const TreeBody<D>& c = body(mount.child);
    Twist<D>& V = to[static_cast<std::size_t>(mount.child)];
    V = c.carry(to[static_cast<std::size_t>(mount.parent)]);
    c.add_own(v.data() + mount.v, V);
  }
}

template <int D>
double TreeMotion<D>::product(std::span<const double> x, std::span<const double> y) const {
  outwards(x, twists_);
  outwards(y, rates_);
  double sum = 0;
  for (std::size_t b = 1; b < bodies_.size(); ++b) sum += twists_[b].dot(bodies_[b].momentum(rates_[b]));
  return sum;
}

template <int D>
void TreeMotion<D>::inwards(double factor, std::span<double> Q) const {
  for (auto at = mounts_.rbegin(); at != mounts_.rend(); ++at) {
    const TreeBody<D>& c = body(at->child);
    const Twist<D>& F = twist(at->child);
    c.add_force(F, factor, Q.data() + at->v);
    twist(at->parent) += c.pass_on(F);
  }
}

template <int D>
void TreeMotion<D>::inwards_rate(std::span<double> Q) const {
  for (auto at = mounts_.rbegin(); at != mounts_.rend(); ++at) {
    const TreeBody<D>& c = body(at->child);
    const Twist<D>&F = twist(at->child), &F_dot = rate(at->child);
    Eigen::Map<Eigen::VectorXd>(Q.data() + at->v, c.velocities) +=
        carried_rate(at->child).S_dot.transpose() * F;
    c.add_force(F_dot, 1, Q.data() + at->v);
    rate(at->parent) += c.pass_on(F_dot) + carried_rate(at->child).pass_on(F);
    twist(at->parent) += c.pass_on(F);
  }
}

template <int D>
double TreeMotion<D>::fall(const Vec<D>& gravity, std::span<double> Q) const {
  double potential = 0;
  clear<D>(twists_);
  std::fill(Q.begin(), Q.end(), 0.0);
  for (auto at = mounts_.rbegin(); at != mounts_.rend(); ++at) {
    const TreeBody<D>& c = body(at->child);
    Twist<D>& F = twist(at->child);
    F.template head<D>() += c.mass * (gravity - c.beta.template head<D>());
    F.template tail<kSpin<D>>() -= c.J * c.beta.template tail<kSpin<D>>();
    if constexpr (D == 3) {
      const Vec3 w = c.V.template tail<3>(), Jw = c.J * w;
      F.template tail<3>() -= w.cross(Jw);
    }
    c.add_force(F, 1, Q.data() + at->v);
    twist(at->parent) += c.pass_on(F);
    potential -= c.mass * gravity.dot(c.c);
  }
  return potential;
}

template class TreeMotion<2>;
template class TreeMotion<3>;

}  // namespace trammel
