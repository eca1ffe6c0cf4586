// TreeSolver: x from RᵀT R x = b, T = M + (damping) C + (stiffness) K by bodies, along the tree.
//
// From the tips inwards each body is replaced by what it feels like to the one that carries it: with
// V = X V_p + S x, F = A V + B V_p + h and what it does to its carrier besides, E V,
//
//   D = SᵀA S,   H = Sᵀ(A X + B),   x = D⁻¹(b − Sᵀh − H V_p)
//   A_p += Xᵀ(A X + B − A S D⁻¹H) + E(X − S D⁻¹H),   h_p += Xᵀ(h + A S w) + E S w,   w = D⁻¹(b − Sᵀh)
//
// B and E hold what springs and dampers between a body and its carrier add to T. Pairs of bodies that are not
// neighbours enter by Woodbury's identity, as do the rotors on joints that close loops; those of the tree add
// to D. Without K and C all is symmetric, which is cheaper
// (articulated_tree.h).
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "linalg/dense.h"
#include "system/recursive_solver.h"
#include "system/relative/articulated_tree.h"
#include "system/relative/relative_system.h"

namespace trammel::system {

template <int D>
class TreeSolver final : public RecursiveSolver {
 public:
  explicit TreeSolver(const RelativeSystem<D>& system);

  bool factor(const Terms& terms, double damping_factor, double stiffness_factor) override;
  void solve(std::span<double> x) override;

 private:
  static constexpr int N = kTwist<D>;
  using Block = math::Mat<N>;
  // One joint, and where it keeps S, P = A S, (D⁻¹H)ᵀ (N × n each) and D⁻¹ (n × n), of the state that was
  // factored: side by side, so that a long chain stays in the caches.
  struct Link {
    int parent, child, v, velocities;
    bool turns;
    int pair;  // with its carrier, in the list of neighbours; −1: nothing acts between them
    int kept;
    double armature;  // on its only velocity
    math::Vec<D> arm = math::Vec<D>::Zero();
  };
  template <int n>
  using Wide = Eigen::Map<Eigen::Matrix<double, N, n>>;
  template <int n>
  using Square = Eigen::Map<Eigen::Matrix<double, n, n>>;
  template <int n>
  struct Kept {
    explicit Kept(double* at) : S(at), P(at + N * n), DHt(at + 2 * N * n), D_inverse(at + 3 * N * n) {}
    Wide<n> S, P, DHt;
    Square<n> D_inverse;
  };
  template <int n>
  Kept<n> kept(const Link& link) {
    return Kept<n>(kept_.data() + link.kept);
  }
  struct Neighbours {
    Block B = Block::Zero(), E = Block::Zero();
  };
  // Where an entry of the reference coordinates' K or C goes.
  struct Target {
    enum class Kind : std::uint8_t { own, to_carrier, from_carrier, far } kind;
    std::uint8_t row, column;  // of the block
    int block;                 // which body, or which pair of neighbours or of far bodies
  };
  struct FarPair {
    int row_body, column_body;
    Block G = Block::Zero();
  };

  std::vector<Target> targets(const EntryPattern& pattern);
  int pair_with_carrier(int body);
  void add(const std::vector<Target>& to, const std::vector<double>& values, double factor);
  void add_forces(const Terms& terms, double damping_factor, double stiffness_factor);
  static void to_world(const TreeMotion<D>&, Block& block, int row_body, int column_body);
  template <int n>
  bool eliminate(Link& link, const TreeBody<D>& body);
  template <int n>
  void solve_inwards(const Link& link, double* x);
  template <int n>
  void solve_outwards(const Link& link, double* x);
  void solve_tree(std::span<double> x);
  void solve_without_loops(std::span<double> x);
  bool factor_loops(const Terms& terms);
  bool factor_far(const TreeMotion<D>&);
  template <class Column>
  void read_far(Column&& to) const;
  static Twist<D> carry(const Link& link, const Twist<D>& V);
  static Twist<D> pass_on(const Link& link, const Twist<D>& F);

  const RelativeSystem<D>& system_;
  bool forces_ = false;  // K or C is in the factor
  ArticulatedTree<D> masses_;
  std::vector<FarPair> far_;
  std::vector<int> pair_of_;  // by body, as in its Link
  std::vector<Neighbours> neighbours_;
  std::vector<Target> stiffness_, damping_;
  // Empty where no force has a K or C:
  std::vector<Link> links_;  // parents before children
  std::vector<double> kept_;
  std::vector<Block> A_;         // by body
  std::vector<Twist<D>> h_, V_;  // by body
  Eigen::MatrixXd Z_;            // T₀⁻¹ R_aᵀ G of each far pair, N columns each
  Eigen::MatrixXd far_matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> capacitance_;
  Eigen::VectorXd far_velocity_, far_force_;
  // Armatures of joints that close loops: their rows G as columns, and T⁻¹G.
  Eigen::MatrixXd loop_rows_, loop_solved_;
  Eigen::PartialPivLU<Eigen::MatrixXd> loop_matrix_;
};

}  // namespace trammel::system
