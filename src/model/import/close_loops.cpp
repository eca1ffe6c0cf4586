// Levenberg–Marquardt on the coordinates q of the joints:
//
//   min Σ |p_a − p_b|² + L² |w|²,   w = log(R_aᵀ R_b)
//
// with the origins p and axes R of the two frames of each loop, and the size L of the robot. Equations of
// coupled joints are further residuals. The derivatives follow from the axis n of each coordinate and a place
// c on it: a turn δq moves p by n × (p − c) δq and turns R by n δq. With the turns α of a and β of b,
//
//   δw = J⁻¹(w) R_bᵀ (β − α),   J⁻¹(w) = 1 + ½ [w] + (1/θ² − cot(θ/2)/(2θ)) [w]²,   θ = |w|.
//
// Unlike equations of parallel axes, w is zero in one position only.
#include "model/import/close_loops.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "model/import/foreign_reader.h"
#include "model/import/robot_motion.h"

namespace trammel::model {
namespace {

// Open by more than rounding: rad, and of the robot's size.
constexpr double kOpen = 1e-9;
// Closed to rounding, of the robot's size.
constexpr double kClosedGap = 1e-12;
// So many starts, at the file's place and shaken. One ends where kPatience iterations gain less than a tenth.
constexpr int kIterations = 300, kPatience = 20, kStarts = 10;
constexpr std::array<double, 2> kShakes = {0.05, 1};  // rad, and of the robot's size
// No coordinate moves further in one iteration: rad, and of the robot's size.
constexpr double kFurthest = 0.5;
// Beyond this many coordinates the dense equations would take minutes.
constexpr std::size_t kMostFreedoms = 1000;
// Frames that stand further apart could be assembled with opposite axes: rad.
constexpr double kAmbiguous = 1;
// Rounding of a coordinate at its limit: rad, m.
constexpr double kAtLimit = 1e-12;

Mat3 cross_matrix(const Vec3& w) {
  Mat3 m;
  m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return m;
}

Vec3 log_of(const Mat3& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

Mat3 inverse_jacobian(const Vec3& w) {
  const double angle = w.norm();
  const Mat3 W = cross_matrix(w);
  // 1/12 + θ²/720 + …: below, the difference would lose digits.
  const double factor = angle < 1e-3 ? 1.0 / 12 : 1 / (angle * angle) - 1 / (2 * angle * std::tan(angle / 2));
  return Mat3::Identity() + 0.5 * W + factor * W * W;
}

double size_of(const Robot& robot) {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  const auto see = [&](const Vec3& at) {
    low = low.cwiseMin(at);
    high = high.cwiseMax(at);
  };
  for (const RobotBody& body : robot.bodies) see(body.placement.at);
  for (const RobotLoop& loop : robot.loops) see(loop.on_first.at), see(loop.on_second.at);
  const double size = (high - low).norm();
  return size > 0 ? size : 1;
}

double turn_of(const RobotLoop& loop) {
  return loop.whole ? log_of(loop.on_first.axes.transpose() * loop.on_second.axes).norm() : 0;
}

class LoopSolver {
 public:
  // `holds_limits`: of each joint.
  LoopSolver(const Robot& robot, double size, const std::vector<bool>& holds_limits)
      : robot_(robot), size_(size), holds_limits_(holds_limits), motion_(robot) {
    for (const RobotLoop& loop : robot.loops)
      moving_.push_back({motion_.moving(loop.first), motion_.moving(loop.second)});
    coordinate_.assign(robot.joints.size(), -1);
    for (std::size_t k = 0; k < motion_.freedoms().size(); ++k)
      if (const int joint = motion_.freedoms()[k].joint; joint >= 0)
        coordinate_[static_cast<std::size_t>(joint)] = static_cast<int>(k);
    for (const RobotCoupling& c : robot.couplings)
      constants_.push_back(value(c.first, {}) - c.multiplier * value(c.second, {}));
  }

  const RobotMotion& motion() const { return motion_; }
  double largest_open() const { return residual({}).cwiseAbs().maxCoeff(); }

  // Damping falls after a step that gains, and grows until one does; beyond 1e12 no step is left.
  bool solve() {
    double damping = 1e-3, before = INFINITY;
    Eigen::VectorXd open = residual({});
    for (int i = 0; i < kIterations && open.cwiseAbs().maxCoeff() > kClosedGap * size_; ++i) {
      if (i % kPatience == 0 && open.norm() > 0.9 * std::exchange(before, open.norm())) break;
      const Eigen::MatrixXd J = jacobian(open);
      const Eigen::VectorXd slope = -J.transpose() * open;
      const std::vector<bool> is_held = held(slope);
      bool is_better = false;
      for (; !is_better && damping < 1e12; damping *= is_better ? 0.1 : 4) {
        const std::vector<double> by = step(J, slope, is_held, damping);
        const Eigen::VectorXd then = residual(by);
        is_better = then.squaredNorm() < open.squaredNorm();
        if (!is_better) continue;
        motion_.move(by);
        open = residual({});
      }
      if (!is_better) break;
      damping = std::max(damping, 1e-14);
    }
    return open.cwiseAbs().maxCoeff() <= kNearlyClosed * size_;
  }

  // Another start: coordinates moved by up to so much.
  void shake(double by, std::mt19937& random) {
    std::vector<double> all;
    for (const RobotFreedom& f : motion_.freedoms()) {
      const double part = 2 * static_cast<double>(random()) / static_cast<double>(std::mt19937::max()) - 1;
      all.push_back(limited(f, by * part * (f.turns ? 1 : size_)));
    }
    motion_.move(all);
  }

 private:
  // Rounding of long chains leaves this; assembly closes the rest.
  static constexpr double kNearlyClosed = 1e-10;

  double value(int joint, const std::vector<double>& by) const {
    const int k = coordinate_[static_cast<std::size_t>(joint)];
    if (k < 0) return robot_.joint(joint).start;
    const auto at = static_cast<std::size_t>(k);
    return motion_.freedoms()[at].value + (by.empty() ? 0 : by[at]);
  }
  double sum(const std::vector<RobotTerm>& terms, const std::vector<double>& by) const {
    double out = 0;
    for (const RobotTerm& t : terms) out += t.coefficient * value(t.joint, by);
    return out;
  }

  std::size_t rows() const {
    std::size_t rows = robot_.couplings.size() + robot_.relations.size();
    for (const RobotLoop& loop : robot_.loops) rows += loop.whole ? 6 : 3;
    return rows;
  }

  Frame placed(int body, const Frame& frame, const std::vector<Frame>& motion) const {
    const Frame there = motion_.since_start(body) * frame;
    return motion.empty() ? there : motion[static_cast<std::size_t>(robot_.whole(body))] * there;
  }

  // Where the coordinates have moved by so much from now; empty: now.
  Eigen::VectorXd residual(const std::vector<double>& by) const {
    const std::vector<Frame> motion = by.empty() ? std::vector<Frame>() : motion_.moved(by);
    Eigen::VectorXd r(static_cast<Eigen::Index>(rows()));
    Eigen::Index row = 0;
    for (const RobotLoop& loop : robot_.loops) {
      const Frame a = placed(loop.first, loop.on_first, motion),
                  b = placed(loop.second, loop.on_second, motion);
      r.segment<3>(row) = a.at - b.at;
      row += 3;
      if (!loop.whole) continue;
      r.segment<3>(row) = size_ * log_of(a.axes.transpose() * b.axes);
      row += 3;
    }
    for (std::size_t i = 0; i < robot_.couplings.size(); ++i) {
      const RobotCoupling& c = robot_.couplings[i];
      r[row++] = size_ * (value(c.first, by) - c.multiplier * value(c.second, by) - constants_[i]);
    }
    for (const RobotRelation& relation : robot_.relations) {
      const double x = sum(relation.right, by) - relation.right_at;
      double follows = 0;
      for (std::size_t k = relation.polynomial.size(); k-- > 0;)
        follows = follows * x + relation.polynomial[k];
      r[row++] = size_ * (sum(relation.left, by) - relation.left_at - follows);
    }
    return r;
  }

  Eigen::MatrixXd jacobian(const Eigen::VectorXd& open) const {
    const auto& freedoms = motion_.freedoms();
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(open.size(), static_cast<Eigen::Index>(freedoms.size()));
    Eigen::Index row = 0;
    for (std::size_t l = 0; l < robot_.loops.size(); ++l) {
      const RobotLoop& loop = robot_.loops[l];
      const Frame a = placed(loop.first, loop.on_first, {}), b = placed(loop.second, loop.on_second, {});
      const Mat3 turning =
          loop.whole ? Mat3(size_ * inverse_jacobian(open.segment<3>(row + 3) / size_) * b.axes.transpose())
                     : Mat3::Zero();
      const auto add = [&](const std::vector<std::size_t>& moving, const Vec3& p, double sign) {
        for (const std::size_t k : moving) {
          const RobotFreedom& f = freedoms[k];
          const auto column = static_cast<Eigen::Index>(k);
          J.block<3, 1>(row, column) += sign * (f.turns ? Vec3(f.axis.cross(p - f.at)) : f.axis);
          if (loop.whole && f.turns) J.block<3, 1>(row + 3, column) -= sign * turning * f.axis;
        }
      };
      add(moving_[l][0], a.at, 1);
      add(moving_[l][1], b.at, -1);
      row += loop.whole ? 6 : 3;
    }
    const auto add = [&](int joint, double slope) {
      if (const int k = coordinate_[static_cast<std::size_t>(joint)]; k >= 0) J(row, k) += size_ * slope;
    };
    for (const RobotCoupling& c : robot_.couplings) {
      add(c.first, 1);
      add(c.second, -c.multiplier);
      ++row;
    }
    for (const RobotRelation& relation : robot_.relations) {
      const double x = sum(relation.right, {}) - relation.right_at;
      double slope = 0;
      for (std::size_t k = relation.polynomial.size(); k-- > 1;)
        slope = slope * x + static_cast<double>(k) * relation.polynomial[k];
      for (const RobotTerm& t : relation.left) add(t.joint, t.coefficient);
      for (const RobotTerm& t : relation.right) add(t.joint, -slope * t.coefficient);
      ++row;
    }
    return J;
  }

  // Coordinates that stand at a limit and would go on.
  std::vector<bool> held(const Eigen::VectorXd& slope) const {
    std::vector<bool> out(motion_.freedoms().size(), false);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const RobotFreedom& f = motion_.freedoms()[k];
      const double down = slope[static_cast<Eigen::Index>(k)];
      out[k] = holds_limits(f) &&
               ((f.lower && f.value <= *f.lower && down < 0) || (f.upper && f.value >= *f.upper && down > 0));
    }
    return out;
  }

  bool holds_limits(const RobotFreedom& f) const {
    return f.joint >= 0 && holds_limits_[static_cast<std::size_t>(f.joint)];
  }

  double limited(const RobotFreedom& f, double by) const {
    if (!holds_limits(f)) return by;
    if (f.lower) by = std::max(by, *f.lower - f.value);
    if (f.upper) by = std::min(by, *f.upper - f.value);
    return by;
  }

  std::vector<double> step(const Eigen::MatrixXd& J, const Eigen::VectorXd& slope,
                           const std::vector<bool>& is_held, double damping) const {
    Eigen::MatrixXd H = J.transpose() * J;
    Eigen::VectorXd by = slope;
    for (Eigen::Index k = 0; k < H.rows(); ++k) {
      const double unit = motion_.freedoms()[static_cast<std::size_t>(k)].turns ? size_ * size_ : 1;
      if (is_held[static_cast<std::size_t>(k)]) {
        H.row(k).setZero();
        H.col(k).setZero();
        by[k] = 0;
      }
      H(k, k) += damping * unit;
    }
    by = H.ldlt().solve(by).eval();
    double largest = 0;
    for (Eigen::Index k = 0; k < by.size(); ++k)
      largest = std::max(
          largest, std::abs(by[k]) / (motion_.freedoms()[static_cast<std::size_t>(k)].turns ? 1 : size_));
    if (largest > kFurthest) by *= kFurthest / largest;
    std::vector<double> out;
    for (Eigen::Index k = 0; k < by.size(); ++k)
      out.push_back(limited(motion_.freedoms()[static_cast<std::size_t>(k)], by[k]));
    return out;
  }

  const Robot& robot_;
  double size_;
  std::vector<bool> holds_limits_;
  RobotMotion motion_;
  std::vector<std::array<std::vector<std::size_t>, 2>> moving_;  // of each loop's frames
  std::vector<int> coordinate_;                                  // of each joint the last freedom, or −1
  std::vector<double> constants_;                                // of couplings
};

// What a closed position moved, or none.
std::optional<RobotMotion> closed(const Robot& robot, double size, const std::vector<bool>& holds_limits) {
  std::mt19937 random;  // the same starts always
  for (int k = 0; k < kStarts; ++k) {
    LoopSolver solver(robot, size, holds_limits);
    if (k > 0) solver.shake(kShakes[static_cast<std::size_t>(k) % kShakes.size()], random);
    if (solver.solve()) return solver.motion();
  }
  return {};
}

// Within all limits; else outside of those of one joint; else wherever the loops close.
std::optional<RobotMotion> closed(const Robot& robot, double size) {
  const std::vector<bool> all(robot.joints.size(), true), none(robot.joints.size(), false);
  if (auto within = closed(robot, size, all)) return within;
  const std::optional<RobotMotion> anywhere = closed(robot, size, none);
  if (!anywhere) return {};
  for (const RobotFreedom& f : anywhere->freedoms()) {
    if (!(f.lower && f.value < *f.lower - kAtLimit) && !(f.upper && f.value > *f.upper + kAtLimit)) continue;
    std::vector<bool> but_one = all;
    but_one[static_cast<std::size_t>(f.joint)] = false;
    if (auto outside_of_one = closed(robot, size, but_one)) return outside_of_one;
  }
  return anywhere;
}

bool can_move(const Robot& robot, const RobotMotion& motion) {
  return motion.is_tree() && motion.freedoms().size() <= kMostFreedoms &&
         // The spring of a ball counts from the start.
         std::ranges::none_of(robot.joints, [](const RobotJoint& j) {
           return j.kind == Joint::Kind::spherical && j.stiffness != 0;
         });
}

// A stop needs a start within its limits. False: it is left out, and the file has no element that says so, as
// MJCF, which has limits in attributes and classes.
bool drop_limits(RobotJoint& joint) {
  if (joint.lower && joint.start < *joint.lower && joint.start > *joint.lower - kAtLimit)
    joint.lower = joint.start;
  if (joint.upper && joint.start > *joint.upper && joint.start < *joint.upper + kAtLimit)
    joint.upper = joint.start;
  if (!(joint.lower && joint.start < *joint.lower) && !(joint.upper && joint.start > *joint.upper))
    return true;
  joint.lower.reset();
  joint.upper.reset();
  XmlNode* limit = joint.node != nullptr ? joint.node->child("limit") : nullptr;
  if (limit == nullptr) return false;
  ForeignReader::ignore(
      *limit,
      "no position was found that closes the loops within these limits and the others: no stop is made",
      true);
  return true;
}

}  // namespace

LoopClosing close_loops(Robot& robot) {
  if (robot.loops.empty() && robot.relations.empty()) return {};
  const double size = size_of(robot);
  std::optional<RobotMotion> motion;
  if (can_move(robot, RobotMotion(robot))) {
    if (LoopSolver(robot, size, std::vector<bool>(robot.joints.size(), false)).largest_open() <= kOpen * size)
      return {};
    motion = closed(robot, size);
  }
  LoopClosing out;
  if (!motion) {
    const auto worst = std::ranges::max_element(robot.loops, {}, turn_of);
    if (worst != robot.loops.end() && turn_of(*worst) > kAmbiguous)
      out.failure = fmt::format(
          "the loops do not close: the frames of '{}' are {:.3g} rad apart, and no position was found in "
          "which "
          "all loops close",
          worst->name, turn_of(*worst));
    return out;
  }
  for (const RobotBody& body : robot.bodies) {
    const Frame& by = motion->since_start(static_cast<int>(&body - robot.bodies.data()));
    out.largest_move =
        std::max(out.largest_move, (by.at + by.axes * body.placement.at - body.placement.at).norm());
  }
  motion->stand(robot);
  for (RobotJoint& joint : robot.joints)
    if (!joint.is_gone && joint.has_coordinate() && !drop_limits(joint))
      out.without_stop.push_back(joint.name);
  return out;
}

}  // namespace trammel::model
