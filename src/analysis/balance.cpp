#include "analysis/balance.h"

#include <algorithm>
#include <cmath>

namespace trammel::analysis {

Balance::Balance(const std::shared_ptr<const system::System>& system, const State& at, Regime regime)
    : motion(system, at, regime), report(motion.report()) {
  if (!report.accepted()) return;
  State s = motion.about();
  report = motion.unbalanced(motion.origin(), s, left);
  if (!report.accepted()) return;
  system::Terms terms = system->make_terms();
  system->evaluate(s, system::kAskForces, terms);
  const Eigen::MatrixXd R = motion.basis(s);
  size = Eigen::VectorXd::Zero(left.size());
  for (Eigen::Index k = 0; k < R.cols(); ++k)
    for (Eigen::Index i = 0; i < R.rows(); ++i)
      size[k] += std::abs(R(i, k) * terms.Q[static_cast<std::size_t>(i)]);
  for (Eigen::Index k = R.cols(); k < size.size(); ++k)
    size[k] = motion.unit()[motion.positions() + k];  // of states
}

Jacobian Balance::stiffness() {
  const Eigen::Index positions = motion.positions(), all = positions + motion.states();
  const AlongArgument along = [&](Eigen::Index j, double distance, Eigen::VectorXd& value, Report& r) {
    Eigen::VectorXd y = motion.origin();
    const Eigen::Index place = j < positions ? j : j + motion.velocities();
    y[place] += distance * motion.unit()[place];
    State s = motion.about();
    r = motion.unbalanced(y, s, value);
    value *= -1;
    return r.accepted();
  };
  Jacobian jacobian = differentiate(along, all);
  for (Eigen::Index j = positions; j < all && jacobian.values.size() > 0; ++j)
    jacobian.values.col(j) /= motion.unit()[j + motion.velocities()];
  return jacobian;
}

double Balance::residual(const Eigen::MatrixXd& K) const {
  double worst = 0;
  for (Eigen::Index k = 0; k < left.size(); ++k)
    if (const double all = std::max(size[k], K.row(k).norm()); all > 0)
      worst = std::max(worst, std::abs(left[k]) / all);
  return worst;
}

double Balance::changes(const Eigen::VectorXd& direction) {
  constexpr double kMove = 0.01, kPositionError = 1e-5;
  const double length = direction.lpNorm<Eigen::Infinity>();
  double force = -2 * left.head(direction.size()).dot(direction);
  for (const double sign : {1.0, -1.0}) {
    Eigen::VectorXd y = motion.origin(), there;
    y.head(direction.size()) += sign * kMove / length * direction;
    State s = motion.about();
    if (!motion.unbalanced(y, s, there).accepted()) return 0;
    force += there.head(direction.size()).dot(direction);
  }
  return std::abs(force) * length / (kMove * kMove) * kPositionError;
}

}  // namespace trammel::analysis
