#include "analysis/equilibrium_path.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "analysis/differences.h"
#include "analysis/without_stiction.h"
#include "linalg/dense.h"
#include "trammel/run.h"

namespace trammel::analysis {
namespace {

// Of the arc, in units of what counts as one and of the parameter's range.
constexpr double kFirstArc = 0.01, kLongestArc = 0.05, kShortestArc = 1e-7;
// Newton's iterations of a point: more, and the next step is shorter.
constexpr int kMostCorrections = 8, kFewCorrections = 4;
// Increments below this end the iteration.
constexpr double kCorrected = 1e-11;
// Differences in the parameter, as a part of its range.
constexpr double kParameterMove = 1e-4;
// Limit points are located where the path's slope in the parameter is below this.
constexpr double kAtLimitPoint = 1e-9;

class PathFollower {
 public:
  PathFollower(const Mechanism& mechanism, std::string parameter, double from, double to)
      : mechanism_(mechanism), parameter_(std::move(parameter)), from_(from), range_(to - from) {}

  std::shared_ptr<const system::System> system_at(double value) {
    Mechanism changed = mechanism_;
    changed.set_parameter(parameter_, value);
    return system::compile(changed, coordinates_);
  }

  // The first point, from the assembled start at `from`.
  PathPoint begin(Seek seek, Report& report) {
    report.message = stiction_refusal(mechanism_, "an equilibrium");
    if (!report.message.empty()) {
      report.outcome = Outcome::refused;
      return {};
    }
    Mechanism changed = mechanism_;
    changed.set_parameter(parameter_, from_);
    // Points of the path, and the lengths between them, are then the same whatever the model's coordinates.
    Plan plan;
    plan.coordinates =
        mechanism_.generalized ? mechanism_.plan.coordinates : name_of(CoordinatesKind::natural);
    Simulation simulation(changed, plan);
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

  // Coordinates about a point, and the direction in which the path goes on: ahead of `before`, or at first
  // towards the end.
  [[nodiscard]] Report set_out(const PathPoint& point, const Eigen::VectorXd* before) {
    here_ = std::make_unique<LocalMotion>(point.system, point.at.state, Regime::statics);
    value_ = point.value;
    Eigen::MatrixXd J;
    const Report report = jacobian(Eigen::VectorXd::Zero(unknowns()), J);
    if (!report.accepted()) return report;
    tangent_ = tangent_of(J);
    const double ahead = before ? before->dot(direction()) : tangent_[unknowns() - 1];
    if (ahead < 0) tangent_ *= -1;
    return report;
  }

  // The point at a distance along the path.
  [[nodiscard]] Report go(double arc, PathPoint& point, int& corrections) {
    Eigen::VectorXd Y = arc * tangent_, r;
    Eigen::MatrixXd J;
    for (corrections = 0;; ++corrections) {
      Report report = residual(Y, r, &point);
      if (!report.accepted()) return report;
      report = jacobian(Y, J);
      if (!report.accepted()) return report;
      Eigen::MatrixXd whole(unknowns(), unknowns());
      whole << J, tangent_.transpose();
      Eigen::VectorXd right(unknowns());
      right << -r, arc - tangent_.dot(Y);
      const Eigen::VectorXd move = linalg::solve(whole, right);
      Y += move;
      if (!Y.allFinite() || corrections == kMostCorrections) {
        report.outcome = Outcome::not_converged;
        return report;
      }
      if (move.lpNorm<Eigen::Infinity>() > kCorrected) continue;
      slope_ = tangent_of(J)[unknowns() - 1] * (tangent_of(J).dot(tangent_) < 0 ? -1 : 1);
      return residual(Y, r, &point);
    }
  }

  // Turns the result of go() into an equilibrium with its stability and reactions.
  void finish(PathPoint& point) const {
    Equilibrium found = find_equilibrium(point.system, point.at.state, Regime::statics, Seek::nearest);
    if (found.report.accepted()) point.at = std::move(found);
  }

  // Of the parameter along the arc at the point last gone to, and where the path sets out.
  double slope() const { return slope_; }
  double first_slope() const { return tangent_[unknowns() - 1]; }
  // Where the path sets out to, whatever the independent coordinates: scaled velocities, states, the
  // parameter.
  Eigen::VectorXd direction() const {
    const Eigen::MatrixXd R = here_->basis(here_->about());
    const Eigen::Map<const Eigen::VectorXd> scale(here_->system().coordinate_scale().data(), R.rows());
    Eigen::VectorXd all(R.rows() + here_->states() + 1);
    all << (R * tangent_.head(here_->positions())).cwiseQuotient(scale), tangent_.tail(here_->states() + 1);
    return all;
  }

 private:
  Eigen::Index unknowns() const { return here_->positions() + here_->states() + 1; }

  // The unbalanced forces at (z, x, p), relative to where the path sets out.
  Report residual(const Eigen::VectorXd& Y, Eigen::VectorXd& r, PathPoint* point = nullptr) {
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

  Eigen::VectorXd whole_y(const Eigen::VectorXd& Y) const {
    Eigen::VectorXd y = here_->origin();
    y.head(here_->positions()) += Y.head(here_->positions());
    y.tail(here_->states()) += Y.segment(here_->positions(), here_->states());
    return y;
  }

  Report jacobian(const Eigen::VectorXd& Y, Eigen::MatrixXd& J) {
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
    Eigen::VectorXd ahead, behind, there = Y;
    there[n - 1] = Y[n - 1] + kParameterMove;
    Report report = residual(there, ahead);
    if (!report.accepted()) return report;
    there[n - 1] = Y[n - 1] - kParameterMove;
    report = residual(there, behind);
    if (!report.accepted()) return report;
    J.resize(ahead.size(), n);
    J << by_position.values, (ahead - behind) / (2 * kParameterMove);
    return report;
  }

  static Eigen::VectorXd tangent_of(const Eigen::MatrixXd& J) {
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(J);
    return Eigen::VectorXd(lu.kernel().col(0)).normalized();
  }

  const Mechanism& mechanism_;
  std::string parameter_;
  double from_, range_;
  system::Coordinates coordinates_;
  std::unique_ptr<LocalMotion> here_;
  double value_ = 0, slope_ = 0;
  Eigen::VectorXd tangent_;
};

// The point between where the path sets out and `arc` at which the parameter turns back: regula falsi on its
// slope.
void locate_turn(PathFollower& follower, double arc, PathPoint& point) {
  double a = 0, fa = follower.first_slope(), b = arc, fb = follower.slope();
  for (int k = 0; k < 40 && std::abs(b - a) > kShortestArc * kShortestArc; ++k) {
    const double middle = b - fb * (b - a) / (fb - fa);
    int corrections = 0;
    if (!follower.go(middle, point, corrections).accepted()) return;
    const double f = follower.slope();
    if (std::abs(f) < kAtLimitPoint) break;
    if ((f > 0) == (fb > 0)) {
      b = middle, fb = f, fa *= 0.5;  // Illinois
    } else {
      a = b, fa = fb, b = middle, fb = f;
    }
  }
  point.is_limit = true;
}

// Until the parameter passes `to`, or as far as the path goes.
void follow(PathFollower& follower, double to, int most_points, FollowedPath& path) {
  double arc = kFirstArc;
  Eigen::VectorXd before;
  while (static_cast<int>(path.points.size()) < most_points) {
    path.report = follower.set_out(path.points.back(), before.size() > 0 ? &before : nullptr);
    if (!path.report.accepted()) break;
    PathPoint next;
    int corrections = 0;
    while (!(path.report = follower.go(arc, next, corrections)).accepted() && arc > kShortestArc) arc /= 4;
    if (!path.report.accepted()) break;
    const bool turns = (follower.slope() > 0) != (follower.first_slope() > 0);
    const bool ends = (next.value - to) * (path.points.back().value - to) <= 0;
    const Eigen::VectorXd ahead = follower.direction();
    if (turns && !ends) {
      PathPoint turn;
      locate_turn(follower, arc, turn);
      if (turn.is_limit) {
        follower.finish(turn);
        path.points.push_back(std::move(turn));
      }
    }
    if (ends) {
      // Lands on the end: the equilibrium there nearest to this one.
      next.value = to;
      next.system = follower.system_at(to);
    }
    follower.finish(next);
    path.points.push_back(std::move(next));
    if (ends) return;
    before = ahead;
    if (corrections <= kFewCorrections) arc = std::min(1.5 * arc, kLongestArc);
  }
}

}  // namespace

FollowedPath follow_equilibria(const Mechanism& mechanism, const std::string& parameter, double from,
                               double to, Seek seek, int most_points) {
  FollowedPath path;
  if (from == to)
    throw std::invalid_argument("a path of equilibria needs two different values of the parameter");
  PathFollower follower(mechanism, parameter, from, to);
  try {
    PathPoint first = follower.begin(seek, path.report);
    if (!path.report.accepted()) return path;
    path.points.push_back(std::move(first));
    follow(follower, to, most_points, path);
  } catch (const std::invalid_argument& error) {
    // The model cannot have a value that lies ahead.
    path.report.outcome = Outcome::refused;
    path.report.message = error.what();
    return path;
  }
  if (path.points.back().value == to) return path;
  if (path.report.accepted()) path.report.outcome = Outcome::not_converged;
  path.report.message =
      fmt::format("the path of equilibria does not come to {} = {:.6g}: it ends after {} points at {:.6g}",
                  parameter, to, path.points.size(), path.points.back().value);
  return path;
}

}  // namespace trammel::analysis
