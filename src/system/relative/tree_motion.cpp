#include "system/relative/tree_motion.h"

namespace trammel {

template <int D>
TreeMotion<D>::TreeMotion(const Tree<D>& tree, const std::vector<Vec<D>>& com,
                          const std::vector<Mat<kTwist<D>>>& inertia)
    : tree_(&tree),
      com_(&com),
      inertia_(&inertia),
      bodies_(tree.carrier.size()),
      twists_(tree.carrier.size(), Twist<D>::Zero()),
      rates_(twists_) {
  for (const TreeJoint<D>& joint : tree.joints)
    bodies_[static_cast<std::size_t>(joint.child)].turns = joint.turns;
}

template <int D>
template <int N>
void TreeMotion<D>::move_body(const TreeJoint<D>& joint, const State& s, bool with_rates) {
  const TreeBody<D>& p = bodies_[static_cast<std::size_t>(joint.parent)];
  const auto b = static_cast<std::size_t>(joint.child);
  TreeBody<D>& c = bodies_[b];
  const JointMotion<D, N> m = joint.template motion<N>(s.q.data(), s.v.data());
  const auto axes = [](const Frame& f) { return f.axes.template topLeftCorner<D, D>(); };
  const Vec<N> v = Eigen::Map<const Vec<N>>(s.v.data() + joint.v);

  // Place: the joint's frame on the parent, then the child's in it.
  const Mat<D> frame = p.R * axes(joint.parent_frame);
  const Vec<D> from = narrow<D>(joint.parent_frame.at) - (*com_)[static_cast<std::size_t>(joint.parent)];
  const Vec<D> r1 = p.R * from + frame * m.p;  // from the parent's centre of mass to the child's frame
  const Mat<D> turned_frame = frame * m.R;
  c.R.setIdentity();
  if (joint.turns) c.R.noalias() = turned_frame * axes(joint.child_frame).transpose();
  const Vec<D> r2 = c.R * ((*com_)[b] - narrow<D>(joint.child_frame.at));
  c.arm = r1 + r2;
  c.c = p.c + c.arm;

  // Columns: ω = R A v, velocity of the centre of mass R L v + ω × r₂
  c.S.resize(kTwist<D>, N);
  c.V = c.carry(p.V);
  if constexpr (N > 0) {
    Eigen::Map<Eigen::Matrix<double, kTwist<D>, N>> S(c.S.data());
    for (int k = 0; k < N; ++k) {
      const Spin<D> w = turned<D>(frame, m.A.col(k));
      S.col(k).template head<D>() = frame * m.L.col(k) + turn<D>(w, r2);
      S.col(k).template tail<kSpin<D>>() = w;
    }
    c.V.noalias() += S * v;
  }
  if (with_rates) move_columns<N>(p, frame, r2, m, c, carried_rates_[b]);

  // Accelerations that remain while v is held.
  const Spin<D> wp = p.V.template tail<kSpin<D>>(), wc = c.V.template tail<kSpin<D>>();
  Spin<D> own = Spin<D>::Zero(), own_dot = Spin<D>::Zero();
  Vec<D> slide = Vec<D>::Zero();
  if constexpr (N > 0) {
    own = turned<D>(frame, m.A * v);
    own_dot = turned<D>(frame, m.A_dot * v);
    slide = frame * (m.L * v);
  }
  const Spin<D> turning_p = p.beta.template tail<kSpin<D>>();
  Spin<D> turning = Spin<D>::Zero();
  if (joint.turns) turning = turning_p + turn_spin<D>(wp, own) + own_dot;
  c.beta.template head<D>() = p.beta.template head<D>() + turn<D>(turning_p, r1) +
                              turn<D>(wp, turn<D>(wp, r1)) + 2 * turn<D>(wp, slide) + turn<D>(turning, r2) +
                              turn<D>(wc, turn<D>(wc, r2));
  c.beta.template tail<kSpin<D>>() = turning;

  const Mat<kTwist<D>>& inertia = (*inertia_)[b];
  c.mass = inertia(0, 0);
  c.J = inertia.template bottomRightCorner<kSpin<D>, kSpin<D>>();
  if constexpr (D == 3) {
    const Mat3 J = c.R * Mat3(c.J * c.R.transpose());
    c.J = 0.5 * (J + J.transpose());
  }
}

// Ṡ: the joint's frame turns with the parent, the arm of the child with the child.
template <int D>
template <int N>
void TreeMotion<D>::move_columns(const TreeBody<D>& p, const Mat<D>& frame, const Vec<D>& r2,
                                 const JointMotion<D, N>& m, const TreeBody<D>& c,
                                 CarriedRate<D>& rate) const {
  const Spin<D> wp = p.V.template tail<kSpin<D>>(), wc = c.V.template tail<kSpin<D>>();
  rate.arm_dot = c.V.template head<D>() - p.V.template head<D>();
  rate.S_dot.resize(kTwist<D>, N);
  if constexpr (N > 0)
    for (int k = 0; k < N; ++k) {
      const Spin<D> w = c.S.col(k).template tail<kSpin<D>>();
      const Spin<D> w_dot = turn_spin<D>(wp, w) + turned<D>(frame, m.A_dot.col(k));
      rate.S_dot.col(k).template head<D>() =
          turn<D>(wp, frame * m.L.col(k)) + turn<D>(w_dot, r2) + turn<D>(w, turn<D>(wc, r2));
      rate.S_dot.col(k).template tail<kSpin<D>>() = w_dot;
    }
}

template <int D>
void TreeMotion<D>::move(const State& s, bool with_rates) {
  if (with_rates) carried_rates_.resize(bodies_.size());
  for (const TreeJoint<D>& joint : tree_->joints)
    with_velocities<D>(joint.velocities(), [&](auto n) { move_body<n>(joint, s, with_rates); });
}

template <int D>
void TreeMotion<D>::outwards(std::span<const double> v, std::vector<Twist<D>>& to) const {
  to[0].setZero();
  for (const TreeJoint<D>& joint : tree_->joints) {
    const TreeBody<D>& c = body(joint.child);
    Twist<D>& V = to[static_cast<std::size_t>(joint.child)];
    V = c.carry(to[static_cast<std::size_t>(joint.parent)]);
    for (int k = 0; k < joint.velocities(); ++k) V += v[static_cast<std::size_t>(joint.v + k)] * c.S.col(k);
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
  for (auto at = tree_->joints.rbegin(); at != tree_->joints.rend(); ++at) {
    const TreeBody<D>& c = body(at->child);
    const Twist<D>& F = twist(at->child);
    for (int k = 0; k < at->velocities(); ++k)
      Q[static_cast<std::size_t>(at->v + k)] += factor * c.S.col(k).dot(F);
    twist(at->parent) += c.pass_on(F);
  }
}

template <int D>
void TreeMotion<D>::inwards_rate(std::span<double> Q) const {
  for (auto at = tree_->joints.rbegin(); at != tree_->joints.rend(); ++at) {
    const TreeBody<D>& c = body(at->child);
    const Twist<D>&F = twist(at->child), &F_dot = rate(at->child);
    Eigen::Map<Eigen::VectorXd>(Q.data() + at->v, at->velocities()) +=
        carried_rate(at->child).S_dot.transpose() * F + c.S.transpose() * F_dot;
    rate(at->parent) += c.pass_on(F_dot) + carried_rate(at->child).pass_on(F);
    twist(at->parent) += c.pass_on(F);
  }
}

template class TreeMotion<2>;
template class TreeMotion<3>;

}  // namespace trammel
