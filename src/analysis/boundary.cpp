#include "analysis/boundary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/edge_area.h"
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
// An island of less is none, in cells.
constexpr double kSpeck = 16;
// A refined point lies within this many cells of the outline; of so many samples next to it one leads there.
constexpr double kNear = 5;
constexpr std::size_t kTries = 6;
// The limit of a coordinate counts where a sample is within so many spacings of it.
constexpr double kNextToLimit = 1.5;

using Vec2 = Eigen::Vector2d;

// By a quarter turn.
Vec2 turned(const Vec2& v) { return {-v.y(), v.x()}; }

// Cells that are reached.
class Grid {
 public:
  Grid(const Reach& reach, int cells) {
    Vec2 low = Vec2::Constant(INFINITY), high = -low;
    for (const Sample& sample : reach.samples()) {
      const Vec2 extent = reach.spacing() * sample.speed.topRows(2).rowwise().norm();
      low = low.cwiseMin(sample.at.head<2>() - extent);
      high = high.cwiseMax(sample.at.head<2>() + extent);
    }
    size = std::max((high - low).maxCoeff(), 1e-12) / cells;
    origin = low - Vec2::Constant(2 * size);
    columns = static_cast<int>((high - low).x() / size) + 5;
    rows = static_cast<int>((high - low).y() / size) + 5;
    covered.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0);
    for (const Sample& sample : reach.samples()) cover(reach, sample);
  }

  bool at(int i, int j) const {
    return i >= 0 && j >= 0 && i < columns && j < rows && covered[index(i, j)] != 0;
  }
  Vec2 corner(int i, int j) const { return origin + size * Vec2(i, j); }
  // Outwards, from the cells around a corner.
  Vec2 normal(const Vec2& place) const {
    constexpr int kAround = 4;
    const Vec2 local = (place - origin) / size;
    const int ci = static_cast<int>(std::floor(local.x())), cj = static_cast<int>(std::floor(local.y()));
    Vec2 sum = Vec2::Zero();
    for (int i = ci - kAround; i <= ci + kAround; ++i)
      for (int j = cj - kAround; j <= cj + kAround; ++j) {
        const Vec2 from = Vec2(i + 0.5, j + 0.5) - local;
        if (from.norm() <= kAround && at(i, j)) sum -= from;
      }
    return sum.norm() > 0 ? Vec2(sum.normalized()) : Vec2(1, 0);
  }

  Vec2 origin;
  double size = 0;
  int columns = 0, rows = 0;
  std::vector<char> covered;

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(i);
  }

  // Cells whose centre is p + P u with |u| ≤ r and u within the limits.
  void cover(const Reach& reach, const Sample& sample) {
    const Eigen::MatrixXd P = sample.speed.topRows(2);
    const double r = reach.spacing();
    const linalg::SymmetricEigen axes = linalg::symmetric_eigen(P * P.transpose());
    // At least the cell itself.
    const Vec2 half = (r * axes.values.cwiseMax(0).cwiseSqrt()).cwiseMax(0.71 * size);
    const Vec2 extent = (axes.vectors.cwiseAbs2() * half.cwiseAbs2()).cwiseSqrt();
    const Eigen::MatrixXd inverse = linalg::pseudo_inverse(P);
    const auto cell = [&](double x, int axis) {
      return static_cast<int>(std::floor((x - origin[axis]) / size));
    };
    const Vec2 p = sample.at.head<2>();
    for (int i = cell(p.x() - extent.x(), 0); i <= cell(p.x() + extent.x(), 0); ++i)
      for (int j = cell(p.y() - extent.y(), 1); j <= cell(p.y() + extent.y(), 1); ++j) {
        const Vec2 from = corner(i, j) + Vec2::Constant(size / 2) - p;
        if ((axes.vectors.transpose() * from).cwiseQuotient(half).norm() > 1) continue;
        const bool own = from.cwiseAbs().maxCoeff() <= size / 2;
        if (!own && !reach.limits().empty() && beyond(reach, sample, inverse * from)) continue;
        if (i >= 0 && j >= 0 && i < columns && j < rows) covered[index(i, j)] = 1;
      }
  }

  static bool beyond(const Reach& reach, const Sample& sample, const Eigen::VectorXd& u) {
    for (std::size_t l = 0; l < reach.limits().size(); ++l) {
      const double value = sample.limited[l] + sample.approach.row(static_cast<Eigen::Index>(l)).dot(u);
      if (value < reach.limits()[l].lower || value > reach.limits()[l].upper) return true;
    }
    return false;
  }
};

// The edges between covered and other cells, as closed loops with the covered ones to the left.
std::vector<std::vector<Vec2>> outlines(const Grid& grid) {
  std::multimap<std::pair<int, int>, std::pair<int, int>> edges;
  for (int i = 0; i < grid.columns; ++i)
    for (int j = 0; j < grid.rows; ++j) {
      if (!grid.at(i, j)) continue;
      if (!grid.at(i, j - 1)) edges.insert({{i, j}, {i + 1, j}});
      if (!grid.at(i + 1, j)) edges.insert({{i + 1, j}, {i + 1, j + 1}});
      if (!grid.at(i, j + 1)) edges.insert({{i + 1, j + 1}, {i, j + 1}});
      if (!grid.at(i - 1, j)) edges.insert({{i, j + 1}, {i, j}});
    }
  std::vector<std::vector<Vec2>> loops;
  while (!edges.empty()) {
    std::vector<Vec2> loop;
    auto edge = edges.begin();
    const std::pair<int, int> first = edge->first;
    for (;;) {
      const std::pair<int, int> from = edge->first, to = edge->second;
      loop.push_back((grid.corner(from.first, from.second) + grid.corner(to.first, to.second)) / 2);
      edges.erase(edge);
      if (to == first) break;
      edge = edges.find(to);
      if (edge == edges.end()) break;
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

// One point of the outline, moved to where the point can go no further.
class Refinement {
 public:
  Refinement(Reach& reach, const Vec2& m, const Vec2& normal, double cell)
      : reach_(reach), m_(m), normal_(normal), cell_(cell) {}

  // With these limits active: index and the value that the coordinate has there.
  std::optional<EdgePoint> from(const Sample& start,
                                const std::vector<std::pair<std::size_t, double>>& active) {
    const Eigen::Index n = start.basis.cols(), a = static_cast<Eigen::Index>(active.size());
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n + 1 + a);  // u, φ, μ
    Sample at;
    for (int i = 0; i < kNewtonSteps; ++i) {
      if (!reach_.move(start, x.head(n), at)) return std::nullopt;
      const Eigen::VectorXd f = residual(at, x, active);
      Eigen::MatrixXd J(f.size(), x.size());
      for (Eigen::Index k = 0; k < x.size(); ++k) {
        Eigen::VectorXd plus = x, minus = x;
        plus[k] += kNudgeAside;
        minus[k] -= kNudgeAside;
        Sample one, other;
        if (!reach_.move(start, plus.head(n), one) || !reach_.move(start, minus.head(n), other))
          return std::nullopt;
        J.col(k) = (residual(one, plus, active) - residual(other, minus, active)) / (2 * kNudgeAside);
      }
      const Eigen::VectorXd step = -linalg::least_squares(J, f);
      const double longest = 3 * reach_.spacing(), length = step.norm();
      if (!std::isfinite(length)) return std::nullopt;
      x += length > longest ? Eigen::VectorXd(step * (longest / length)) : step;
      if (length > kRefined) continue;
      if (!reach_.move(start, x.head(n), at) || !reach_.within_limits(at)) return std::nullopt;
      const Vec2 p = at.at.head<2>();
      if ((p - m_).norm() > kNear * cell_ || std::abs(x[n]) >= 1) return std::nullopt;
      // Steps of least squares also end where no boundary is.
      if (residual(at, x, active).cwiseAbs().maxCoeff() > kSolved || !hold_back(x.tail(a), active))
        return std::nullopt;
      return EdgePoint{p, turned(std::cos(x[n]) * normal_ + std::sin(x[n]) * turned(normal_)), true};
    }
    return std::nullopt;
  }

 private:
  Eigen::VectorXd residual(const Sample& at, const Eigen::VectorXd& x,
                           const std::vector<std::pair<std::size_t, double>>& active) const {
    const Eigen::Index n = at.basis.cols(), a = static_cast<Eigen::Index>(active.size());
    const Vec2 tangent = turned(normal_);
    const Vec2 direction = std::cos(x[n]) * normal_ + std::sin(x[n]) * tangent;
    Eigen::VectorXd f(n + 1 + a);
    f.head(n) = at.speed.topRows(2).transpose() * direction / scale();
    f[n] = tangent.dot(Vec2(at.at.head<2>() - m_)) / scale();
    for (Eigen::Index k = 0; k < a; ++k) {
      const auto [limit, value] = active[static_cast<std::size_t>(k)];
      f.head(n) -= x[n + 1 + k] * at.approach.row(static_cast<Eigen::Index>(limit)).transpose();
      f[n + 1 + k] = at.limited[limit] - value;
    }
    return f;
  }
  // Whether the limits keep the point from going outwards, not inwards.
  bool hold_back(const Eigen::VectorXd& mu, const std::vector<std::pair<std::size_t, double>>& active) const {
    for (std::size_t k = 0; k < active.size(); ++k) {
      const bool upper = active[k].second == reach_.limits()[active[k].first].upper;
      const double outwards = mu[static_cast<Eigen::Index>(k)] * (upper ? 1 : -1);
      if (outwards < -kSolved) return false;
    }
    return true;
  }
  double scale() const { return 100 * cell_; }

  Reach& reach_;
  Vec2 m_, normal_;
  double cell_;
};

class Refiner {
 public:
  Refiner(Reach& reach, const Grid& grid) : reach_(reach), grid_(grid) {
    for (std::size_t k = 0; k < reach.samples().size(); ++k)
      near_[bucket(reach.samples()[k].at.head<2>())].push_back(k);
  }

  std::optional<EdgePoint> refine(const Vec2& m) {
    const Vec2 normal = grid_.normal(m);
    Refinement refinement(reach_, m, normal, grid_.size);
    for (const std::size_t k : candidates(m, normal)) {
      const Sample& start = reach_.samples()[k];
      if (const auto p = refinement.from(start, {})) return p;
      for (std::size_t l = 0; l < reach_.limits().size(); ++l)
        for (const double bound : {reach_.limits()[l].lower, reach_.limits()[l].upper}) {
          const double room = std::abs(bound - start.limited[l]);
          const double rate = start.approach.row(static_cast<Eigen::Index>(l)).norm();
          if (!(room <= kNextToLimit * reach_.spacing() * rate)) continue;
          if (const auto p = refinement.from(start, {{l, bound}})) return p;
        }
    }
    return std::nullopt;
  }

 private:
  static constexpr int kBucket = 8;  // cells
  std::pair<int, int> bucket(const Vec2& p) const {
    const Vec2 local = (p - grid_.origin) / (kBucket * grid_.size);
    return {static_cast<int>(std::floor(local.x())), static_cast<int>(std::floor(local.y()))};
  }

  // Samples next to m, those first from which the point goes least further outwards.
  std::vector<std::size_t> candidates(const Vec2& m, const Vec2& normal) const {
    std::vector<std::pair<double, std::size_t>> ranked;
    const auto [ci, cj] = bucket(m);
    for (int i = ci - 1; i <= ci + 1; ++i)
      for (int j = cj - 1; j <= cj + 1; ++j) {
        const auto at = near_.find({i, j});
        if (at == near_.end()) continue;
        for (const std::size_t k : at->second) {
          const Sample& sample = reach_.samples()[k];
          const double outwards = (sample.speed.topRows(2).transpose() * normal).norm();
          double near_limit = INFINITY;
          for (std::size_t l = 0; l < reach_.limits().size(); ++l)
            near_limit = std::min({near_limit, std::abs(sample.limited[l] - reach_.limits()[l].lower),
                                   std::abs(sample.limited[l] - reach_.limits()[l].upper)});
          const double further = near_limit < reach_.spacing() ? 0 : outwards * reach_.spacing();
          ranked.emplace_back((sample.at.head<2>() - m).norm() + further, k);
        }
      }
    const std::size_t count = std::min(kTries, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<long>(count), ranked.end());
    std::vector<std::size_t> best;
    for (std::size_t k = 0; k < count; ++k) best.push_back(ranked[k].second);
    return best;
  }

  Reach& reach_;
  const Grid& grid_;
  std::map<std::pair<int, int>, std::vector<std::size_t>> near_;
};

}  // namespace

Boundary find_boundary(Reach& reach, int cells) {
  Boundary out;
  if (reach.samples().empty()) return out;
  const Grid grid(reach, cells);
  Refiner refiner(reach, grid);
  out.grid = grid.size;
  for (const std::vector<Vec2>& outline : outlines(grid)) {
    std::vector<EdgePoint> points;
    for (const Vec2& m : outline)
      points.push_back(refiner.refine(m).value_or(EdgePoint{m, turned(grid.normal(m)), false}));
    const auto exact = std::ranges::count(points, true, &EdgePoint::exact);
    const EdgeLoop edge = edge_loop(points, grid.size);
    // A hole without a single exact point is a gap between samples, and a few cells with few of them hang on
    // the others by a corner: neither is a boundary.
    const bool rough = 2 * exact <= static_cast<long>(points.size());
    if ((exact == 0 && edge.area < 0) || (rough && std::abs(edge.area) < kSpeck * grid.size * grid.size)) {
      out.error += std::abs(edge.area);
      continue;
    }
    out.refined += exact;
    out.rough += static_cast<long>(points.size()) - exact;
    out.loops.push_back(edge.corners);
    out.area += edge.area;
    out.error += edge.error;
  }
  return out;
}

}  // namespace trammel::analysis
