// Least squares with bounds: Levenberg and Marquardt's method (Marquardt 1963), with Nielsen's damping
// (1999).
//
//   (JᵀJ + λ diag(JᵀJ)) δ = −Jᵀr,  x ← x + δ, within the bounds
//
// Parameters that stand at a bound and would leave it are held there for the step.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>

namespace trammel::sweep {

struct LeastSquares {
  // Residuals; false: there are none at these values, as where a run fails.
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& r)> residuals;
  // Their derivatives; a message where there are none.
  std::function<std::string(const Eigen::VectorXd& x, const Eigen::VectorXd& r, Eigen::MatrixXd& J)> jacobian;
  Eigen::VectorXd low, high;
  int most_steps = 100;
  double damping = 1e-3;  // λ of the first step
  // Relative: a step or a decrease of the cost below is none. Differences of runs have no more digits.
  double small_step = 1e-7, small_decrease = 1e-9;
};

struct LeastSquaresResult {
  bool converged = false;
  std::string message;
  Eigen::VectorXd x, r;
  Eigen::MatrixXd J;
  double damping = 0;  // λ of the last step: where a similar problem may begin
};

LeastSquaresResult solve(const LeastSquares& problem, const Eigen::VectorXd& start);

// Of Student's distribution with so many degrees of freedom.
double student_quantile(double u, double freedoms);

}  // namespace trammel::sweep
