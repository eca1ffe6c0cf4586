#include "math/rotations.h"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>

namespace trammel::math {

Eigen::Matrix3d shortest_turn(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  const Eigen::Vector3d normal = a.cross(b);
  const double sine = normal.norm();
  const Eigen::Vector3d axis = sine > 0 ? Eigen::Vector3d(normal / sine) : a.unitOrthogonal();
  return Eigen::AngleAxisd(std::atan2(sine, a.dot(b)), axis).toRotationMatrix();
}

Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& m) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

}  // namespace trammel::math
