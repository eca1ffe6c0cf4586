// Eigenvalues with an error: the stated uncertainty holds, and Jordan blocks are told as such.
#include "analysis/spectrum.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace trammel::analysis::spectrum_test {
namespace {

constexpr double kError = 1e-10;

Eigen::MatrixXd uniform(Eigen::Index n, double value) { return Eigen::MatrixXd::Constant(n, n, value); }

TEST(Spectrum, SimpleEigenvaluesAreAsSureAsTheMatrix) {
  Eigen::Matrix3d X;
  X << 2, 0, 0, 0, 0.6, -0.8, 0, 0.8, 0.6;
  const std::vector<Eigenvalue> all = spectrum(X, uniform(3, kError));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all[0].value.real(), 2, 1e-14);
  EXPECT_NEAR(std::abs(all[1].value), 1, 1e-14);
  EXPECT_EQ(all[1].value, std::conj(all[2].value));
  // ‖E‖ = 3e-10; the resolvent's Frobenius norm and the steps of the search allow a factor of four.
  for (const Eigenvalue& e : all) {
    EXPECT_GE(e.uncertainty, 3 * kError);
    EXPECT_LE(e.uncertainty, 12 * kError);
  }
}

TEST(Spectrum, JordanBlocksAreKnownToTheRootOfTheError) {
  Eigen::Matrix3d X;
  X << 1, 1, 0, 0, 1, 0, 0, 0, 1;
  const std::vector<Eigenvalue> all = spectrum(X, uniform(3, kError));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].multiplicity, 3);
  EXPECT_EQ(all[0].eigenvectors, 2);
  EXPECT_GE(all[0].uncertainty, std::sqrt(kError));
  EXPECT_LE(all[0].uncertainty, 10 * std::sqrt(kError));
}

TEST(Spectrum, EqualEigenvaluesWithTheirOwnVectorsAreNotJordanBlocks) {
  const std::vector<Eigenvalue> all = spectrum(0.5 * Eigen::Matrix4d::Identity(), uniform(4, kError));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].multiplicity, 4);
  EXPECT_EQ(all[0].eigenvectors, 4);
  EXPECT_LE(all[0].uncertainty, 20 * kError);
}

// Every matrix within the error has its eigenvalues within the uncertainty.
TEST(Spectrum, UncertaintyHoldsForDisturbedMatrices) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(-1, 1);
  const auto any = [&] { return Eigen::MatrixXd::NullaryExpr(5, 5, [&] { return part(random); }).eval(); };
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::MatrixXd X = any();
    X.row(0) *= 1e4;  // badly scaled
    X(1, 1) = X(2, 2);
    const Eigen::MatrixXd error = X.cwiseAbs() * 1e-9;
    const std::vector<Eigenvalue> all = spectrum(X, error);
    const Eigen::VectorXcd other = (X + error.cwiseProduct(any())).eigenvalues();
    for (const auto& value : other) {
      double nearest = INFINITY;
      for (const Eigenvalue& e : all) nearest = std::min(nearest, std::abs(value - e.value) / e.uncertainty);
      EXPECT_LE(nearest, 1);
    }
  }
}

}  // namespace
}  // namespace trammel::analysis::spectrum_test
