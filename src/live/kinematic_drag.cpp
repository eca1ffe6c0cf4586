#include "live/kinematic_drag.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/held_freedoms.h"
#include "formulations/projection/assembly.h"

namespace trammel::live {
namespace {

// Velocities of which a dense basis is found between two frames.
constexpr int kMostVelocities = 400;
constexpr int kIterations = 20;
// The longest move of one iteration, in units of what counts as one: projection finds the nearest position.
constexpr double kLongest = 0.2;
constexpr double kRegularization = 1e-9;
constexpr double kArrived = 1e-9;   // of the length scale
constexpr double kSettled = 1e-13;  // of the distance: nearer it does not get
constexpr double kShortest = 1e-3;  // part of a move that is tried

Eigen::MatrixXd jacobian(const system::PlaceView& view, const system::PlaceMotion& motion, int velocities) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, velocities);
  for (std::size_t k = 0; k < view.columns().size(); ++k) J.col(view.columns()[k]) += motion.J[k];
  return J;
}

// The move of one iteration.
Eigen::VectorXd towards(const system::System& system, const State& s, const system::PlaceView& view,
                        const Vec3& target) {
  const Eigen::MatrixXd R = analysis::allowed_velocities(system, s);
  if (R.cols() == 0) return Eigen::VectorXd::Zero(R.rows());
  system::PlaceMotion motion;
  view.see(s, motion);
  const Eigen::MatrixXd G = jacobian(view, motion, system.sizes().v) * R;
  Eigen::MatrixXd normal = G.transpose() * G;
  const double scale = std::max(normal.trace(), 1e-300);
  normal.diagonal().array() += kRegularization * scale;
  Eigen::VectorXd move = R * normal.ldlt().solve(G.transpose() * (target - motion.x));
  const Eigen::Map<const Eigen::VectorXd> one(system.coordinate_scale().data(), R.rows());
  const double longest = move.cwiseQuotient(one).cwiseAbs().maxCoeff();
  if (longest > kLongest) move *= kLongest / longest;
  return move;
}

}  // namespace

Dragged drag(const system::System& system, const State& from, const system::Place& point,
             const Vec3& target) {
  if (system.sizes().v > kMostVelocities)
    throw std::invalid_argument(
        "the mechanism is too large to be dragged while it is paused; pull it while it runs");
  const std::unique_ptr<system::PlaceView> view = system.view(point);
  if (!view)
    throw std::invalid_argument(
        "these coordinates cannot be dragged; choose natural or reference coordinates, or pull while it "
        "runs");
  const auto distance = [&](const State& s) {
    system::PlaceMotion motion;
    view->see(s, motion);
    return (target - motion.x).norm();
  };
  Dragged best{from, distance(from)};
  double part = 1;
  for (int k = 0; k < kIterations && best.distance > kArrived * system.length_scale(); ++k) {
    Eigen::VectorXd move = part * towards(system, best.state, *view, target);
    State next = best.state;
    system.retract(next.q, {move.data(), static_cast<std::size_t>(move.size())});
    const AssemblyReport closed = formulations::assemble_positions(system, next);
    const bool is_closed = closed.report.accepted() && closed.open.empty();
    const double left = is_closed ? distance(next) : best.distance;
    // A target that is out of reach makes full moves too long: then they stay shorter.
    if (left < best.distance * (1 - kSettled))
      best = {std::move(next), left};
    else if ((part /= 4) < kShortest)
      break;
  }
  if (!formulations::close(system, best.state).report.accepted())
    throw std::invalid_argument("the joints cannot be closed where the point is dragged");
  return best;
}

}  // namespace trammel::live
