#include "analysis/singularity_gauge.h"

#include <algorithm>
#include <cmath>

#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// Of the Laplacian's eigenvalues: bodies that nothing ties to ground move together.
constexpr double kTogether = 1e-9;
// Below this, squares are rounding.
constexpr double kZeroGauge = 1e-7;

// Λ^(−1/2), zero along common motions.
Eigen::MatrixXd inverse_root(const std::vector<EquationBlock>& blocks, Eigen::Index bodies) {
  Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(bodies, bodies);
  for (const EquationBlock& block : blocks)
    for (const int i : block.bodies)
      for (const int j : block.bodies)
        if (i != kGroundLink && j != kGroundLink)
          laplacian(i, j) += (i == j ? 1.0 : 0.0) - 1.0 / static_cast<double>(block.bodies.size());
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(laplacian);
  Eigen::VectorXd root = eigen.values;
  for (double& value : root) value = value > kTogether ? 1 / std::sqrt(value) : 0;
  return eigen.vectors * root.asDiagonal() * eigen.vectors.transpose();
}

}  // namespace

SingularityGauge singularity_gauge(const JointEquations& equations, const State& at, int rank) {
  SingularityGauge gauge;
  const std::vector<EquationBlock> blocks = equations.blocks(at);
  const Eigen::MatrixXd E = stacked(blocks, equations.columns());
  if (rank == 0 || E.rows() < rank) return gauge;
  const auto bodies = static_cast<Eigen::Index>(equations.mechanism().bodies.size());
  const Eigen::MatrixXd root = inverse_root(blocks, bodies);
  const Eigen::Index twist = equations.twist();
  // E (Λ^(−1/2) ⊗ 1): component by component of the twists.
  Eigen::MatrixXd G(E.rows(), E.cols());
  for (Eigen::Index c = 0; c < twist; ++c) {
    Eigen::MatrixXd component(E.rows(), bodies);
    for (Eigen::Index b = 0; b < bodies; ++b) component.col(b) = E.col(twist * b + c);
    component *= root;
    for (Eigen::Index b = 0; b < bodies; ++b) G.col(twist * b + c) = component.col(b);
  }
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(G * G.transpose());
  const Eigen::Index weakest = E.rows() - rank;
  gauge.value = std::sqrt(std::clamp(eigen.values[weakest], 0.0, 1.0));
  if (gauge.value < kZeroGauge) gauge.value = 0;
  double largest = -1;
  Eigen::Index first = 0;
  for (const EquationBlock& block : blocks) {
    const double part = eigen.vectors.col(weakest).segment(first, block.rows.rows()).norm();
    // Of equals the first, whatever rounding says.
    constexpr double kEqual = 1e-6;
    if (part > largest + kEqual) {
      largest = part;
      gauge.weakest = block.name;
    }
    first += block.rows.rows();
  }
  return gauge;
}

}  // namespace trammel::analysis
