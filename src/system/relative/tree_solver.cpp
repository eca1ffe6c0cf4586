#include "system/relative/tree_solver.h"

#include <algorithm>
#include <cmath>

#include "math/index.h"
#include "system/relative/invert_symmetric.h"

namespace trammel::system {
namespace {

using math::at;

// Up to six freedoms of a joint; one type for all of them, since a factorization takes seconds to compile.
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

// By pivots from the rows, since forces make it unsymmetric.
bool invert(Small& D) {
  const double size = D.diagonal().cwiseAbs().maxCoeff();
  if (!(size > 0) || !std::isfinite(size)) return false;
  const Eigen::Index n = D.rows();
  if (n == 1) {
    D(0, 0) = 1 / D(0, 0);
    return true;
  }
  const Eigen::PartialPivLU<Small> lu(D);
  // Freedoms in metres and radians stand side by side: each pivot is held against its own row.
  const auto& order = lu.permutationP().indices();
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(std::abs(lu.matrixLU()(order[i], order[i])) > kNoMass * D.row(i).cwiseAbs().maxCoeff()))
      return false;
  D = lu.inverse();
  return true;
}

}  // namespace

template <int D>
TreeSolver<D>::TreeSolver(const RelativeSystem<D>& system)
    : system_(system),
      masses_(system.tree_),
      pair_of_(system.tree_.carrier.size(), -1),
      stiffness_(targets(system.bodies_.stiffness())),
      damping_(targets(system.bodies_.damping())) {
  if (stiffness_.empty()) return;
  const std::size_t bodies = system.tree_.carrier.size();
  A_.assign(bodies, Block::Zero());
  h_.assign(bodies, Twist<D>::Zero());
  V_ = h_;
  int size = 0;
  for (const TreeJoint<D>& joint : system.tree_.joints) {
    const int n = joint.velocities();
    links_.push_back({joint.parent, joint.child, joint.v, n, joint.turns, pair_of_[at(joint.child)], size,
                      joint.armature});
    size += 3 * N * n + n * n;
  }
  kept_.assign(at(size), 0.0);
  const auto wide = static_cast<Eigen::Index>(N * far_.size());
  Z_.resize(system.sizes().v, wide);
  far_matrix_.resize(wide, wide);
  far_velocity_.resize(wide);
}

template <int D>
std::vector<typename TreeSolver<D>::Target> TreeSolver<D>::targets(const EntryPattern& pattern) {
  const auto parent = [&](int b) { return system_.tree_.joints[at(system_.tree_.carrier[at(b)])].parent; };
  std::vector<Target> list;
  list.reserve(pattern.row.size());
  for (std::size_t k = 0; k < pattern.row.size(); ++k) {
    const int r = system_.body_of_column_[at(pattern.row[k])],
              c = system_.body_of_column_[at(pattern.column[k])];
    const auto within = [&](int column, int body) {
      return static_cast<std::uint8_t>(column - system_.bodies_.body_columns(body).first);
    };
    Target target{Target::Kind::own, within(pattern.row[k], r), within(pattern.column[k], c), r};
    if (r == c) {
    } else if (parent(r) == c) {
      target.kind = Target::Kind::from_carrier;  // B: its carrier's motion acts on it
      target.block = pair_with_carrier(r);
    } else if (parent(c) == r) {
      target.kind = Target::Kind::to_carrier;  // E: its motion acts on its carrier
      target.block = pair_with_carrier(c);
    } else {
      target.kind = Target::Kind::far;
      const auto known = std::find_if(far_.begin(), far_.end(), [&](const FarPair& pair) {
        return pair.row_body == r && pair.column_body == c;
      });
      target.block = static_cast<int>(known - far_.begin());
      if (known == far_.end()) far_.push_back({r, c, Block::Zero()});
    }
    list.push_back(target);
  }
  return list;
}

template <int D>
int TreeSolver<D>::pair_with_carrier(int body) {
  int& pair = pair_of_[at(body)];
  if (pair < 0) {
    pair = static_cast<int>(neighbours_.size());
    neighbours_.emplace_back();
  }
  return pair;
}

template <int D>
void TreeSolver<D>::add(const std::vector<Target>& to, const std::vector<double>& values, double factor) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Target& t = to[k];
    Block& block = t.kind == Target::Kind::own            ? A_[at(t.block)]
                   : t.kind == Target::Kind::from_carrier ? neighbours_[at(t.block)].B
                   : t.kind == Target::Kind::to_carrier   ? neighbours_[at(t.block)].E
                                                          : far_[at(t.block)].G;
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
Twist<D> TreeSolver<D>::carry(const Link& link, const Twist<D>& V) {
  Twist<D> moved = Twist<D>::Zero();
  const Spin<D> w = V.template tail<kSpin<D>>();
  moved.template head<D>() = V.template head<D>() + turn<D>(w, link.arm);
  if (link.turns) moved.template tail<kSpin<D>>() = w;
  return moved;
}

template <int D>
Twist<D> TreeSolver<D>::pass_on(const Link& link, const Twist<D>& F) {
  Twist<D> moved = F;
  if (!link.turns) moved.template tail<kSpin<D>>().setZero();
  moved.template tail<kSpin<D>>() += moment<D>(link.arm, F.template head<D>());
  return moved;
}

template <int D>
void TreeSolver<D>::add_forces(const Terms& terms, double damping_factor, double stiffness_factor) {
  const TreeMotion<D>& tree = RelativeSystem<D>::tree_of(terms);
  const Terms& inner = terms.inner.front();
  for (Neighbours& pair : neighbours_) pair = {};
  for (FarPair& pair : far_) pair.G.setZero();
  add(stiffness_, inner.K, stiffness_factor);
  add(damping_, inner.C, damping_factor);
  for (const Link& link : links_) {
    to_world(tree, A_[at(link.child)], link.child, link.child);
    if (link.parent == 0 || link.pair < 0) continue;
    to_world(tree, neighbours_[at(link.pair)].B, link.child, link.parent);
    to_world(tree, neighbours_[at(link.pair)].E, link.parent, link.child);
  }
  for (FarPair& pair : far_) to_world(tree, pair.G, pair.row_body, pair.column_body);
}

template <int D>
bool TreeSolver<D>::factor(const Terms& terms, double damping_factor, double stiffness_factor) {
  const TreeMotion<D>& tree = RelativeSystem<D>::tree_of(terms);
  forces_ = !stiffness_.empty() && (damping_factor != 0 || stiffness_factor != 0);
  if (!forces_) return masses_.factor(tree) && factor_loops(terms);
  for (Block& A : A_) A.setZero();
  add_forces(terms, damping_factor, stiffness_factor);
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    const TreeBody<D>& body = tree.body(link->child);
    if (!with_velocities<D>(link->velocities, [&](auto n) { return eliminate<n>(*link, body); }))
      return false;
  }
  return (far_.empty() || factor_far(tree)) && factor_loops(terms);
}

template <int D>
template <int n>
bool TreeSolver<D>::eliminate(Link& link, const TreeBody<D>& body) {
  Block& A = A_[at(link.child)];
  const Neighbours* pair = link.pair < 0 ? nullptr : &neighbours_[at(link.pair)];
  body.add_inertia(A);
  link.arm = body.arm;
  const Block X = body.X();
  // X is one but for what a turn of the carrier does.
  const Eigen::Matrix<double, D, kSpin<D>> swing = X.template topRightCorner<D, kSpin<D>>();
  Block felt = A;
  if (!body.turns) felt.template rightCols<kSpin<D>>().setZero();
  felt.template rightCols<kSpin<D>>().noalias() += A.template leftCols<D>() * swing;
  if (pair) felt += pair->B;
  if constexpr (n > 0) {
    Kept<n> k = kept<n>(link);
    k.S = body.template S<n>();
    k.P.noalias() = A * k.S;
    Small pivot = k.S.transpose() * k.P;
    pivot(0, 0) += link.armature;
    if (!invert(pivot)) return false;
    k.D_inverse = pivot;
    k.DHt.noalias() = (felt.transpose() * k.S) * k.D_inverse.transpose();
    felt.noalias() -= k.P * k.DHt.transpose();
    if (pair && link.parent != 0) A_[at(link.parent)].noalias() -= pair->E * (k.S * k.DHt.transpose());
  }
  if (link.parent == 0) return true;
  Block& carrier = A_[at(link.parent)];
  carrier.template topRows<D>() += felt.template topRows<D>();
  if (body.turns) carrier.template bottomRows<kSpin<D>>() += felt.template bottomRows<kSpin<D>>();
  carrier.template bottomRows<kSpin<D>>().noalias() += swing.transpose() * felt.template topRows<D>();
  if (pair) carrier.noalias() += pair->E * X;
  return true;
}

template <int D>
template <int n>
void TreeSolver<D>::solve_inwards(const Link& link, double* x) {
  Twist<D> F = h_[at(link.child)], moved = Twist<D>::Zero();
  if constexpr (n > 0) {
    const Kept<n> k = kept<n>(link);
    Eigen::Map<math::Vec<n>> w(x + link.v);
    const math::Vec<n> rest = w - k.S.transpose() * F;
    w.noalias() = k.D_inverse * rest;
    F.noalias() += k.P * w;
    moved.noalias() = k.S * w;
  }
  if (link.parent == 0) return;
  Twist<D>& carrier = h_[at(link.parent)];
  carrier += pass_on(link, F);
  if (link.pair >= 0) carrier.noalias() += neighbours_[at(link.pair)].E * moved;
}

template <int D>
template <int n>
void TreeSolver<D>::solve_outwards(const Link& link, double* x) {
  const Twist<D>& carrier = V_[at(link.parent)];
  Twist<D>& V = V_[at(link.child)];
  V = carry(link, carrier);
  if constexpr (n > 0) {
    const Kept<n> k = kept<n>(link);
    Eigen::Map<math::Vec<n>> w(x + link.v);
    if (link.parent != 0) w.noalias() -= k.DHt.transpose() * carrier;
    V.noalias() += k.S * w;
  }
}

template <int D>
void TreeSolver<D>::solve_tree(std::span<double> x) {
  for (Twist<D>& h : h_) h.setZero();
  for (auto link = links_.rbegin(); link != links_.rend(); ++link)
    with_velocities<D>(link->velocities, [&](auto n) { solve_inwards<n>(*link, x.data()); });
  V_[0].setZero();
  for (const Link& link : links_)
    with_velocities<D>(link.velocities, [&](auto n) { solve_outwards<n>(link, x.data()); });
}

// T = T₀ + Σ R_aᵀ G R_b: x = x₀ − Z (1 + R_b Z)⁻¹ R_b x₀ with Z = T₀⁻¹R_aᵀG.
template <int D>
bool TreeSolver<D>::factor_far(const TreeMotion<D>& tree) {
  Z_.setZero();
  far_matrix_.setIdentity();
  for (std::size_t k = 0; k < far_.size(); ++k)
    for (int i = 0; i < N; ++i) {
      const auto column = static_cast<Eigen::Index>(k * N) + i;
      for (int b = 0; b < static_cast<int>(A_.size()); ++b) tree.twist(b).setZero();
      tree.twist(far_[k].row_body) = far_[k].G.col(i);
      const std::span<double> z(Z_.col(column).data(), static_cast<std::size_t>(Z_.rows()));
      tree.inwards(1, z);
      solve_tree(z);
      read_far(far_matrix_.col(column));
    }
  capacitance_.compute(far_matrix_);
  return std::isfinite(far_matrix_.sum());
}

template <int D>
template <class Column>
void TreeSolver<D>::read_far(Column&& to) const {
  for (std::size_t k = 0; k < far_.size(); ++k)
    to.template segment<N>(static_cast<Eigen::Index>(k * N)) += V_[at(far_[k].column_body)];
}

// T = T₀ + Σ a G Gᵀ over the armatures of joints that close loops:
// x = x₀ − Z (1/a + GᵀZ)⁻¹ Gᵀx₀ with Z = T₀⁻¹G.
template <int D>
bool TreeSolver<D>::factor_loops(const Terms& terms) {
  const auto loops = static_cast<Eigen::Index>(system_.loop_armatures_.size());
  if (loops == 0) return true;
  loop_rows_ = Eigen::Map<const Eigen::MatrixXd>(terms.map.data(), system_.sizes().v, loops);
  loop_solved_ = loop_rows_;
  for (Eigen::Index k = 0; k < loops; ++k)
    solve_without_loops({loop_solved_.col(k).data(), static_cast<std::size_t>(loop_solved_.rows())});
  Eigen::MatrixXd matrix = loop_rows_.transpose() * loop_solved_;
  for (Eigen::Index k = 0; k < loops; ++k)
    matrix(k, k) +=
        1 /
        system_.bodies_.elements().armatures()[system_.loop_armatures_[static_cast<std::size_t>(k)]].inertia;
  loop_matrix_.compute(matrix);
  return std::isfinite(matrix.sum());
}

template <int D>
void TreeSolver<D>::solve(std::span<double> x) {
  solve_without_loops(x);
  if (system_.loop_armatures_.empty()) return;
  Eigen::Map<Eigen::VectorXd> all(x.data(), static_cast<Eigen::Index>(x.size()));
  const Eigen::VectorXd rates = loop_rows_.transpose() * all;
  all.noalias() -= loop_solved_ * loop_matrix_.solve(rates);
}

template <int D>
void TreeSolver<D>::solve_without_loops(std::span<double> x) {
  if (!forces_) return masses_.solve(x);
  solve_tree(x);
  if (far_.empty()) return;
  far_velocity_.setZero();
  read_far(far_velocity_);
  far_force_ = capacitance_.solve(far_velocity_);
  Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())).noalias() -= Z_ * far_force_;
}

template class TreeSolver<2>;
template class TreeSolver<3>;

}  // namespace trammel::system
