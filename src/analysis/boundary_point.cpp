#include "analysis/boundary_point.h"

#include <algorithm>
#include <cmath>

#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

constexpr int kNewtonSteps = 12;
// u is refined until it moves by less than this: p then errs by its square.
constexpr double kRefined = 1e-7;
// The equations of a refined point are fulfilled to this.
constexpr double kSolved = 1e-6;
// Differences of P: errors of h² and of rounding by h are equal about here.
constexpr double kNudgeAside = 1e-4;
// A refined point lies within this many cells of the first guess.
constexpr double kCellsAway = 5;
// Speeds of P and curvatures below this part of the largest are zero: differences err by 1e-8.
constexpr double kNoSpeed = 1e-6, kNoCurvature = 1e-6;
// A coordinate beyond its limit by more has passed it: rounding.
constexpr double kPassed = 1e-9;

using Vec2 = Eigen::Vector2d;

Vec2 quarter_turn(const Vec2& v) { return {-v.y(), v.x()}; }

}  // namespace

// The equations above about m, whose normal turns by φ; with `end`, that limit in place of τ·(p − m) = 0.
struct BoundarySearch::Equations {
  Vec2 m, normal;
  const std::vector<ActiveLimit>& active;
  double scale;  // m, of p
  std::optional<ActiveLimit> end;

  Vec2 outwards(double phi) const { return std::cos(phi) * normal + std::sin(phi) * quarter_turn(normal); }

  Eigen::VectorXd residual(const Sample& at, const Eigen::VectorXd& x) const {
    const Eigen::Index n = at.basis.cols(), a = static_cast<Eigen::Index>(active.size());
    Eigen::VectorXd f(n + 1 + a);
    f.head(n) = at.speed.topRows(2).transpose() * outwards(x[n]) / scale;
    f[n] = end ? at.limited[end->first] - end->second
               : quarter_turn(normal).dot(Vec2(at.at.head<2>() - m)) / scale;
    for (Eigen::Index k = 0; k < a; ++k) {
      const auto [limit, value] = active[static_cast<std::size_t>(k)];
      f.head(n) -= x[n + 1 + k] * at.approach.row(static_cast<Eigen::Index>(limit)).transpose();
      f[n + 1 + k] = at.limited[limit] - value;
    }
    return f;
  }
};

struct BoundarySearch::Solution {
  BoundaryPoint point;
  Eigen::VectorXd mu;
  Eigen::MatrixXd curvature;  // ∂(Pᵀn − Σ μ ∇g)/∂u

  // Whether p stays inside to second order. A limit with μ = 0 holds back no motion to first order: of ±w one
  // leads away from it.
  bool bends_inwards() const {
    const Sample& at = point.sample;
    Eigen::MatrixXd fixed = Eigen::MatrixXd::Zero(2 + mu.size(), at.basis.cols());
    fixed.topRows(2) = at.speed.topRows(2) / at.speed.topRows(2).norm();
    for (Eigen::Index k = 0; k < mu.size(); ++k) {
      const auto limit = static_cast<Eigen::Index>(point.active[static_cast<std::size_t>(k)].first);
      if (std::abs(mu[k]) > kSolved) fixed.row(2 + k) = at.approach.row(limit).normalized();
    }
    const linalg::SymmetricEigen motions = linalg::symmetric_eigen(fixed.transpose() * fixed);
    const Eigen::Index free = (motions.values.array() <= kNoSpeed * kNoSpeed).count();
    if (free == 0) return true;
    const Eigen::MatrixXd w = motions.vectors.leftCols(free);  // eigenvalues ascend
    const Eigen::MatrixXd bend = w.transpose() * (curvature + curvature.transpose()) / 2 * w;
    return linalg::symmetric_eigen(bend).values.maxCoeff() <= kNoCurvature * curvature.cwiseAbs().maxCoeff();
  }
};

std::optional<BoundarySearch::Solution> BoundarySearch::solve(const Equations& equations,
                                                              const Sample& start) {
  const Eigen::Index n = start.basis.cols(), a = static_cast<Eigen::Index>(equations.active.size());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n + 1 + a);  // u, φ, μ
  Sample at;
  for (int i = 0; i < kNewtonSteps; ++i) {
    if (!reach_.move(start, x.head(n), at)) return std::nullopt;
    const Eigen::VectorXd f = equations.residual(at, x);
    Eigen::MatrixXd J(f.size(), x.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      Eigen::VectorXd plus = x, minus = x;
      plus[k] += kNudgeAside;
      minus[k] -= kNudgeAside;
      Sample one, other;
      if (!reach_.move(start, plus.head(n), one) || !reach_.move(start, minus.head(n), other))
        return std::nullopt;
      J.col(k) = (equations.residual(one, plus) - equations.residual(other, minus)) / (2 * kNudgeAside);
    }
    const Eigen::VectorXd step = -linalg::least_squares(J, f);
    const double longest = 3 * reach_.spacing(), length = step.norm();
    if (!std::isfinite(length)) return std::nullopt;
    x += length > longest ? Eigen::VectorXd(step * (longest / length)) : step;
    if (length > kRefined) continue;
    if (!reach_.move(start, x.head(n), at)) return std::nullopt;
    const Vec2 p = at.at.head<2>();
    if ((p - equations.m).norm() > kCellsAway * cell_ || std::abs(x[n]) >= 1) return std::nullopt;
    // Steps of least squares also end where no boundary is.
    if (equations.residual(at, x).cwiseAbs().maxCoeff() > kSolved) return std::nullopt;
    const EdgePoint edge{p, quarter_turn(equations.outwards(x[n])), true};
    return Solution{{edge, at, equations.active}, x.tail(a), J.topLeftCorner(n, n)};
  }
  return std::nullopt;
}

bool BoundarySearch::hold_back(const Solution& solution) const {
  for (std::size_t k = 0; k < solution.point.active.size(); ++k) {
    const auto [limit, value] = solution.point.active[k];
    const double mu = solution.mu[static_cast<Eigen::Index>(k)];
    if ((value == reach_.limits()[limit].upper ? mu : -mu) < -kSolved) return false;
  }
  return true;
}

// The limit that is passed furthest, of those that are not active.
std::optional<ActiveLimit> BoundarySearch::passed(const Solution& solution) const {
  std::optional<ActiveLimit> furthest;
  double most = kPassed;
  const std::vector<ActiveLimit>& active = solution.point.active;
  for (std::size_t l = 0; l < reach_.limits().size(); ++l) {
    if (std::ranges::find(active, l, &ActiveLimit::first) != active.end()) continue;
    const double value = solution.point.sample.limited[l];
    const double bound = std::clamp(value, reach_.limits()[l].lower, reach_.limits()[l].upper);
    if (std::abs(value - bound) <= most) continue;
    most = std::abs(value - bound);
    furthest = {l, bound};
  }
  return furthest;
}

std::optional<BoundaryPoint> BoundarySearch::near(const Vec2& m, const Vec2& normal, const Sample& start,
                                                  const std::vector<ActiveLimit>& active) {
  auto found = solve({m, normal, active, 100 * cell_, {}}, start);
  if (!found || !reach_.within_limits(found->point.sample) || !hold_back(*found) || !found->bends_inwards())
    return std::nullopt;
  return std::move(found->point);
}

std::vector<EdgePoint> BoundarySearch::to_limit(const BoundaryPoint& from, double forward, int steps) {
  std::vector<EdgePoint> way;
  BoundaryPoint here = from;
  for (int k = 0; k < steps; ++k) {
    const Vec2 ahead = here.edge.at + forward * cell_ * here.edge.tangent;
    Equations equations{ahead, -quarter_turn(here.edge.tangent), here.active, 100 * cell_, {}};
    auto next = solve(equations, here.sample);
    if (!next) return {};
    equations.end = passed(*next);
    if (!equations.end) {
      if (!hold_back(*next) || !next->bends_inwards()) return {};
      way.push_back(next->point.edge);
      here = std::move(next->point);
      continue;
    }
    // There the boundary goes on along another limit, so it may bend either way.
    const auto end = solve(equations, here.sample);
    if (!end || !reach_.within_limits(end->point.sample) || !hold_back(*end)) return {};
    way.push_back(end->point.edge);
    return way;
  }
  return {};
}

}  // namespace trammel::analysis
