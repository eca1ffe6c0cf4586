#include "analysis/path_follower.h"

#include <Eigen/Dense>
#include <cmath>
#include <stdexcept>

#include "analysis/differences.h"
#include "analysis/without_stiction.h"
#include "linalg/dense.h"
#include "trammel/run.h"

namespace trammel::analysis {
namespace {

constexpr int kMostCorrections = 8;
// Increments below this end the iteration. Where paths cross, a direction has hardly any stiffness, and
// rounding of the forces keeps increments above; below this they may stay what they are.
constexpr double kCorrected = 1e-11, kStays = 1e-7;
// Differences in the parameter, as a part of its range.
constexpr double kParameterMove = 1e-4;
// Pivots below this part of the largest are zero: paths cross.
constexpr double kNoPivot = 1e-9;

// The directions that keep the balance, columns: one, or several where paths cross.
Eigen::MatrixXd kernel_of(const Eigen::MatrixXd& J) {
  Eigen::FullPivLU<Eigen::MatrixXd> lu(J);
  lu.setThreshold(kNoPivot);
  return lu.kernel();
}

// Of them the one nearest to another direction, both seen by the same map.
Eigen::VectorXd nearest_in(const Eigen::MatrixXd& kernel, const Eigen::MatrixXd& seen,
                           const Eigen::VectorXd& wanted) {
  Eigen::VectorXd tangent = kernel * linalg::least_squares(seen, wanted);
  if (kernel.cols() == 1 || tangent.norm() == 0) tangent = kernel.col(0);
  tangent.normalize();
  return tangent;
}

}  // namespace

std::shared_ptr<const system::System> PathFollower::system_at(double value) const {
  Mechanism changed = mechanism_;
  changed.set_parameter(parameter_, value);
  return system::compile(changed, coordinates_);
}

PathPoint PathFollower::begin(Seek seek, Report& report) {
  report.message = stiction_refusal(mechanism_, "an equilibrium");
  if (!report.message.empty()) {
    report.outcome = Outcome::refused;
    return {};
  }
  Mechanism changed = mechanism_;
  changed.set_parameter(parameter_, from_);
  // Points of the path, and the lengths between them, are then the same whatever the model's coordinates.
  Plan plan;
  plan.coordinates = mechanism_.generalized ? mechanism_.plan.coordinates : name_of(CoordinatesKind::natural);
  Simulation simulation(with_far_stops(std::move(changed)), plan);
  const AssemblyReport assembly = simulation.assemble();
  report = assembly.report;
  PathPoint point;
  if (!report.accepted()) {
    report.message = explain(assembly, simulation);
    return point;
  }
  coordinates_ = system::coordinates_of(simulation.resolved());
  point.value = from_;
  point.system = simulation.shared_system();
  point.at = find_rest(simulation, seek);
  report = point.at.report;
  return point;
}

Report PathFollower::set_out(const PathPoint& point, const Eigen::VectorXd* before) {
  here_ = std::make_unique<LocalMotion>(point.system, point.at.state, Regime::statics);
  value_ = point.value;
  if (!here_->report().accepted()) return here_->report();
  Eigen::MatrixXd J;
  const Report report = jacobian(Eigen::VectorXd::Zero(unknowns()), J);
  if (!report.accepted()) return report;
  const Eigen::MatrixXd kernel = kernel_of(J);
  const Eigen::VectorXd to_the_end = Eigen::VectorXd::Unit(unknowns(), unknowns() - 1);
  Eigen::MatrixXd seen = kernel;
  if (before) {
    seen.resize(before->size(), kernel.cols());
    for (Eigen::Index k = 0; k < kernel.cols(); ++k) seen.col(k) = in_velocities(kernel.col(k));
  }
  tangent_ = nearest_in(kernel, seen, before ? *before : to_the_end);
  const double ahead = before ? before->dot(direction()) : first_slope();
  if (ahead < 0) tangent_ *= -1;
  last_ = Eigen::VectorXd::Zero(unknowns());
  last_tangent_ = tangent_;
  return report;
}

Report PathFollower::go(double arc, PathPoint& point, int& corrections) {
  Eigen::VectorXd Y = arc * tangent_, r;
  Eigen::MatrixXd J;
  double before = INFINITY;
  for (corrections = 0;; ++corrections) {
    Report report = residual(Y, r, &point);
    if (!report.accepted()) return report;
    report = jacobian(Y, J);
    if (!report.accepted()) return report;
    Eigen::MatrixXd whole(unknowns(), unknowns());
    whole << J, tangent_.transpose();
    Eigen::VectorXd right(unknowns());
    right << -r, arc - tangent_.dot(Y);
    const Eigen::VectorXd increment = linalg::solve(whole, right);
    Y += increment;
    if (!Y.allFinite() || corrections == kMostCorrections) {
      report.outcome = Outcome::not_converged;
      return report;
    }
    const double move = increment.lpNorm<Eigen::Infinity>();
    const bool stays = move < kStays && move > 0.5 * before;
    before = move;
    if (move > kCorrected && !stays) continue;
    last_ = Y;
    const Eigen::MatrixXd kernel = kernel_of(J);
    last_tangent_ = nearest_in(kernel, kernel, tangent_);
    if (last_tangent_.dot(tangent_) < 0) last_tangent_ *= -1;
    slope_ = last_tangent_[unknowns() - 1];
    return residual(Y, r, &point);
  }
}

Report PathFollower::go_beside(double arc, PathPoint& point) {
  const double distance = (arc - last_arc()) / last_tangent_.dot(tangent_);
  Eigen::VectorXd r;
  return residual(last_ + distance * last_tangent_, r, &point);
}

void PathFollower::finish(PathPoint& point) const {
  Equilibrium found = find_equilibrium(point.system, point.at.state, Regime::statics, Seek::nearest);
  if (found.report.accepted()) point.at = std::move(found);
}

Eigen::VectorXd PathFollower::in_velocities(const Eigen::VectorXd& of) const {
  const Eigen::MatrixXd R = here_->basis(here_->about());
  const Eigen::Map<const Eigen::VectorXd> scale(here_->system().coordinate_scale().data(), R.rows());
  Eigen::VectorXd all(R.rows() + here_->states() + 1);
  all << (R * of.head(here_->positions())).cwiseQuotient(scale), of.tail(here_->states() + 1);
  return all;
}

Report PathFollower::residual(const Eigen::VectorXd& Y, Eigen::VectorXd& r, PathPoint* point) const {
  const double value = value_ + Y[unknowns() - 1] * range_;
  const std::shared_ptr<const system::System> system = system_at(value);
  LocalMotion motion(system, *here_);
  State s = here_->about();
  const Report report = motion.unbalanced(whole_y(Y), s, r);
  if (point && report.accepted()) {
    point->value = value;
    point->system = system;
    point->at.state = s;
  }
  return report;
}

Eigen::VectorXd PathFollower::whole_y(const Eigen::VectorXd& Y) const {
  Eigen::VectorXd y = here_->origin();
  y.head(here_->positions()) += Y.head(here_->positions());
  y.tail(here_->states()) += Y.segment(here_->positions(), here_->states());
  return y;
}

Report PathFollower::jacobian(const Eigen::VectorXd& Y, Eigen::MatrixXd& J) const {
  const Eigen::Index n = unknowns();
  const double value = value_ + Y[n - 1] * range_;
  LocalMotion motion(system_at(value), *here_);
  const AlongArgument along = [&](Eigen::Index j, double distance, Eigen::VectorXd& r, Report& report) {
    Eigen::VectorXd there = Y;
    there[j] += distance;
    State s = here_->about();
    report = motion.unbalanced(whole_y(there), s, r);
    return report.accepted();
  };
  Jacobian by_position = differentiate(along, n - 1);
  if (!by_position.report.accepted()) return by_position.report;
  Eigen::VectorXd by_parameter;
  const Report report = slope_by_parameter(Y, by_parameter);
  if (!report.accepted()) return report;
  J.resize(by_parameter.size(), n);
  J << by_position.values, by_parameter;
  return report;
}

Report PathFollower::slope_by_parameter(const Eigen::VectorXd& Y, Eigen::VectorXd& slope) const {
  Report report;
  const auto at = [&](double moves, Eigen::VectorXd& r) {
    Eigen::VectorXd there = Y;
    there[unknowns() - 1] += moves * kParameterMove;
    report = residual(there, r);
    return report.accepted();
  };
  Eigen::VectorXd ahead, behind, further;
  if (!at(1, ahead)) return report;
  try {
    if (at(-1, behind)) slope = (ahead - behind) / (2 * kParameterMove);
  } catch (const std::invalid_argument&) {
    // At the first point the model may not have the values before, as a mass below zero.
    if (at(0, behind) && at(2, further)) slope = (-3 * behind + 4 * ahead - further) / (2 * kParameterMove);
  }
  return report;
}

}  // namespace trammel::analysis
