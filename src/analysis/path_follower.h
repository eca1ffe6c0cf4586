// PathFollower: points of a path of equilibria at a distance along it.
//
//   r(z, x, p) = 0,   τᵀ(z, x, p) = s            τ: the tangent where the path sets out
//
// Lengths are in units of what counts as one and of the parameter's range.
#pragma once

#include <memory>
#include <string>

#include "analysis/equilibrium_path.h"

namespace trammel::analysis {

class PathFollower {
 public:
  PathFollower(const Mechanism& mechanism, std::string parameter, double from, double to)
      : mechanism_(mechanism), parameter_(std::move(parameter)), from_(from), range_(to - from) {}

  std::shared_ptr<const system::System> system_at(double value) const;
  // The first point, from the assembled start at `from`.
  PathPoint begin(Seek seek, Report& report);
  // Coordinates about a point, and the direction in which the path goes on: ahead of `before`, or at first
  // towards the end. Where paths cross, the one straight ahead.
  [[nodiscard]] Report set_out(const PathPoint& point, const Eigen::VectorXd* before);
  // The point at a distance along the path.
  [[nodiscard]] Report go(double arc, PathPoint& point, int& corrections);
  // On the tangent of the point last gone to: next to a place where go() fails because paths cross.
  [[nodiscard]] Report go_beside(double arc, PathPoint& point);
  // Turns their result into an equilibrium with its stability and reactions.
  void finish(PathPoint& point) const;

  // Of the parameter along the arc at the point last gone to, and where the path sets out.
  double slope() const { return slope_; }
  double first_slope() const { return tangent_[unknowns() - 1]; }
  // The point last gone to: how far along the arc.
  double last_arc() const { return last_.dot(tangent_); }
  // Where the path sets out to, whatever the independent coordinates: scaled velocities, states, the
  // parameter.
  Eigen::VectorXd direction() const { return in_velocities(tangent_); }

 private:
  Eigen::Index unknowns() const { return here_->positions() + here_->states() + 1; }
  Eigen::VectorXd in_velocities(const Eigen::VectorXd& of) const;
  // The unbalanced forces at (z, x, p), relative to where the path sets out.
  Report residual(const Eigen::VectorXd& Y, Eigen::VectorXd& r, PathPoint* point = nullptr) const;
  Eigen::VectorXd whole_y(const Eigen::VectorXd& Y) const;
  Report jacobian(const Eigen::VectorXd& Y, Eigen::MatrixXd& J) const;
  Report slope_by_parameter(const Eigen::VectorXd& Y, Eigen::VectorXd& slope) const;

  const Mechanism& mechanism_;
  std::string parameter_;
  double from_, range_;
  system::Coordinates coordinates_;
  std::unique_ptr<LocalMotion> here_;
  double value_ = 0, slope_ = 0;
  Eigen::VectorXd tangent_, last_, last_tangent_;
};

}  // namespace trammel::analysis
