#include "sweep/least_squares.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

namespace trammel::sweep {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A step that gains this part of what the linear model promises shows that it holds.
constexpr double kLinear = 0.75;
// A parameter that keeps its sign changes at most by this factor in a step: far from the minimum the linear
// model would send it to zero.
constexpr double kFactor = 3;
constexpr double kRounding = 1e-13;

// M of the header, relative to the number of residuals: a change by 1e-9 is one of the squares by 1e-9.
double merit(const VectorXd& r, Eigen::Index columns) {
  return 2 * deviations(r, columns).array().log().mean();
}

// Residuals and derivatives with rows divided by their deviations, so that |r|² is their number; and the
// parameters that are free to move.
struct Weighted {
  VectorXd r;
  MatrixXd J;
  std::vector<Eigen::Index> free;
};

Weighted weighted(const LeastSquares& problem, const LeastSquaresResult& at) {
  Weighted out{at.r, at.J, {}};
  const Eigen::Index length = at.r.size() / problem.columns;
  const VectorXd scale = deviations(at.r, problem.columns);
  for (Eigen::Index c = 0; c < problem.columns; ++c) {
    out.r.segment(c * length, length) /= scale[c];
    out.J.middleRows(c * length, length) /= scale[c];
  }
  const VectorXd gradient = out.J.transpose() * out.r;
  for (Eigen::Index k = 0; k < at.x.size(); ++k) {
    const bool held =
        (at.x[k] <= problem.low[k] && gradient[k] > 0) || (at.x[k] >= problem.high[k] && gradient[k] < 0);
    if (!held && out.J.col(k).norm() > 0) out.free.push_back(k);
  }
  return out;
}

// Minimizes |r + J δ|² + λ Σ(|J_k| δ_k)² over the δ of these parameters.
VectorXd damped_least(const MatrixXd& J, const VectorXd& r, const std::vector<Eigen::Index>& free,
                      double damping) {
  const auto n = static_cast<Eigen::Index>(free.size());
  MatrixXd rows = MatrixXd::Zero(r.size() + n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    rows.col(k).head(r.size()) = J.col(free[static_cast<std::size_t>(k)]);
    rows(r.size() + k, k) = std::sqrt(damping) * rows.col(k).norm();
  }
  VectorXd right = VectorXd::Zero(rows.rows());
  right.head(r.size()) = -r;
  return rows.colPivHouseholderQr().solve(right);
}

// Where a step of one parameter may end.
double limited(const LeastSquares& problem, double x, double end, Eigen::Index k) {
  if (problem.low[k] > 0) end = std::clamp(end, x / kFactor, x * kFactor);
  if (problem.high[k] < 0) end = std::clamp(end, x * kFactor, x / kFactor);
  return std::clamp(end, problem.low[k], problem.high[k]);
}

// The step for a damping. Parameters that would pass their limits go as far as these, and the step of the
// others is computed anew.
VectorXd damped_step(const LeastSquares& problem, const VectorXd& x, Weighted at, double damping) {
  VectorXd step = VectorXd::Zero(x.size());
  while (!at.free.empty()) {
    const VectorXd found = damped_least(at.J, at.r, at.free, damping);
    std::vector<Eigen::Index> left;
    for (std::size_t i = 0; i < at.free.size(); ++i) {
      const Eigen::Index k = at.free[i];
      const double wanted = x[k] + found[static_cast<Eigen::Index>(i)],
                   end = limited(problem, x[k], wanted, k);
      step[k] = end - x[k];
      if (end == wanted) left.push_back(k);
    }
    if (left.size() == at.free.size()) break;
    for (const Eigen::Index k : at.free)
      if (std::ranges::count(left, k) == 0) at.r += at.J.col(k) * step[k];
    at.free = std::move(left);
  }
  return step;
}

// Whether no step of the free parameters promises anything: less of the squares than a part of them that is
// rounding, or than a hundredth of what one standard error makes; or the model meets all residuals to six
// digits.
bool is_least(const LeastSquares& problem, const LeastSquaresResult& at) {
  // What differences of runs do not determine promises only their rounding.
  constexpr double kUnseen = 1e-4, kMet = 1e-6, kUndetermined = 1e-10;
  const Weighted here = weighted(problem, at);
  if (here.free.empty() || deviations(at.r, problem.columns).maxCoeff() < kMet) return true;
  const VectorXd step = damped_least(here.J, here.r, here.free, kUndetermined);
  VectorXd left = here.r;
  for (std::size_t i = 0; i < here.free.size(); ++i)
    left += here.J.col(here.free[i]) * step[static_cast<Eigen::Index>(i)];
  const double promised = here.r.squaredNorm() - left.squaredNorm();
  return promised < std::max(kUnseen, problem.small_decrease * static_cast<double>(at.r.size()));
}

LeastSquaresResult ended(const LeastSquares& problem, LeastSquaresResult at) {
  at.converged = is_least(problem, at);
  if (!at.converged)
    at.message =
        "no step makes the residuals smaller, although the derivatives promise it; compute the runs more "
        "exactly (--tolerance), or start from other values";
  return at;
}

// I_x(a, b), the regularized incomplete beta function, by its continued fraction (Lentz's method; NIST
// DLMF 8.17.22).
double incomplete_beta(double x, double a, double b) {
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(1 - x, b, a);
  constexpr double kTiny = 1e-300;
  double c = 1, d = 1 / std::max(kTiny, 1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                 odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d, c = 1 + term / c;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d), c = std::abs(c) < kTiny ? kTiny : c;
      factor = c * d;
      fraction *= factor;
    }
    if (std::abs(factor - 1) < 1e-15) break;
  }
  const double front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(front) / a * fraction;
}

// The probability beyond t.
double student_tail(double t, double n) { return incomplete_beta(n / (n + t * t), n / 2, 0.5) / 2; }

}  // namespace

VectorXd deviations(const VectorXd& r, Eigen::Index columns) {
  const Eigen::Index length = r.size() / columns;
  VectorXd all(columns);
  for (Eigen::Index c = 0; c < columns; ++c)
    all[c] =
        std::hypot(r.segment(c * length, length).norm() / std::sqrt(static_cast<double>(length)), kRounding);
  return all;
}

LeastSquaresResult solve(const LeastSquares& problem, const VectorXd& start) {
  LeastSquaresResult at;
  at.x = start.cwiseMax(problem.low).cwiseMin(problem.high);
  if (!problem.residuals(at.x, at.r)) {
    at.message = "there is no run at the start";
    return at;
  }
  double damping = 1e-3, growth = 2;
  for (int step = 0; step < problem.most_steps; ++step) {
    if (at.message = problem.jacobian(at.x, at.r, at.J); !at.message.empty()) return at;
    const Weighted here = weighted(problem, at);
    for (bool accepted = false; !accepted;) {
      const VectorXd move = damped_step(problem, at.x, here, damping);
      const double size = (move.array() / (at.x.array().abs() + 1e-300)).abs().maxCoeff();
      if (size < problem.small_step || damping > 1e14) return ended(problem, at);
      const VectorXd tried = at.x + move;
      VectorXd r;
      const double before = merit(at.r, problem.columns);
      const double gained = problem.residuals(tried, r) ? before - merit(r, problem.columns) : -INFINITY;
      const double expected = before - merit(at.r + at.J * move, problem.columns);
      accepted = gained > 0 && expected > 0;
      if (!accepted) {
        // Nothing is gained by a step that is as small as rounding.
        if (expected > 0 && expected < problem.small_decrease) return ended(problem, at);
        damping *= growth, growth *= 2;
        continue;
      }
      at.x = tried, at.r = r;
      // Where the linear model holds, the next step is nearly undamped: one that is refused costs one run, a
      // Jacobian two for each parameter.
      const double gain = gained / expected;
      damping *= gain > kLinear ? 0.01 : std::max(1.0 / 3, 1 - std::pow(2 * gain - 1, 3));
      damping = std::max(damping, 1e-12), growth = 2;
    }
  }
  at.message =
      "the residuals still decrease after the largest number of steps; start from other values, or give "
      "bounds";
  return at;
}

double student_quantile(double u, double freedoms) {
  if (u < 0.5) return -student_quantile(1 - u, freedoms);
  if (u == 0.5) return 0;
  double low = 0, high = 1;
  while (student_tail(high, freedoms) > 1 - u) high *= 2;
  // Sixty halvings leave rounding.
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (student_tail(middle, freedoms) > 1 - u ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace trammel::sweep
