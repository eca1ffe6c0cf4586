#include "analysis/effort_sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"
#include "linalg/rank.h"

namespace trammel::analysis {
namespace {

// Efforts that a change of the multipliers moves by less than this part of the change are not moved: rounding
// of the null space.
constexpr double kUnmoved = 1e-9;
// An idle driver may keep this part of the largest effort.
constexpr double kIdle = 1e-8;

}  // namespace

EffortSharing::EffortSharing(const system::System& system, const Mechanism& mechanism,
                             const std::map<std::string, double>& weights,
                             const std::vector<std::string>& idle)
    : system_(system), terms_(system.make_terms()) {
  for (const Driver& driver : mechanism.drivers) {
    if (driver.kind == Driver::Kind::position) continue;  // it has a force, no effort
    drivers_.push_back(driver.name);
    const auto weight = weights.find(driver.name);
    root_weight_.push_back(weight == weights.end() ? 1 : std::sqrt(weight->second));
    idle_.push_back(std::ranges::find(idle, driver.name) != idle.end());
  }
}

// E N
Eigen::MatrixXd EffortSharing::effort_map(const State& s, const Eigen::MatrixXd& N) {
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(drivers_.size()), N.cols());
  State one = s;
  for (Eigen::Index k = 0; k < N.cols(); ++k) {
    std::copy(N.col(k).begin(), N.col(k).end(), one.lambda.begin());
    for (const system::Reading& effort : system_.efforts(one, terms_))
      if (const auto at = std::ranges::find(drivers_, effort.object); at != drivers_.end())
        map(at - drivers_.begin(), k) = effort.value;
  }
  return map;
}

Report EffortSharing::share(State& s) {
  Report report;
  if (drivers_.empty() || s.lambda.empty()) return report;
  const bool any_idle = std::ranges::find(idle_, true) != idle_.end();
  system_.evaluate(s, system::kAskPosition, terms_);
  const linalg::RankResult rank = linalg::rank_of_rows(formulations::scaled_rows(system_, terms_),
                                                       formulations::rank_tolerance(system_, terms_));
  const Eigen::MatrixXd N = rank.left_null;
  Eigen::Map<Eigen::VectorXd> lambda(s.lambda.data(), static_cast<Eigen::Index>(s.lambda.size()));
  const Eigen::VectorXd e = effort_map(s, Eigen::VectorXd(lambda));
  Eigen::MatrixXd E = effort_map(s, N);
  if (N.cols() == 0 || E.cwiseAbs().maxCoeff() <= kUnmoved * N.cwiseAbs().maxCoeff()) {
    E.setZero();
  } else {
    shared_ = true;
    // Idle drivers first, exactly; then the others in what is left.
    Eigen::VectorXd y = Eigen::VectorXd::Zero(N.cols());
    Eigen::MatrixXd free = Eigen::MatrixXd::Identity(N.cols(), N.cols());
    std::vector<Eigen::Index> resting, acting;
    for (std::size_t k = 0; k < idle_.size(); ++k)
      (idle_[k] ? resting : acting).push_back(static_cast<Eigen::Index>(k));
    if (!resting.empty()) {
      const Eigen::MatrixXd E_idle = E(resting, Eigen::all);
      y = -linalg::least_squares(E_idle, e(resting));
      free -= linalg::pseudo_inverse(E_idle) * E_idle;
    }
    if (!acting.empty()) {
      Eigen::MatrixXd weighted = E(acting, Eigen::all) * free;
      Eigen::VectorXd left = e(acting) + E(acting, Eigen::all) * y;
      for (std::size_t k = 0; k < acting.size(); ++k) {
        const double root = root_weight_[static_cast<std::size_t>(acting[k])];
        weighted.row(static_cast<Eigen::Index>(k)) *= root;
        left[static_cast<Eigen::Index>(k)] *= root;
      }
      if (weighted.cwiseAbs().maxCoeff() > kUnmoved * E.cwiseAbs().maxCoeff())
        y -= free * linalg::least_squares(weighted, left);
    }
    lambda += N * y;
  }
  if (!any_idle) return report;
  const Eigen::VectorXd now = effort_map(s, Eigen::VectorXd(lambda));
  for (std::size_t k = 0; k < idle_.size(); ++k)
    if (idle_[k] && std::abs(now[static_cast<Eigen::Index>(k)]) > kIdle * e.cwiseAbs().maxCoeff()) {
      report.outcome = Outcome::refused;
      report.message = fmt::format(
          "driver '{}' cannot be idle at t = {:.6g} s: without its effort the other drivers do not hold the "
          "motion",
          drivers_[k], s.t);
    }
  return report;
}

}  // namespace trammel::analysis
