#include "analysis/boundary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/boundary_point.h"
#include "analysis/edge_area.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// An island of less is none, in cells.
constexpr double kSpeck = 16;
// Of so many samples next to a point of the outline one leads to the boundary.
constexpr std::size_t kTries = 6;
// The limit of a coordinate counts where a sample is within so many spacings of it.
constexpr double kNextToLimit = 1.5;

// Tangents that turn by less, as a cosine, belong to one part of the boundary; those at other limits to two
// parts, which meet without a corner.
constexpr double kNoCorner = 0.95, kTangential = 0.9998;
// Obtuse corners lie within so many cells; others as far as the outline is rough. A cusp begins to be
// narrower than a cell within so many cells of its tip: √(2 c / κ) for the curvature κ.
constexpr int kFarTurn = 10, kFarCusp = 100;
// Parts of the boundary meet, and a point lies on another loop, within so many cells.
constexpr double kSameCorner = 1e-4, kOnOther = 0.1;

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

class Refiner {
 public:
  Refiner(Reach& reach, const Grid& grid) : reach_(reach), grid_(grid), search_(reach, grid.size) {
    for (std::size_t k = 0; k < reach.samples().size(); ++k)
      near_[bucket(reach.samples()[k].at.head<2>())].push_back(k);
  }

  std::optional<BoundaryPoint> refine(const Vec2& m) {
    const Vec2 normal = grid_.normal(m);
    for (const std::size_t k : candidates(m, normal)) {
      const Sample& start = reach_.samples()[k];
      for (const std::vector<ActiveLimit>& active : active_sets(start))
        if (auto p = search_.near(m, normal, start, active)) return p;
    }
    return std::nullopt;
  }

  // The boundary between two of its points, if it turns there: along the first's part and back along the
  // second's, if both end at the same limits.
  std::vector<EdgePoint> corner(const BoundaryPoint& from, const BoundaryPoint& to) {
    const double turn = from.edge.tangent.dot(to.edge.tangent);
    if (turn > (from.active == to.active ? kNoCorner : kTangential)) return {};
    const int steps = turn > kNoCorner ? kFarTurn : kFarCusp;
    std::vector<EdgePoint> way = search_.to_limit(from, 1, steps);
    if (way.empty()) return {};
    std::vector<EdgePoint> back = search_.to_limit(to, -1, steps);
    if (back.empty() || (back.back().at - way.back().at).norm() > kSameCorner * grid_.size) return {};
    back.back().corner = true;
    way.insert(way.end(), back.rbegin(), back.rend());
    return way;
  }

 private:
  static constexpr int kBucket = 8;  // cells
  std::pair<int, int> bucket(const Vec2& p) const {
    const Vec2 local = (p - grid_.origin) / (kBucket * grid_.size);
    return {static_cast<int>(std::floor(local.x())), static_cast<int>(std::floor(local.y()))};
  }

  // The limits that a sample is next to: none of them, each, and each two of different coordinates. A
  // boundary has fewer than there are freedoms.
  std::vector<std::vector<ActiveLimit>> active_sets(const Sample& start) const {
    std::vector<std::vector<ActiveLimit>> sets = {{}};
    for (std::size_t l = 0; l < reach_.limits().size(); ++l)
      for (const double bound : {reach_.limits()[l].lower, reach_.limits()[l].upper}) {
        const double room = std::abs(bound - start.limited[l]);
        const double rate = start.approach.row(static_cast<Eigen::Index>(l)).norm();
        if (room <= kNextToLimit * reach_.spacing() * rate) sets.push_back({{l, bound}});
      }
    const std::size_t single = sets.size();
    for (std::size_t i = 1; reach_.freedoms() > 2 && i < single; ++i)
      for (std::size_t j = i + 1; j < single; ++j)
        if (sets[i][0].first != sets[j][0].first) sets.push_back({sets[i][0], sets[j][0]});
    return sets;
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
  BoundarySearch search_;
  std::map<std::pair<int, int>, std::vector<std::size_t>> near_;
};

// Distance of p from a closed polygon.
double distance_from(const Vec2& p, const std::vector<Vec3>& polygon) {
  double least = INFINITY;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec2 from = polygon[k].head<2>(), to = polygon[(k + 1) % polygon.size()].head<2>();
    const double square = (to - from).squaredNorm();
    const double part = square > 0 ? std::clamp((p - from).dot(to - from) / square, 0.0, 1.0) : 0;
    least = std::min(least, (p - from - part * (to - from)).norm());
  }
  return least;
}

// One loop of the outline, refined.
struct Loop {
  std::vector<EdgePoint> points;
  long exact = 0;  // of the points that stem from the outline
  EdgeLoop edge;

  // Nothing but a part of the other: beside a cusp, which is narrower than a cell, the outline falls to
  // pieces.
  bool is_part_of(const Loop& other, double cell) const {
    return exact > 0 && std::abs(edge.area) < std::abs(other.edge.area) &&
           std::ranges::all_of(points, [&](const EdgePoint& p) {
             return !p.exact || distance_from(p.at, other.edge.corners) < kOnOther * cell;
           });
  }
};

// The outline's points, each moved onto the boundary. Where the boundary turns, both its parts are followed
// to the limit at which they meet.
Loop refined(const std::vector<Vec2>& outline, Refiner& refiner, const Grid& grid) {
  std::vector<std::optional<BoundaryPoint>> found;
  for (const Vec2& m : outline) found.push_back(refiner.refine(m));
  Loop out;
  out.exact = std::ranges::count_if(found, [](const auto& p) { return p.has_value(); });
  if (out.exact == 0) {
    for (const Vec2& m : outline) out.points.push_back({m, turned(grid.normal(m)), false});
    return out;
  }
  const std::size_t size = outline.size();
  std::size_t first = 0;
  while (!found[first]) ++first;
  for (std::size_t a = first, next = 0; a < first + size; a = next) {
    for (next = a + 1; !found[next % size];) ++next;
    const BoundaryPoint &from = *found[a % size], &to = *found[next % size];
    out.points.push_back(from.edge);
    const std::vector<EdgePoint> corner = refiner.corner(from, to);
    out.points.insert(out.points.end(), corner.begin(), corner.end());
    for (std::size_t k = a + 1; k < next && corner.empty(); ++k)
      out.points.push_back({outline[k % size], turned(grid.normal(outline[k % size])), false});
  }
  return out;
}

}  // namespace

Boundary find_boundary(Reach& reach, int cells) {
  Boundary out;
  if (reach.samples().empty()) return out;
  const Grid grid(reach, cells);
  Refiner refiner(reach, grid);
  out.grid = grid.size;
  std::vector<Loop> loops;
  for (const std::vector<Vec2>& outline : outlines(grid)) {
    Loop loop = refined(outline, refiner, grid);
    loop.edge = edge_loop(loop.points, grid.size);
    // A hole without a single exact point is a gap between samples, and a few cells with few of them hang on
    // the others by a corner: neither is a boundary.
    const bool rough = 2 * loop.exact <= static_cast<long>(outline.size());
    if ((loop.exact == 0 && loop.edge.area < 0) ||
        (rough && std::abs(loop.edge.area) < kSpeck * grid.size * grid.size)) {
      out.error += std::abs(loop.edge.area);
      continue;
    }
    loops.push_back(std::move(loop));
  }
  for (const Loop& loop : loops) {
    if (std::ranges::any_of(loops, [&](const Loop& other) { return loop.is_part_of(other, grid.size); }))
      continue;
    const auto exact = std::ranges::count(loop.points, true, &EdgePoint::exact);
    out.refined += exact;
    out.rough += static_cast<long>(loop.points.size()) - exact;
    out.loops.push_back(loop.edge.corners);
    out.area += loop.edge.area;
    out.error += loop.edge.error;
  }
  return out;
}

}  // namespace trammel::analysis
