// Balance: the forces that a position leaves unbalanced, and how they change with the position.
//
//   left = (RᵀQ, ẋ),   K = −∂left/∂(z, x)                      in units of analysis/local_motion.h
#pragma once

#include <memory>

#include "analysis/differences.h"
#include "analysis/local_motion.h"

namespace trammel::analysis {

class Balance {
 public:
  Balance(const std::shared_ptr<const system::System>& system, const State& at, Regime regime);

  // −∂left/∂(z, x)
  Jacobian stiffness();
  // As a part of the forces that act, or that a move of what counts as one would bring about: in coordinates
  // of joints, forces that balance do not act at all.
  double residual(const Eigen::MatrixXd& K) const;
  // How much the stiffness along a direction of z, dᵀK d, changes where the position changes by its error.
  // Where it vanishes, forces balance to second order, and the position is known to the root of the residual.
  double changes(const Eigen::VectorXd& direction);

  LocalMotion motion;
  Report report;
  Eigen::VectorXd left, size;  // size: what the forces would leave if none balanced another
};

}  // namespace trammel::analysis
