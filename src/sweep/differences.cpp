#include "sweep/differences.h"

#include <algorithm>

namespace trammel::sweep {

std::pair<double, double> difference_steps(double x, double step, double low, double high) {
  // Both steps fit on one side of every x.
  const double h = std::min(step, (high - low) / 4);
  if (x + h > high) return {-h, -2 * h};
  if (x - h < low) return {h, 2 * h};
  return {h, -h};
}

Difference difference(const Eigen::VectorXd& here, const Eigen::VectorXd& at_u, double u,
                      const Eigen::VectorXd& at_w, double w) {
  const Eigen::VectorXd a = (at_u - here) / u, b = (at_w - here) / w;
  return {(w * a - u * b) / (w - u), a - b};
}

bool is_visible(const Difference& found, Eigen::Index columns) {
  // Errors of runs alone make a slope of a third of its doubt; where steps change on one side only, a half.
  constexpr double kVisible = 5;
  const Eigen::Index length = found.slope.size() / columns;
  for (Eigen::Index c = 0; c < columns; ++c)
    if (found.slope.segment(c * length, length).norm() >
        kVisible * found.doubt.segment(c * length, length).norm())
      return true;
  return false;
}

}  // namespace trammel::sweep
