// StageSystems: the linear systems of a step of Radau IIA, one real and the others complex:
//
//   (γ/h − J) w_0 = g_0,   ((α + iβ)/h − J) (w_k + i w_(k+1)) = g_k + i g_(k+1)
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "integrators/radau_tableau.h"

namespace trammel {

class StageSystems {
 public:
  explicit StageSystems(const RadauTableau& tableau) : tableau_(tableau), complex_lu_(tableau.pairs.size()) {}

  void factor(double h, const Eigen::MatrixXd& J);
  // Each column of g becomes that of w.
  void solve(Eigen::MatrixXd& g);
  // The real one alone.
  void solve_real(Eigen::Ref<Eigen::VectorXd> g);

 private:
  const RadauTableau& tableau_;
  Eigen::MatrixXd real_;
  Eigen::MatrixXcd complex_;
  Eigen::PartialPivLU<Eigen::MatrixXd> real_lu_;
  std::vector<Eigen::PartialPivLU<Eigen::MatrixXcd>> complex_lu_;
  Eigen::VectorXd w_;
  Eigen::VectorXcd pair_, w_pair_;
};

}  // namespace trammel
