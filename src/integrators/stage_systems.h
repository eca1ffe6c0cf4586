// StageSystems: the linear systems of a step of Radau IIA, one real and the others complex:
//
//   (γ/h − J) w_0 = g_0,   ((α + iβ)/h − J) (w_k + i w_(k+1)) = g_k + i g_(k+1)
//
// Where J says that positions follow velocities, q̇ = v, only half of each is factored: σ = γ/h, and so on,
//
//   w_v = σ w_q − g_q,   (σ² − σ J_vv − J_vq) w_q = g_v + (σ − J_vv) g_q
#pragma once

#include <Eigen/Dense>
#include <complex>
#include <vector>

#include "integrators/radau_tableau.h"

namespace trammel::integrators {

class StageSystems {
 public:
  explicit StageSystems(const RadauTableau& tableau) : tableau_(tableau), pairs_(tableau.pairs.size()) {}

  // J: ∂f/∂y, whose first rows are of positions.
  void factor(double h, const Eigen::MatrixXd& J, Eigen::Index positions);
  // Each column of g becomes that of w.
  void solve(Eigen::MatrixXd& g);
  // The real one alone.
  void solve_real(Eigen::MatrixXd& g);

 private:
  using Complex = std::complex<double>;
  template <class Number>
  struct System {
    Number sigma;
    Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> matrix;
    Eigen::PartialPivLU<Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>> lu;
    Eigen::Matrix<Number, Eigen::Dynamic, 1> right, w;
  };

  template <class Number>
  void factor(Number sigma, System<Number>& system) const;
  void condense(const Eigen::MatrixXd& g);
  void solve_first(Eigen::MatrixXd& g);
  void solve_pair(System<Complex>& system, Eigen::Index k, Eigen::MatrixXd& g);

  const RadauTableau& tableau_;
  Eigen::MatrixXd J_, condensed_;
  Eigen::Index followed_ = 0;  // positions that follow velocities
  System<double> real_;
  std::vector<System<Complex>> pairs_;
};

}  // namespace trammel::integrators
