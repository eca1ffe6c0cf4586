// Dense problems by Eigen, compiled once: in every source that needs one, a factorization takes seconds to
// compile.
#pragma once

#include <Eigen/Dense>
#include <complex>
#include <vector>

// Sources that factor with these classes themselves take the factorization from dense.cpp.
extern template class Eigen::PartialPivLU<Eigen::MatrixXd>;
extern template class Eigen::HouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
extern template Eigen::LDLT<Eigen::MatrixXd>& Eigen::LDLT<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&);
extern template Eigen::LLT<Eigen::MatrixXd>& Eigen::LLT<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&);

namespace trammel::linalg {

// X of smallest norm among those that make |A X − B| smallest.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
// The same where pivots below that part of the largest are zero.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double tolerance);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);

struct SymmetricEigen {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // columns
};
// Of the lower triangle.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);
std::vector<std::complex<double>> eigenvalues(const Eigen::MatrixXd& A);
struct Eigenpairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // columns
};
Eigenpairs eigenpairs(const Eigen::MatrixXd& A);

// X from A X = B, A without structure; and with A symmetric and positive definite.
Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::MatrixXd solve_positive(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace trammel::linalg
