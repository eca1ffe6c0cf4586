// TreeSolver: x from RᵀT R x = b, T = M + (damping) C + (stiffness) K by bodies, along the tree.
//
// From the tips inwards each body is replaced by what it feels like to the one that carries it: with
// V = X V_p + S x, F = A V + B V_p + h and what it does to its carrier besides, E V,
//
//   D = SᵀA S,   H = Sᵀ(A X + B),   x = D⁻¹(b − Sᵀh − H V_p)
//   A_p += Xᵀ(A X + B − A S D⁻¹H) + E(X − S D⁻¹H),   h_p += Xᵀ(h + A S w) + E S w,   w = D⁻¹(b − Sᵀh)
//
// which for B = E = 0 is the articulated inertia of Featherstone (1983). B and E hold what springs and
// dampers between a body and its carrier add to T. Pairs of bodies that are not neighbours enter by
// Woodbury's identity.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "system/recursive_solver.h"
#include "system/relative/relative_system.h"

namespace trammel {

template <int D>
class TreeSolver final : public RecursiveSolver {
 public:
  explicit TreeSolver(const RelativeSystem<D>& system);

  bool factor(const Terms& terms, double damping_factor, double stiffness_factor) override;
  void solve(std::span<double> x) override;

 private:
  static constexpr int N = kTwist<D>;
  using Block = Mat<N>;
  using Few = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, N, N>;
  struct Node {
    Block A = Block::Zero(), B = Block::Zero(), E = Block::Zero();
    Carried<D> link;          // of the state that was factored
    Few D_inverse, P, H, DH;  // P = A S, DH = D⁻¹H
    Twist<D> h = Twist<D>::Zero(), V = Twist<D>::Zero();
  };
  // Where an entry of the reference coordinates' K or C goes.
  struct Target {
    enum class Kind { own, to_carrier, from_carrier, far } kind;
    int body;         // own, to_carrier, from_carrier; far: which pair
    int row, column;  // of the block
  };
  struct FarPair {
    int row_body, column_body;
    Block G = Block::Zero();
  };

  std::vector<Target> targets(const EntryPattern& pattern);
  void add(const std::vector<Target>& to, const std::vector<double>& values, double factor);
  static void to_world(const TreeMotion<D>&, Block& block, int row_body, int column_body);
  static bool invert(const Few& pivot, Few& inverse);
  bool eliminate(const TreeMotion<D>&);
  void solve_tree(std::span<double> x);
  bool factor_far(const TreeMotion<D>&);
  template <class Column>
  void read_far(Column&& to) const;

  const RelativeSystem<D>& system_;
  bool forces_ = false;      // K or C is in the factor
  std::vector<Node> nodes_;  // by body
  std::vector<FarPair> far_;
  std::vector<Target> stiffness_, damping_;
  Eigen::MatrixXd Z_;  // T₀⁻¹ R_aᵀ G of each far pair, N columns each
  Eigen::PartialPivLU<Eigen::MatrixXd> capacitance_;
  Eigen::VectorXd far_velocity_, far_force_;
};

}  // namespace trammel
