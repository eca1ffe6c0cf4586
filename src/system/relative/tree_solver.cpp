#include "system/relative/tree_solver.h"

#include <algorithm>
#include <cmath>

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A pivot this much smaller than the inertia that it came from has lost all its digits.
constexpr double kNoMass = 1e-13;

}  // namespace

template <int D>
TreeSolver<D>::TreeSolver(const RelativeSystem<D>& system)
    : system_(system), nodes_(system.tree_.carrier.size()) {
  stiffness_ = targets(system.bodies_.stiffness());
  damping_ = targets(system.bodies_.damping());
  const auto wide = static_cast<Eigen::Index>(N * far_.size());
  Z_.resize(system.sizes().v, wide);
  far_velocity_.resize(wide);
}

template <int D>
std::vector<typename TreeSolver<D>::Target> TreeSolver<D>::targets(const EntryPattern& pattern) {
  const auto parent = [&](int b) { return system_.tree_.joints[at(system_.tree_.carrier[at(b)])].parent; };
  std::vector<Target> list;
  for (std::size_t k = 0; k < pattern.row.size(); ++k) {
    const int r = system_.body_of_column_[at(pattern.row[k])],
              c = system_.body_of_column_[at(pattern.column[k])];
    Target target{Target::Kind::own, r, pattern.row[k] - system_.bodies_.body_columns(r).first,
                  pattern.column[k] - system_.bodies_.body_columns(c).first};
    if (r == c) {
    } else if (parent(r) == c) {
      target.kind = Target::Kind::from_carrier;  // B: its carrier's motion acts on it
    } else if (parent(c) == r) {
      target.kind = Target::Kind::to_carrier;  // E: its motion acts on its carrier
      target.body = c;
    } else {
      target.kind = Target::Kind::far;
      const auto known = std::find_if(far_.begin(), far_.end(), [&](const FarPair& pair) {
        return pair.row_body == r && pair.column_body == c;
      });
      target.body = static_cast<int>(known - far_.begin());
      if (known == far_.end()) far_.push_back({r, c, Block::Zero()});
    }
    list.push_back(target);
  }
  return list;
}

template <int D>
void TreeSolver<D>::add(const std::vector<Target>& to, const std::vector<double>& values, double factor) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Target& t = to[k];
    Node* node = t.kind == Target::Kind::far ? nullptr : &nodes_[at(t.body)];
    Block& block = t.kind == Target::Kind::own            ? node->A
                   : t.kind == Target::Kind::from_carrier ? node->B
                   : t.kind == Target::Kind::to_carrier   ? node->E
                                                          : far_[at(t.body)].G;
    block(t.row, t.column) += factor * values[k];
  }
}

// Reference coordinates have spins in the body's axes: T_world = (1, R_r) T (1, R_c)ᵀ
template <int D>
void TreeSolver<D>::to_world(const TreeMotion<D>& tree, Block& block, int row_body, int column_body) {
  if constexpr (D == 3) {
    const Mat3 &Rr = tree.body(row_body).R, &Rc = tree.body(column_body).R;
    block.template bottomRows<3>() = Rr * Eigen::Matrix<double, 3, 6>(block.template bottomRows<3>());
    block.template rightCols<3>() =
        Eigen::Matrix<double, 6, 3>(block.template rightCols<3>()) * Rc.transpose();
  }
}

template <int D>
bool TreeSolver<D>::factor(const Terms& terms, double damping_factor, double stiffness_factor) {
  const TreeMotion<D>& tree = RelativeSystem<D>::tree_of(terms);
  const Terms& inner = terms.inner.front();
  const bool forces = damping_factor != 0 || stiffness_factor != 0;
  for (Node& node : nodes_) node.A.setZero();
  if (forces) {
    for (Node& node : nodes_) {
      node.B.setZero();
      node.E.setZero();
    }
    for (FarPair& pair : far_) pair.G.setZero();
    add(stiffness_, inner.K, stiffness_factor);
    add(damping_, inner.C, damping_factor);
    for (const TreeJoint<D>& joint : system_.tree_.joints) {
      Node& node = nodes_[at(joint.child)];
      to_world(tree, node.A, joint.child, joint.child);
      if (joint.parent == 0) continue;
      to_world(tree, node.B, joint.child, joint.parent);
      to_world(tree, node.E, joint.parent, joint.child);
    }
    for (FarPair& pair : far_) to_world(tree, pair.G, pair.row_body, pair.column_body);
  }
  forces_ = forces;
  return eliminate(tree) && (!forces || far_.empty() || factor_far(tree));
}

template <int D>
bool TreeSolver<D>::eliminate(const TreeMotion<D>& tree) {
  const auto& joints = system_.tree_.joints;
  for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
    const TreeBody<D>& body = tree.body(joint->child);
    Node& node = nodes_[at(joint->child)];
    node.link = body;
    node.A += body.inertia;
    const Block X = node.link.X();
    Block G = node.A * X;
    if (forces_) G += node.B;
    const int n = joint->velocities();
    if (n > 0) {
      node.P = node.A * body.S;
      const Few pivot = body.S.transpose() * node.P;
      node.H = body.S.transpose() * G;
      if (!invert(pivot, node.D_inverse)) return false;
      node.DH = node.D_inverse * node.H;
    }
    if (joint->parent == 0) continue;
    Node& carrier = nodes_[at(joint->parent)];
    Block felt = G;
    if (n > 0) felt -= node.P * node.DH;
    carrier.A += X.transpose() * felt;
    if (!forces_) continue;
    Block moved = X;
    if (n > 0) moved -= body.S * node.DH;
    carrier.A += node.E * moved;
  }
  return true;
}

template <int D>
bool TreeSolver<D>::invert(const Few& pivot, Few& inverse) {
  const double size = pivot.diagonal().cwiseAbs().maxCoeff();
  if (!(size > 0) || !std::isfinite(size)) return false;
  if (pivot.rows() == 1) {
    inverse = pivot.cwiseInverse();
    return true;
  }
  const Eigen::PartialPivLU<Few> lu(pivot);
  // Freedoms in metres and radians stand side by side: each pivot is held against its own row.
  const auto& order = lu.permutationP().indices();
  for (Eigen::Index i = 0; i < pivot.rows(); ++i)
    if (!(std::abs(lu.matrixLU()(order[i], order[i])) > kNoMass * pivot.row(i).cwiseAbs().maxCoeff()))
      return false;
  inverse = lu.inverse();
  return true;
}

template <int D>
void TreeSolver<D>::solve_tree(std::span<double> x) {
  const auto& joints = system_.tree_.joints;
  for (Node& node : nodes_) node.h.setZero();
  for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
    Node& node = nodes_[at(joint->child)];
    Twist<D> F = node.h, moved = Twist<D>::Zero();
    if (const int n = joint->velocities(); n > 0) {
      Eigen::Map<Eigen::VectorXd> w(x.data() + joint->v, n);
      const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, N, 1> rest = w - node.link.S.transpose() * node.h;
      w.noalias() = node.D_inverse * rest;
      F += node.P * w;
      moved = node.link.S * w;
    }
    if (joint->parent == 0) continue;
    Node& carrier = nodes_[at(joint->parent)];
    carrier.h += node.link.pass_on(F);
    if (forces_) carrier.h += node.E * moved;
  }
  nodes_[0].V.setZero();
  for (const TreeJoint<D>& joint : joints) {
    Node& node = nodes_[at(joint.child)];
    const Twist<D>& V = nodes_[at(joint.parent)].V;
    node.V = node.link.carry(V);
    if (const int n = joint.velocities(); n > 0) {
      Eigen::Map<Eigen::VectorXd> w(x.data() + joint.v, n);
      if (joint.parent != 0) w -= node.DH * V;
      node.V += node.link.S * w;
    }
  }
}

// T = T₀ + Σ R_aᵀ G R_b: x = x₀ − Z (1 + R_b Z)⁻¹ R_b x₀ with Z = T₀⁻¹R_aᵀG.
template <int D>
bool TreeSolver<D>::factor_far(const TreeMotion<D>& tree) {
  const auto wide = Z_.cols();
  Z_.setZero();
  Eigen::MatrixXd capacitance = Eigen::MatrixXd::Identity(wide, wide);
  for (std::size_t k = 0; k < far_.size(); ++k)
    for (int i = 0; i < N; ++i) {
      const auto column = static_cast<Eigen::Index>(k * N) + i;
      for (int b = 0; b < static_cast<int>(nodes_.size()); ++b) tree.twist(b).setZero();
      tree.twist(far_[k].row_body) = far_[k].G.col(i);
      const std::span<double> z(Z_.col(column).data(), static_cast<std::size_t>(Z_.rows()));
      tree.inwards(1, z);
      solve_tree(z);
      read_far(capacitance.col(column));
    }
  capacitance_.compute(capacitance);
  return std::isfinite(capacitance.sum());
}

template <int D>
template <class Column>
void TreeSolver<D>::read_far(Column&& to) const {
  for (std::size_t k = 0; k < far_.size(); ++k)
    to.template segment<N>(static_cast<Eigen::Index>(k * N)) += nodes_[at(far_[k].column_body)].V;
}

template <int D>
void TreeSolver<D>::solve(std::span<double> x) {
  solve_tree(x);
  if (!forces_ || far_.empty()) return;
  far_velocity_.setZero();
  read_far(far_velocity_);
  far_force_ = capacitance_.solve(far_velocity_);
  Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())).noalias() -= Z_ * far_force_;
}

template class TreeSolver<2>;
template class TreeSolver<3>;

}  // namespace trammel
