#include "analysis/turning_axes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace trammel::analysis {
namespace {

// Of the fastest speed: rounding, as of a bicycle that runs straight.
constexpr double kNoSpin = 1e-9;

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& w) {
  return Eigen::Matrix3d{{0, -w.z(), w.y()}, {w.z(), 0, -w.x()}, {-w.y(), w.x(), 0}};
}

// Puts a block into the rows and columns of a triple.
void put(const std::array<Eigen::Index, 3>& at, const Eigen::Matrix3d& block, Eigen::MatrixXd& matrix) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      matrix(at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]) = block(i, j);
}

}  // namespace

TurningAxes::TurningAxes(const LocalMotion& motion) : size_(motion.size()) {
  const std::vector<int> positions = motion.position_columns(), velocities = motion.velocity_columns();
  const auto find = [](const std::vector<int>& columns, int first, Eigen::Index before, Triple& triple) {
    for (int k = 0; k < 3; ++k) {
      const auto found = std::ranges::find(columns, first + k);
      if (found == columns.end()) return false;
      triple.at[static_cast<std::size_t>(k)] = before + (found - columns.begin());
    }
    return true;
  };
  double fastest = 0;
  for (std::size_t k = 0; k < motion.about().v.size(); ++k)
    fastest = std::max(fastest, std::abs(motion.about().v[k]) / motion.system().coordinate_scale()[k]);
  for (const int first : motion.system().spins_in_own_axes()) {
    const double* v = motion.about().v.data() + first;
    Triple angle{{}, {v[0], v[1], v[2]}}, rate = angle;
    if (angle.omega.norm() <= kNoSpin * fastest) continue;
    bodies_.push_back(motion.system().coordinate_owner(first));
    if (find(positions, first, 0, angle) && find(velocities, first, motion.positions(), rate))
      triples_.insert(triples_.end(), {angle, rate});
    else
      whole_ = false;
  }
}

Eigen::MatrixXd TurningAxes::spin() const {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size_, size_);
  for (const Triple& triple : triples_) put(triple.at, cross_matrix(triple.omega), all);
  return all;
}

Eigen::MatrixXd TurningAxes::turn(double time) const {
  Eigen::MatrixXd all = Eigen::MatrixXd::Identity(size_, size_);
  for (const Triple& triple : triples_) {
    const double speed = triple.omega.norm();
    put(triple.at, Eigen::AngleAxisd(speed * time, triple.omega / speed).toRotationMatrix(), all);
  }
  return all;
}

}  // namespace trammel::analysis
