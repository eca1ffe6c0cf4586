// CompletedRows: constraint rows that are independent, completed to a square matrix by rows B of independent
// velocities.
//
//   [ Φ_v ]     [ b ]
//   [ B   ] v = [ ż ],   v = S b + R ż,   Φ_v R = 0     García de Jalón & Bayo (1994), (5.60)–(5.61), (5.68)
//
// In scaled coordinates D⁻¹v, D what counts as one, with rows of length one: its pivots tell how far B is
// from dependent. S is never formed.
#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <vector>

#include "linalg/dense.h"
#include "system/dynamics.h"

namespace trammel::formulations {

// How independent velocities are chosen: some of v, by Gauss elimination with total pivoting, or along an
// orthonormal basis of the velocities that the constraints allow.
enum class IndependentChoice { boolean, qr, svd };

struct Completion {
  std::vector<Eigen::Index> rows;  // of the constraints: independent ones, in their order
  Eigen::MatrixXd B;               // n − rank rows
};

// Of rows of length one; those whose pivot is below the tolerance depend on the others.
Completion complete_rows(const Eigen::MatrixXd& rows, double tolerance, IndependentChoice choice);

class CompletedRows {
 public:
  void set(const system::Dynamics& system, const Completion& completion);
  // With Φ_v of the terms, and with B of its own or as it is told.
  void factor(const system::Dynamics& system, const system::Terms& terms) {
    factor(system, terms, completion_.B);
  }
  void factor(const system::Dynamics& system, const system::Terms& terms, const Eigen::MatrixXd& B);
  // Of the matrix last factored: zero where it is singular.
  double smallest_pivot() const {
    return lu_.rows() == 0 ? 1.0 : lu_.matrixLU().diagonal().cwiseAbs().minCoeff();  // nothing can move
  }
  // 1/|R|, scaled: the cosine of the largest angle between what z sees and how the mechanism moves; one where
  // an orthonormal z was chosen, zero where z turns back.
  double sight();

  const Completion& completion() const { return completion_; }
  Eigen::Index rank() const { return static_cast<Eigen::Index>(completion_.rows.size()); }
  Eigen::Index freedom() const { return completion_.B.rows(); }

  // x = S b + R z; b of all rows, of which those chosen are taken.
  void solve(const Eigen::VectorXd& b, const Eigen::VectorXd& z, Eigen::VectorXd& x);
  void basis(Eigen::MatrixXd& R) const;
  // Φ_vᵀλ = g where Rᵀg = 0; zero in the rows that were not chosen.
  void multipliers(const Eigen::VectorXd& g, Eigen::Ref<Eigen::VectorXd> lambda);
  // B x, scaled
  void project(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> z) const;

 private:
  void scaled_basis(Eigen::MatrixXd& R) const;

  Completion completion_;
  Eigen::MatrixXd matrix_, columns_, gram_;
  Eigen::VectorXd length_, scale_, right_;  // of the rows; of the coordinates
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen_;
};

// The rows of Φ_v among the first ones, each of length one in scaled coordinates.
Eigen::MatrixXd unit_rows(const system::Dynamics& system, const system::Terms& terms, Eigen::Index first);

}  // namespace trammel::formulations
