// Vectors of Eigen as spans.
#pragma once

#include <Eigen/Core>
#include <span>

namespace trammel::math {

inline std::span<const double> view(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
inline std::span<double> view(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

}  // namespace trammel::math
