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
void TreeMotion<D>::move_body(const TreeJoint<D>& joint, const State& s, bool with_rates) {
  const TreeBody<D>& p = bodies_[static_cast<std::size_t>(joint.parent)];
  const auto b = static_cast<std::size_t>(joint.child);
  TreeBody<D>& c = bodies_[b];
  const JointMotion<D> m = joint.motion(s.q.data(), s.v.data());
  const auto axes = [](const Frame& f) { return Mat<D>(f.axes.template topLeftCorner<D, D>()); };
  const int n = joint.velocities();
  const Eigen::Map<const Eigen::VectorXd> v(s.v.data() + joint.v, n);

  // Place: the joint's frame on the parent, then the child's in it.
  const Mat<D> frame = p.R * axes(joint.parent_frame);
  const Vec<D> r1 =
      p.R * (narrow<D>(joint.parent_frame.at) - (*com_)[static_cast<std::size_t>(joint.parent)]) +
      frame * m.p;  // from the parent's centre of mass to the child's frame
  c.R = joint.turns ? Mat<D>(frame * m.R * axes(joint.child_frame).transpose()) : Mat<D>(Mat<D>::Identity());
  const Vec<D> r2 = c.R * ((*com_)[b] - narrow<D>(joint.child_frame.at));
  c.arm = r1 + r2;
  c.c = p.c + c.arm;

  // Columns: ω = R A v, velocity of the centre of mass R L v + ω × r₂
  c.S.resize(kTwist<D>, n);
  for (int k = 0; k < n; ++k) {
    const Spin<D> w = turned<D>(frame, m.A.col(k));
    c.S.col(k).template head<D>() = frame * m.L.col(k) + turn<D>(w, r2);
    c.S.col(k).template tail<kSpin<D>>() = w;
  }
  c.V = c.carry(p.V) + c.S * v;
  if (with_rates) move_columns(p, frame, r2, m, c);

  // Accelerations that remain while v is held.
  const Spin<D> wp = p.V.template tail<kSpin<D>>(), wc = c.V.template tail<kSpin<D>>();
  const Spin<D> own = turned<D>(frame, m.A * v);
  const Vec<D> slide = frame * (m.L * v);
  const Spin<D> turning_p = p.beta.template tail<kSpin<D>>();
  Spin<D> turning = Spin<D>::Zero();
  if (joint.turns) turning = turning_p + turn_spin<D>(wp, own) + turned<D>(frame, m.A_dot * v);
  c.beta.template head<D>() = p.beta.template head<D>() + turn<D>(turning_p, r1) +
                              turn<D>(wp, turn<D>(wp, r1)) + 2 * turn<D>(wp, slide) + turn<D>(turning, r2) +
                              turn<D>(wc, turn<D>(wc, r2));
  c.beta.template tail<kSpin<D>>() = turning;

  c.inertia = (*inertia_)[b];
  if constexpr (D == 3) {
    const Mat3 J = c.inertia.template bottomRightCorner<3, 3>();
    c.inertia.template bottomRightCorner<3, 3>() = c.R * J * c.R.transpose();
  }
}

// Ṡ: the joint's frame turns with the parent, the arm of the child with the child.
template <int D>
void TreeMotion<D>::move_columns(const TreeBody<D>& p, const Mat<D>& frame, const Vec<D>& r2,
                                 const JointMotion<D>& m, TreeBody<D>& c) const {
  const Spin<D> wp = p.V.template tail<kSpin<D>>(), wc = c.V.template tail<kSpin<D>>();
  c.arm_dot = c.V.template head<D>() - p.V.template head<D>();
  c.S_dot.resize(kTwist<D>, c.S.cols());
  for (Eigen::Index k = 0; k < c.S.cols(); ++k) {
    const Spin<D> w = c.S.col(k).template tail<kSpin<D>>();
    const Spin<D> w_dot = turn_spin<D>(wp, w) + turned<D>(frame, m.A_dot.col(k));
    c.S_dot.col(k).template head<D>() =
        turn<D>(wp, frame * m.L.col(k)) + turn<D>(w_dot, r2) + turn<D>(w, turn<D>(wc, r2));
    c.S_dot.col(k).template tail<kSpin<D>>() = w_dot;
  }
}

template <int D>
void TreeMotion<D>::move(const State& s, bool with_rates) {
  for (const TreeJoint<D>& joint : tree_->joints) move_body(joint, s, with_rates);
}

template <int D>
void TreeMotion<D>::outwards(std::span<const double> v) const {
  twists_[0].setZero();
  for (const TreeJoint<D>& joint : tree_->joints) {
    const TreeBody<D>& c = body(joint.child);
    twist(joint.child) = c.carry(twist(joint.parent)) +
                         c.S * Eigen::Map<const Eigen::VectorXd>(v.data() + joint.v, joint.velocities());
  }
}

template <int D>
void TreeMotion<D>::inwards(double factor, std::span<double> Q) const {
  for (auto at = tree_->joints.rbegin(); at != tree_->joints.rend(); ++at) {
    const TreeBody<D>& c = body(at->child);
    const Twist<D>& F = twist(at->child);
    Eigen::Map<Eigen::VectorXd>(Q.data() + at->v, at->velocities()) += factor * (c.S.transpose() * F);
    twist(at->parent) += c.pass_on(F);
  }
}

template <int D>
void TreeMotion<D>::inwards_rate(std::span<double> Q) const {
  for (auto at = tree_->joints.rbegin(); at != tree_->joints.rend(); ++at) {
    const TreeBody<D>& c = body(at->child);
    const Twist<D>&F = twist(at->child), &F_dot = rate(at->child);
    Eigen::Map<Eigen::VectorXd>(Q.data() + at->v, at->velocities()) +=
        c.S_dot.transpose() * F + c.S.transpose() * F_dot;
    rate(at->parent) += c.pass_on(F_dot) + c.pass_on_rate(F);
    twist(at->parent) += c.pass_on(F);
  }
}

template class TreeMotion<2>;
template class TreeMotion<3>;

}  // namespace trammel
