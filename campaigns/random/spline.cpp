#include "spline.h"

#include <Eigen/LU>
#include <cmath>

namespace trammel::campaigns::random {

Spline::Spline(std::vector<Vector3d> through) : p_(std::move(through)) {
  const auto n = static_cast<Eigen::Index>(p_.size());
  const auto at = [&](Eigen::Index i) { return static_cast<std::size_t>((i + n) % n); };
  for (Eigen::Index i = 0; i < n; ++i) h_.push_back((p_[at(i + 1)] - p_[at(i)]).norm()), length_ += h_.back();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), B(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double before = h_[at(i - 1)], after = h_[at(i)];
    A(i, static_cast<Eigen::Index>(at(i - 1))) += before;
    A(i, i) += 2 * (before + after);
    A(i, static_cast<Eigen::Index>(at(i + 1))) += after;
    B.row(i) = 6 * ((p_[at(i + 1)] - p_[at(i)]) / after - (p_[at(i)] - p_[at(i - 1)]) / before).transpose();
  }
  const Eigen::MatrixXd M = A.partialPivLu().solve(B);
  for (Eigen::Index i = 0; i < n; ++i) M_.push_back(M.row(i).transpose());
}

Spline::Point Spline::at(double s) const {
  s -= length_ * std::floor(s / length_);
  std::size_t i = 0;
  while (i + 1 < p_.size() && s > h_[i]) s -= h_[i++];
  const std::size_t k = (i + 1) % p_.size();
  const double h = h_[i], r = h - s;
  const Vector3d a = p_[i] / h - M_[i] * h / 6, b = p_[k] / h - M_[k] * h / 6;
  return {M_[i] * (r * r * r / (6 * h)) + M_[k] * (s * s * s / (6 * h)) + a * r + b * s,
          -M_[i] * (r * r / (2 * h)) + M_[k] * (s * s / (2 * h)) - a + b, M_[i] * (r / h) + M_[k] * (s / h)};
}

double Spline::foot(const Vector3d& place) const {
  constexpr int kSamples = 8;  // between two places
  double best = 0, nearest = INFINITY, start = 0;
  for (const double h : h_) {
    for (int k = 0; k < kSamples; ++k) {
      const double s = start + h * k / kSamples, away = (at(s).c - place).squaredNorm();
      if (away < nearest) nearest = away, best = s;
    }
    start += h;
  }
  // (c − p)·c' = 0
  for (int k = 0; k < 20; ++k) {
    const Point on = at(best);
    const double move = (on.c - place).dot(on.d) / (on.d.squaredNorm() + (on.c - place).dot(on.dd));
    best -= move;
    if (std::abs(move) < 1e-15 * length_) break;
  }
  return best;
}

}  // namespace trammel::campaigns::random
