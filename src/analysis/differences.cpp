#include "analysis/differences.h"

#include <cmath>
#include <limits>

namespace trammel::analysis {
namespace {

// The largest perturbation: δ⁶ is round-off, and 3δ is still a small motion.
constexpr double kPerturbation = 5e-3;
constexpr double kLeastPerturbation = 1e-9;
// Differences that agree so well need no smaller perturbation.
constexpr double kAgreement = 1e-10;
// Nor where they differ by so many roundings of the values.
constexpr double kBelowRounding = 10;

// `largest`: value seen.
Eigen::MatrixXd differences(const AlongArgument& f, Eigen::Index arguments, double delta, Report& report,
                            double& largest) {
  Eigen::MatrixXd X;
  Eigen::VectorXd ahead, behind;
  for (Eigen::Index j = 0; j < arguments; ++j)
    for (std::size_t k = 0; k < kDifference.size(); ++k) {
      const double size = static_cast<double>(k + 1) * delta;
      if (!f(j, size, ahead, report) || !f(j, -size, behind, report)) return X;
      largest = std::max({largest, ahead.lpNorm<Eigen::Infinity>(), behind.lpNorm<Eigen::Infinity>()});
      if (X.size() == 0) X.setZero(ahead.size(), arguments);
      X.col(j) += kDifference[k] / delta * (ahead - behind);
    }
  return X;
}

// From how the differences of two sizes disagree: twice that, at least what is usual in the row and what
// round-off brings.
Eigen::MatrixXd entry_errors(const Eigen::MatrixXd& disagreement, double delta, double noise) {
  Eigen::MatrixXd error = disagreement.cwiseAbs();
  const double least = std::numeric_limits<double>::epsilon() / delta;
  for (Eigen::Index i = 0; i < error.rows(); ++i) {
    const double usual = error.row(i).norm() / std::sqrt(static_cast<double>(error.cols()));
    error.row(i) = 2 * error.row(i).cwiseMax(std::max(usual, least)).array() + noise;
  }
  return error;
}

}  // namespace

Jacobian differentiate(const AlongArgument& f, Eigen::Index arguments, double noise) {
  Jacobian out;
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  double least = std::numeric_limits<double>::infinity();
  for (double delta = kPerturbation; delta > kLeastPerturbation; delta /= 10) {
    Report report;
    double largest = 0;
    const Eigen::MatrixXd coarse = differences(f, arguments, delta, report, largest);
    const Eigen::MatrixXd fine =
        report.accepted() ? differences(f, arguments, delta / 2, report, largest) : coarse;
    if (!report.accepted()) {
      if (out.values.size() == 0) out.report = report;
      continue;
    }
    // Small differences may agree by accident: their rounding counts too.
    const double disagreement = (coarse - fine).norm(), rounding = kRounding * largest / delta;
    if (disagreement + rounding < least) {
      least = disagreement + rounding;
      out.report = {};
      out.values = coarse;
      out.error = entry_errors(coarse - fine, delta, noise);
    }
    if (disagreement < kAgreement || disagreement < kBelowRounding * rounding) break;
  }
  return out;
}

}  // namespace trammel::analysis
