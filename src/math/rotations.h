// Rotations from what they do.
#pragma once

#include <Eigen/Core>

namespace trammel::math {

// The rotation that turns the direction of a into that of b the shortest way.
Eigen::Matrix3d shortest_turn(const Eigen::Vector3d& a, const Eigen::Vector3d& b);

// The rotation nearest to a right-handed matrix in the sum of squares.
Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& m);

}  // namespace trammel::math
