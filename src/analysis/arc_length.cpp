#include "analysis/arc_length.h"

#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

constexpr int kCorrections = 12;
// Newton's method is done where moves are below this: what is left then is its square.
constexpr double kLastMove = 1e-9;
constexpr double kClosedHere = 1e-11;
// Directions of the curve: a second singular value below this means that curves cross.
constexpr double kCrossing = 1e-10;

}  // namespace

ArcLength::ArcLength(std::shared_ptr<const system::System> system, double time_scale)
    : system_(std::move(system)), time_scale_(time_scale), terms_(system_->make_terms()) {}

void ArcLength::fill(const State& s) {
  system_->evaluate(s, system::kAskPosition, terms_);
  const Eigen::Index m = system_->sizes().holonomic, n = system_->sizes().v;
  const auto idle = static_cast<Eigen::Index>(system_->idle_columns().size());
  rows_.setZero(m + idle, n + 1);
  Phi_.setZero(m + idle);
  rows_.topLeftCorner(m, n) = formulations::scaled_rows(*system_, terms_).topRows(m);
  for (Eigen::Index r = 0; r < m; ++r) {
    rows_(r, n) = time_scale_ * terms_.Phi_t[static_cast<std::size_t>(r)];
    Phi_[r] = terms_.Phi[static_cast<std::size_t>(r)];
    const double scale = system_->rows()[static_cast<std::size_t>(r)].scale;
    rows_.row(r) /= scale;
    Phi_[r] /= scale;
  }
  for (Eigen::Index k = 0; k < idle; ++k)
    rows_(m + k, system_->idle_columns()[static_cast<std::size_t>(k)]) = 1;
}

// The direction that all rows leave free; `like` tells its sense.
bool ArcLength::find_tangent(const State& s, const Eigen::VectorXd& like, Eigen::VectorXd& tangent) {
  fill(s);
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(rows_.transpose() * rows_);
  if (eigen.values.size() > 1 && eigen.values[1] < kCrossing) return false;
  tangent = eigen.vectors.col(0);
  if (tangent.dot(like) < 0) tangent = -tangent;
  return true;
}

Report ArcLength::begin(const State& s, double sign) {
  state_ = s;
  Report report;
  Eigen::VectorXd time = Eigen::VectorXd::Zero(system_->sizes().v + 1);
  time[time.size() - 1] = sign;
  if (!find_tangent(s, time, tangent_)) {
    report.outcome = Outcome::singular;
    report.message = "motions cross here";
  }
  return report;
}

Report ArcLength::step(double length) {
  Report report;
  State s = state_;
  const Eigen::Index n = system_->sizes().v;
  const Eigen::Map<const Eigen::VectorXd> scale(system_->coordinate_scale().data(), n);
  std::vector<double> way(static_cast<std::size_t>(n));
  const auto move = [&](const Eigen::VectorXd& by) {
    Eigen::Map<Eigen::VectorXd>(way.data(), n) = by.head(n).cwiseProduct(scale);
    system_->retract(s.q, way);
    s.t += time_scale_ * by[n];
  };
  move(length * tangent_);
  for (int i = 0;; ++i) {
    fill(s);
    Eigen::MatrixXd A(rows_.rows() + 1, n + 1);
    A << rows_, tangent_.transpose();
    Eigen::VectorXd b(A.rows());
    b << -Phi_, 0;
    const Eigen::VectorXd by = linalg::least_squares(A, b);
    if (i == kCorrections || !by.allFinite() || by.norm() > 2 * std::abs(length)) {
      report.outcome = Outcome::not_converged;
      return report;
    }
    move(by);
    if (by.norm() <= kLastMove) break;
  }
  Eigen::VectorXd tangent;
  if (!find_tangent(s, tangent_, tangent)) {
    report.outcome = Outcome::singular;
    return report;
  }
  report.violation = Phi_.size() > 0 ? Phi_.cwiseAbs().maxCoeff() : 0;
  if (!(report.violation <= kClosedHere)) {
    report.outcome = Outcome::not_converged;
    return report;
  }
  static_cast<void>(system_->accept_angles(s, terms_, 0));
  state_ = std::move(s);
  tangent_ = std::move(tangent);
  return report;
}

}  // namespace trammel::analysis
