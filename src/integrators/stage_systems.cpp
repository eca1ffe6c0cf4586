#include "integrators/stage_systems.h"

namespace trammel::integrators {

// σ − J without the positions that follow velocities.
template <class Number>
void StageSystems::factor(Number sigma, System<Number>& system) const {
  const Eigen::Index p = followed_, m = J_.rows() - p;
  system.sigma = sigma;
  system.matrix.resize(m, m);
  if (p > 0) system.matrix.leftCols(p) = -J_.block(p, 0, m, p) - sigma * J_.block(p, p, m, p);
  system.matrix.rightCols(m - p) = -J_.block(p, 2 * p, m, m - p).template cast<Number>();
  system.matrix.diagonal().head(p).array() += sigma * sigma;
  system.matrix.diagonal().tail(m - p).array() += sigma;
  system.lu.compute(system.matrix);
}

void StageSystems::factor(double h, const Eigen::MatrixXd& J, Eigen::Index positions) {
  J_ = J;
  const Eigen::Index n = J.rows();
  const bool follow = 2 * positions <= n && J.block(0, 0, positions, positions).isZero(0) &&
                      J.block(0, positions, positions, positions).isIdentity(0) &&
                      J.block(0, 2 * positions, positions, n - 2 * positions).isZero(0);
  followed_ = follow ? positions : 0;
  condensed_.resize(n - followed_, tableau_.stages);
  factor(tableau_.gamma / h, real_);
  for (std::size_t k = 0; k < pairs_.size(); ++k) factor(tableau_.pairs[k] / h, pairs_[k]);
}

// g − J_v g_q below the positions
void StageSystems::condense(const Eigen::MatrixXd& g) {
  const Eigen::Index p = followed_, m = J_.rows() - p;
  auto below = condensed_.leftCols(g.cols());
  below = g.middleRows(p, m);
  if (p > 0) below.noalias() -= J_.block(p, p, m, p).lazyProduct(g.topRows(p));
}

void StageSystems::solve_first(Eigen::MatrixXd& g) {
  const Eigen::Index p = followed_, rest = g.rows() - 2 * p;
  const double sigma = real_.sigma;
  real_.right = condensed_.col(0);
  real_.right.head(p) += sigma * g.col(0).head(p);
  real_.w = real_.lu.solve(real_.right);
  g.col(0).segment(p, p) = sigma * real_.w.head(p) - g.col(0).head(p);
  g.col(0).head(p) = real_.w.head(p);
  g.col(0).segment(2 * p, rest) = real_.w.tail(rest);
}

void StageSystems::solve_pair(System<Complex>& system, Eigen::Index k, Eigen::MatrixXd& g) {
  const Eigen::Index p = followed_, n = g.rows();
  const Complex sigma = system.sigma;
  const auto at = [&](Eigen::Index i) { return Complex(g(i, k), g(i, k + 1)); };
  const auto set = [&](Eigen::Index i, Complex w) {
    g(i, k) = w.real();
    g(i, k + 1) = w.imag();
  };
  system.right.resize(n - p);
  for (Eigen::Index i = 0; i < n - p; ++i)
    system.right[i] = Complex(condensed_(i, k), condensed_(i, k + 1)) + (i < p ? sigma * at(i) : 0.0);
  system.w = system.lu.solve(system.right);
  for (Eigen::Index i = 0; i < p; ++i) {
    set(p + i, sigma * system.w[i] - at(i));
    set(i, system.w[i]);
  }
  for (Eigen::Index i = 2 * p; i < n; ++i) set(i, system.w[i - p]);
}

void StageSystems::solve(Eigen::MatrixXd& g) {
  condense(g);
  solve_first(g);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    solve_pair(pairs_[k], static_cast<Eigen::Index>(1 + 2 * k), g);
}

void StageSystems::solve_real(Eigen::MatrixXd& g) {
  condense(g);
  solve_first(g);
}

}  // namespace trammel::integrators
