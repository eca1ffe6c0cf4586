#include "formulations/rows/penalty_mobility.h"

#include <algorithm>
#include <numeric>

#include "formulations/rows/rows.h"

namespace trammel::formulations {
namespace {

// A mass below the first part of the heaviest that rows connect it with counts as the second: that makes the
// bound of s 1e5 σ², also in a chain of hundreds of light bodies. Mechanisms whose masses differ by less keep
// the penalties of their own masses, with s ≥ 1e4 σ².
constexpr double kLight = 0.01, kCountsAs = 0.1;
// A mass counts as no more than so many times itself: the tangent has ρ times as much beside it, and its
// rounding must leave the mass four digits.
constexpr double kMostRaised = 1e6;

// For each coordinate the number of the part of the mechanism that it is in: rows and M connect coordinates.
std::vector<std::size_t> parts_of(const system::Dynamics& system) {
  std::vector<std::size_t> parent(static_cast<std::size_t>(system.sizes().v));
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
  };
  const auto join = [&](int a, int b) {
    parent[root(static_cast<std::size_t>(a))] = root(static_cast<std::size_t>(b));
  };
  const system::RowPattern& rows = system.jacobian();
  for (std::size_t r = 0; r + 1 < rows.start.size(); ++r)
    for (int k = rows.start[r] + 1; k < rows.start[r + 1]; ++k)
      join(rows.column[static_cast<std::size_t>(k) - 1], rows.column[static_cast<std::size_t>(k)]);
  const system::EntryPattern& mass = system.mass_pattern();
  for (std::size_t k = 0; k < mass.row.size(); ++k) join(mass.row[k], mass.column[k]);
  for (std::size_t k = 0; k < parent.size(); ++k) parent[k] = root(k);
  return parent;
}

}  // namespace

std::vector<double> penalty_mobility(const system::Dynamics& system, const system::Terms& terms) {
  std::vector<double> m = known_mass(system, terms);
  const std::vector<double>& unit = system.unit_inertia();
  if (!unit.empty()) {
    const std::vector<std::size_t> part = parts_of(system);
    std::vector<double> heaviest(m.size(), 0);  // kg, by part
    for (std::size_t k = 0; k < m.size(); ++k)
      if (unit[k] > 0) heaviest[part[k]] = std::max(heaviest[part[k]], m[k] / unit[k]);
    for (std::size_t k = 0; k < m.size(); ++k) {
      const double heavy = heaviest[part[k]] * unit[k];
      if (m[k] >= kLight * heavy) continue;
      m[k] = m[k] > 0 ? std::min(kCountsAs * heavy, kMostRaised * m[k]) : kCountsAs * heavy;
    }
  }
  for (double& one : m) one = 1 / (one > 0 ? one : kNoMass);
  return m;
}

}  // namespace trammel::formulations
