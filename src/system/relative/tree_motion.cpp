#include "system/relative/tree_motion.h"

#include <cmath>

namespace trammel::system {
namespace {

template <int D>
auto axes_of(const Frame& frame) {
  return frame.axes.template topLeftCorner<D, D>();
}

// R J Rᵀ
Mat3 turned_inertia(const Mat3& R, const Mat3& J) {
  const Mat3 X = R * J;
  const auto entry = [&](int i, int k) { return X(i, 0) * R(k, 0) + X(i, 1) * R(k, 1) + X(i, 2) * R(k, 2); };
  const double yx = entry(1, 0), zx = entry(2, 0), zy = entry(2, 1);
  Mat3 turned;
  turned << entry(0, 0), yx, zx, yx, entry(1, 1), zy, zx, zy, entry(2, 2);
  return turned;
}

}  // namespace

template <int D>
TreeMotion<D>::TreeMotion(const Tree<D>& tree, const std::vector<math::Vec<D>>& com,
                          const std::vector<math::Mat<kTwist<D>>>& inertia)
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
    const math::Mat<kSpin<D>> J = inertia[b].template bottomRightCorner<kSpin<D>, kSpin<D>>();
    mounts_.push_back({joint.parent, joint.child, joint.q, joint.v, joint.kind, straight(joint.parent_frame),
                       straight(joint.child_frame), Inertia(J), &joint,
                       math::narrow<D>(joint.parent_frame.at) - com[static_cast<std::size_t>(joint.parent)],
                       com[b] - math::narrow<D>(joint.child_frame.at)});
  }
}

template <int D>
TreeMotion<D>::Inertia::Inertia(const math::Mat<kSpin<D>>& about_com)
    : J(about_com), principal(about_com.isDiagonal(0)) {
  if constexpr (D == 3) {
    // Two equal ones, if there are, are the base.
    const Vec3 own = J.diagonal();
    const int round = own[0] == own[1] ? 2 : own[0] == own[2] ? 1 : 0;
    first = round;
    second = (round + 1) % 3;
    base = own[(round + 2) % 3];
    more_first = own[first] - base;
    more_second = own[second] - base;
  }
}

template <int D>
[[gnu::always_inline]] inline math::Mat<kSpin<D>> TreeMotion<D>::Inertia::in_axes(
    const math::Mat<D>& R) const {
  if constexpr (D == 2) {
    return J;
  } else {
    if (!principal) return turned_inertia(R, J);
    const Vec3 e = R.col(first), f = more_first * e;
    double xx = base + f.x() * e.x(), yy = base + f.y() * e.y(), zz = base + f.z() * e.z();
    double xy = f.x() * e.y(), xz = f.x() * e.z(), yz = f.y() * e.z();
    if (more_second != 0) {
      const Vec3 o = R.col(second), g = more_second * o;
      xx += g.x() * o.x();
      yy += g.y() * o.y();
      zz += g.z() * o.z();
      xy += g.x() * o.y();
      xz += g.x() * o.z();
      yz += g.y() * o.z();
    }
    Mat3 turned;
    turned << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return turned;
  }
}

template <int D>
template <bool on_ground>
[[gnu::always_inline]] inline math::Mat<D> TreeMotion<D>::parent_axes(const Mount& mount,
                                                                      const TreeBody<D>& p) {
  if (on_ground) return axes_of<D>(mount.joint->parent_frame);
  if (mount.straight_parent) return p.R;
  return p.R * axes_of<D>(mount.joint->parent_frame);
}

// From the axes of the joint on the child.
template <int D>
[[gnu::always_inline]] inline void TreeMotion<D>::turn_child(const Mount& mount, const math::Mat<D>& turned,
                                                             TreeBody<D>& c) {
  math::Mat<D> R = turned;
  if (!mount.straight_child) R.noalias() = turned * axes_of<D>(mount.joint->child_frame).transpose();
  c.lever = rotated<D>(R, mount.to);
  c.R = R;
  c.J = mount.inertia.in_axes(c.R);
}

// Place, velocity and the acceleration that remains while v is held, from the parent's over a joint that
// turns the child.
template <int D>
template <bool on_ground>
[[gnu::always_inline]] inline void TreeMotion<D>::carry_on(const math::Vec<D>& r1, const Spin<D>& spin,
                                                           const TreeBody<D>& p, TreeBody<D>& c) {
  if (on_ground) {
    const math::Vec<D> r = c.lever, arm_here = r1 + r, u = turn<D>(spin, r);
    c.arm = c.c = arm_here;
    c.V << u, spin;
    c.beta << turn<D>(spin, u), Spin<D>::Zero();
    return;
  }
  const math::Vec<D> r2 = c.lever, arm = r1 + r2, place = p.c + arm;
  const Spin<D> wp = p.V.template tail<kSpin<D>>(), bp = p.beta.template tail<kSpin<D>>();
  Spin<D> wc = Spin<D>::Zero(), bc = Spin<D>::Zero();
  if (c.turns) {
    wc = wp + spin;
    bc = bp + turn_spin<D>(wp, spin);
  }
  const math::Vec<D> u1 = turn<D>(wp, r1), u2 = turn<D>(wc, r2);
  const math::Vec<D> velocity = p.V.template head<D>() + (u1 + u2);
  const math::Vec<D> rest =
      p.beta.template head<D>() + (turn<D>(bp, r1) + turn<D>(wp, u1)) + (turn<D>(bc, r2) + turn<D>(wc, u2));
  c.arm = arm;
  c.c = place;
  c.V.template head<D>() = velocity;
  c.V.template tail<kSpin<D>>() = wc;
  c.beta.template head<D>() = rest;
  c.beta.template tail<kSpin<D>>() = bc;
}

// A ball has the axes of its bodies (tree.cpp); its columns are those of the child.
template <int D>
template <bool on_ground>
void TreeMotion<D>::move_ball(const Mount& mount, const State& s, const TreeBody<D>& p, TreeBody<D>& c) {
  if constexpr (D == 3) {
    Mat3 A = math::rotation_along(s.q.data() + mount.q);
    if (!on_ground) A = p.R.lazyProduct(Mat3(A));
    Eigen::Map<Mat3>{c.columns.data()} = A;
    turn_child(mount, A, c);
    carry_on<on_ground>(on_ground ? mount.from : rotated<3>(p.R, mount.from),
                        rotated<3>(A, Eigen::Map<const Vec3>(s.v.data() + mount.v)), p, c);
  }
}

// A hinge's column is the z axis of both.
template <int D>
template <bool on_ground>
void TreeMotion<D>::move_hinge(const Mount& mount, const State& s, const TreeBody<D>& p, TreeBody<D>& c) {
  const double angle = s.q[static_cast<std::size_t>(mount.q)], cosine = std::cos(angle),
               sine = std::sin(angle);
  const math::Mat<D> frame = parent_axes<on_ground>(mount, p);
  math::Mat<D> turned;
  turned.col(0) = cosine * frame.col(0) + sine * frame.col(1);
  turned.col(1) = cosine * frame.col(1) - sine * frame.col(0);
  Spin<D> axis = Spin<D>::Ones();
  if constexpr (D == 3) axis = turned.col(2) = frame.col(2);
  Eigen::Map<Spin<D>>{c.columns.data()} = axis;
  turn_child(mount, turned, c);
  carry_on<on_ground>(on_ground ? mount.from : rotated<D>(p.R, mount.from),
                      s.v[static_cast<std::size_t>(mount.v)] * axis, p, c);
}

template <int D>
template <int N>
void TreeMotion<D>::move_any(const Mount& mount, const State& s, const TreeBody<D>& p, TreeBody<D>& c,
                             CarriedRate<D>* rate) {
  const JointMotion<D, N> m = mount.joint->template motion<N>(s.q.data(), s.v.data());
  const math::Mat<D> frame = parent_axes(mount, p);
  if (c.turns)
    turn_child(mount, frame * m.R, c);
  else
    c.lever = mount.to;
  const math::Vec<D> r1 = p.R * mount.from + frame * m.p;
  if constexpr (N == 0) {
    carry_on(r1, Spin<D>::Zero(), p, c);
    if (rate != nullptr) rate->S_dot.resize(kTwist<D>, 0);
  } else {
    const math::Vec<N> v = Eigen::Map<const math::Vec<N>>(s.v.data() + mount.v);
    Eigen::Map<FixedColumns<D, kSpin<D>, N>> A(c.columns.data());
    for (int k = 0; k < N; ++k) A.col(k) = turned<D>(frame, m.A.col(k));
    carry_on(r1, A * v, p, c);
    // The columns turn in the parent's frame, and the joint slides in it.
    const Spin<D> spin_dot = turned<D>(frame, m.A_dot * v);
    c.beta.template head<D>() += turn<D>(spin_dot, c.lever);
    c.beta.template tail<kSpin<D>>() += spin_dot;
    if (c.slides) {
      Eigen::Map<FixedColumns<D, D, N>> L(c.columns.data() + kSpin<D> * N);
      L = frame * m.L;
      const math::Vec<D> slide = L * v;
      c.V.template head<D>() += slide;
      c.beta.template head<D>() += 2 * turn<D>(Spin<D>(p.V.template tail<kSpin<D>>()), slide);
    }
    if (rate != nullptr) columns_rate<N>(p, frame, m, c, *rate);
  }
}

// Ṡ: the joint's frame turns with the parent, the lever with the child.
template <int D>
template <int N>
void TreeMotion<D>::columns_rate(const TreeBody<D>& p, const math::Mat<D>& frame, const JointMotion<D, N>& m,
                                 const TreeBody<D>& c, CarriedRate<D>& rate) {
  const Spin<D> wp = p.V.template tail<kSpin<D>>(), wc = c.V.template tail<kSpin<D>>();
  rate.S_dot.resize(kTwist<D>, N);
  for (int k = 0; k < N; ++k) {
    const Spin<D> w = c.template A<N>().col(k);
    const Spin<D> w_dot = turn_spin<D>(wp, w) + turned<D>(frame, m.A_dot.col(k));
    rate.S_dot.col(k).template head<D>() =
        turn<D>(wp, frame * m.L.col(k)) + turn<D>(w_dot, c.lever) + turn<D>(w, turn<D>(wc, c.lever));
    rate.S_dot.col(k).template tail<kSpin<D>>() = w_dot;
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
      mount.parent == 0 ? move_ball<true>(mount, s, p, c) : move_ball<false>(mount, s, p, c);
    else if (mount.kind == TreeKind::revolute && !with_rates)
      mount.parent == 0 ? move_hinge<true>(mount, s, p, c) : move_hinge<false>(mount, s, p, c);
    else
      with_velocities<D>(c.velocities, [&](auto n) { move_any<n>(mount, s, p, c, rate); });
    if (rate != nullptr) rate->arm_dot = c.V.template head<D>() - p.V.template head<D>();
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
double TreeMotion<D>::fall(const math::Vec<D>& gravity, std::span<double> Q) const {
  double potential = 0;
  for (auto at = mounts_.rbegin(); at != mounts_.rend(); ++at) {
    const TreeBody<D>& c = body(at->child);
    const Twist<D>& carried = twist(at->child);
    const math::Vec<D> f = carried.template head<D>() + c.mass * (gravity - c.beta.template head<D>());
    Spin<D> m = carried.template tail<kSpin<D>>() - c.J * c.beta.template tail<kSpin<D>>();
    if constexpr (D == 3) {
      const Vec3 w = c.V.template tail<3>(), Jw = rotated<3>(c.J, w);
      m -= w.cross(Jw);
    }
    c.set_force(f, m, Q.data() + at->v);
    potential -= c.mass * gravity.dot(c.c);
    if (at->parent == 0) continue;
    Twist<D>& F = twist(at->parent);
    F.template head<D>() += f;
    F.template tail<kSpin<D>>() += moment<D>(c.arm, f);
    if (c.turns) F.template tail<kSpin<D>>() += m;
  }
  return potential;
}

template class TreeMotion<2>;
template class TreeMotion<3>;

}  // namespace trammel::system
