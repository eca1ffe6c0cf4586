#include "formulations/projection/way_out.h"

#include <algorithm>
#include <cmath>

#include "formulations/matrices/completed_rows.h"
#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::formulations {
namespace {

// Beyond this the search would take longer than a person waits.
constexpr Eigen::Index kMostCoordinates = 1000;
// Of what Φ and γ could give: curvature that is rounding.
constexpr double kFlat = 1e-9;

// Σ w Φ γ, less what γ is at rest.
class Curvature {
 public:
  Curvature(const system::Dynamics& system, const State& at, std::span<const double> weight)
      : system_(system), weight_(weight), s_(at), terms_(system.make_terms()) {
    std::fill(s_.v.begin(), s_.v.end(), 0.0);
    at_rest_ = sum();
  }
  double along(const Eigen::VectorXd& u) {
    double both = 0;
    for (const double sign : {1.0, -1.0}) {
      for (Eigen::Index k = 0; k < u.size(); ++k) s_.v[static_cast<std::size_t>(k)] = sign * u[k];
      both += sum();
    }
    return both / 2 - at_rest_;
  }
  // The largest that a sum of the last terms could be.
  double size() const { return size_; }

 private:
  double sum() {
    system_.evaluate(s_, system::kAskPosition | system::kAskGamma, terms_);
    double sum = 0;
    for (std::size_t r = 0; r < weight_.size(); ++r) {
      sum += weight_[r] * terms_.Phi[r] * terms_.gamma[r];
      size_ = std::max(size_, std::abs(weight_[r] * terms_.Phi[r] * system_.rows()[r].scale));
    }
    return sum;
  }

  const system::Dynamics& system_;
  std::span<const double> weight_;
  State s_;
  system::Terms terms_;
  double at_rest_ = 0, size_ = 0;
};

}  // namespace

std::vector<double> way_out(const system::Dynamics& system, const State& at, std::span<const double> weight) {
  const Eigen::Index n = system.sizes().v, first = system.sizes().holonomic;
  if (n > kMostCoordinates || first == 0) return {};
  system::Terms terms = system.make_terms();
  system.evaluate(at, system::kAskPosition, terms);
  const Eigen::MatrixXd B =
      complete_rows(unit_rows(system, terms, first), kRankTolerance, IndependentChoice::qr).B;
  const Eigen::Map<const Eigen::VectorXd> scale(system.coordinate_scale().data(), n);
  const Eigen::MatrixXd R = scale.asDiagonal() * B.transpose();
  Curvature curvature(system, at, weight.first(static_cast<std::size_t>(first)));
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(R.cols(), R.cols());
  for (Eigen::Index i = 0; i < R.cols(); ++i) E(i, i) = curvature.along(R.col(i));
  for (Eigen::Index i = 0; i < R.cols(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      E(i, j) = E(j, i) = (curvature.along(R.col(i) + R.col(j)) - E(i, i) - E(j, j)) / 2;
  if (R.cols() == 0 || !E.allFinite()) return {};
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(E);
  if (!(eigen.values[0] < -kFlat * curvature.size())) return {};
  Eigen::VectorXd u = R * eigen.vectors.col(0);
  Eigen::Index largest = 0;
  const double length = u.cwiseQuotient(scale).cwiseAbs().maxCoeff(&largest);
  u *= (u[largest] > 0 ? 1 : -1) / length;
  return {u.begin(), u.end()};
}

}  // namespace trammel::formulations
