// Least squares of columns whose deviations are not known, with bounds.
//
// The residuals r_c of a column have one deviation each. Least is the concentrated likelihood (Bard 1974,
// Nonlinear Parameter Estimation, ch. 4)
//
//   M = Σ_c n log S_c,  S_c = |r_c|²/n
//
// whose steps are those of least squares with rows divided by √S_c. Levenberg and Marquardt's method
// (Marquardt 1963) with Nielsen's damping (1999):
//
//   (JᵀJ + λ diag(JᵀJ)) δ = −Jᵀr,  x ← x + δ, within the bounds
//
// Parameters that stand at a bound and would leave it are held there for the step. Of one column this is
// common least squares.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>

namespace trammel::sweep {

struct LeastSquares {
  // Residuals, column after column, in units in which 1 is large; false: there are none at these values, as
  // where a run fails.
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& r)> residuals;
  // Their derivatives; a message where there are none.
  std::function<std::string(const Eigen::VectorXd& x, const Eigen::VectorXd& r, Eigen::MatrixXd& J)> jacobian;
  Eigen::VectorXd low, high;
  Eigen::Index columns = 1;  // all of one length
  int most_steps = 100;
  // Relative: a step or a decrease of the squares below is none. Differences of runs have no more digits.
  double small_step = 1e-7, small_decrease = 1e-9;
};

struct LeastSquaresResult {
  bool converged = false;
  std::string message;
  Eigen::VectorXd x, r;
  Eigen::MatrixXd J;
};

LeastSquaresResult solve(const LeastSquares& problem, const Eigen::VectorXd& start);

// √S_c of each column. Residuals that are rounding alone have no deviation: 1e-13 stays.
Eigen::VectorXd deviations(const Eigen::VectorXd& r, Eigen::Index columns);

// Of Student's distribution with so many degrees of freedom.
double student_quantile(double u, double freedoms);

}  // namespace trammel::sweep
