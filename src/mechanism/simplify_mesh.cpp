#include "mechanism/simplify_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace trammel::mechanism {
namespace {

struct Grid {
  Vec3 low = Vec3::Zero();
  double side = 0;  // of the longest side of the box around the mesh
};

Grid grid_of(const SurfaceMesh& mesh) {
  Vec3 low = mesh.vertices.front(), high = low;
  for (const Vec3& v : mesh.vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  return {low, (high - low).maxCoeff()};
}

// Below 2^20 cells a side, three numbers fit into one.
constexpr int kMostCells = 1 << 20;

std::uint64_t cell_of(const Vec3& v, const Grid& grid, double cells) {
  std::uint64_t key = 0;
  for (int k = 0; k < 3; ++k) {
    const double at = std::clamp((v[k] - grid.low[k]) / grid.side * cells, 0.0, cells - 1);
    key = key << 21U | static_cast<std::uint64_t>(at);
  }
  return key;
}

SurfaceMesh clustered(const SurfaceMesh& mesh, const Grid& grid, double cells) {
  SurfaceMesh out;
  std::unordered_map<std::uint64_t, int> known;
  std::vector<int> place, counts;
  place.reserve(mesh.vertices.size());
  for (const Vec3& v : mesh.vertices) {
    const auto [at, is_new] = known.emplace(cell_of(v, grid, cells), static_cast<int>(out.vertices.size()));
    if (is_new) {
      out.vertices.emplace_back(Vec3::Zero());
      counts.push_back(0);
    }
    const auto k = static_cast<std::size_t>(at->second);
    out.vertices[k] += v;
    ++counts[k];
    place.push_back(at->second);
  }
  for (std::size_t k = 0; k < counts.size(); ++k) out.vertices[k] /= counts[k];
  std::unordered_set<std::uint64_t> seen;  // triangles by their corners, the least first
  for (const auto& t : mesh.triangles) {
    std::array<int, 3> own{place[static_cast<std::size_t>(t[0])], place[static_cast<std::size_t>(t[1])],
                           place[static_cast<std::size_t>(t[2])]};
    if (own[0] == own[1] || own[1] == own[2] || own[2] == own[0]) continue;
    std::rotate(own.begin(), std::ranges::min_element(own), own.end());
    const auto part = [&](std::size_t k) { return static_cast<std::uint64_t>(own[k]); };
    if (seen.insert(part(0) << 42U | part(1) << 21U | part(2)).second) out.triangles.push_back(own);
  }
  return out;
}

}  // namespace

SurfaceMesh simplified(const SurfaceMesh& mesh, std::size_t most_triangles) {
  if (mesh.triangles.size() <= most_triangles || mesh.vertices.empty()) return mesh;
  const Grid grid = grid_of(mesh);
  if (!(grid.side > 0)) return {};
  // Triangles grow with the square of the cells, about two to a cell of the surface: start there.
  SurfaceMesh best;
  double low = 1, high = kMostCells;
  double cells = std::clamp(std::sqrt(static_cast<double>(most_triangles) / 4), 2.0, high);
  for (int trial = 0; trial < 8; ++trial) {
    SurfaceMesh coarse = clustered(mesh, grid, std::floor(cells));
    const double ratio = std::sqrt(static_cast<double>(most_triangles) /
                                   static_cast<double>(std::max<std::size_t>(coarse.triangles.size(), 1)));
    if (coarse.triangles.size() <= most_triangles) {
      low = cells;
      if (coarse.triangles.size() >= best.triangles.size()) best = std::move(coarse);
      if (ratio < 1.1) break;
    } else {
      high = cells;
    }
    cells = std::clamp(0.97 * ratio * cells, low + 0.05 * (high - low), high - 0.05 * (high - low));
  }
  return best;
}

}  // namespace trammel::mechanism
