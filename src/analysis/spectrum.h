// Spectrum: the eigenvalues of a matrix known with an error, and how far the error can move them.
//
// An eigenvalue's uncertainty is the radius of the circle around it on which ‖(zI − X)⁻¹‖‖E‖ < 1: no error
// within E carries an eigenvalue across. It is taken in the given units or after balancing (a diagonal
// similarity, Parlett & Reinsch 1969, with the error counted in), whichever shows more. Eigenvalues whose
// circles touch are told as one.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

namespace trammel::analysis {

struct Eigenvalue {
  std::complex<double> value;  // the mean, where several are one
  double uncertainty = 0;
  int multiplicity = 1;
  int eigenvectors = 1;      // independent ones among those of the multiplicity
  Eigen::MatrixXcd vectors;  // columns of length one
};

// |error| bounds the error of X entry by entry. Largest modulus first.
std::vector<Eigenvalue> spectrum(const Eigen::MatrixXd& X, const Eigen::MatrixXd& error);

}  // namespace trammel::analysis
