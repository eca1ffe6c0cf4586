#include "integrators/stage_systems.h"

namespace trammel {

void StageSystems::factor(double h, const Eigen::MatrixXd& J) {
  real_ = -J;
  real_.diagonal().array() += tableau_.gamma / h;
  real_lu_.compute(real_);
  for (std::size_t k = 0; k < complex_lu_.size(); ++k) {
    complex_ = -J.cast<std::complex<double>>();
    complex_.diagonal().array() += tableau_.pairs[k] / h;
    complex_lu_[k].compute(complex_);
  }
}

void StageSystems::solve_real(Eigen::Ref<Eigen::VectorXd> g) {
  w_ = real_lu_.solve(g);
  g = w_;
}

void StageSystems::solve(Eigen::MatrixXd& g) {
  solve_real(g.col(0));
  pair_.resize(g.rows());
  for (std::size_t k = 0; k < complex_lu_.size(); ++k) {
    const auto re = static_cast<Eigen::Index>(1 + 2 * k), im = re + 1;
    pair_.real() = g.col(re);
    pair_.imag() = g.col(im);
    w_pair_ = complex_lu_[k].solve(pair_);
    g.col(re) = w_pair_.real();
    g.col(im) = w_pair_.imag();
  }
}

}  // namespace trammel
