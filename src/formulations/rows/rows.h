// Products with the rows of Φ_v, and violations scaled row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "math/spans.h"
#include "system/dynamics.h"
#include "trammel/report.h"

namespace trammel::formulations {

// y[i] = Φ_v[i]·x
inline double row_times(const system::RowPattern& rows, std::span<const double> values, std::size_t row,
                        std::span<const double> x) {
  double sum = 0;
  for (int k = rows.start[row]; k < rows.start[row + 1]; ++k)
    sum += values[static_cast<std::size_t>(k)] *
           x[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])];
  return sum;
}

// y += factor · Φ_v[i]ᵀ
inline void add_row(const system::RowPattern& rows, std::span<const double> values, std::size_t row,
                    double factor, std::span<double> y) {
  for (int k = rows.start[row]; k < rows.start[row + 1]; ++k)
    y[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])] +=
        factor * values[static_cast<std::size_t>(k)];
}

// Largest |value|/scale over the rows, and which row it is; NaN counts as infinite.
struct Worst {
  double size = 0;
  int row = -1;
  void see(double value, double one_over_scale, std::size_t index) {
    const double scaled = std::abs(value) * one_over_scale;
    if (scaled <= size && row >= 0) return;
    size = std::isnan(scaled) ? INFINITY : scaled;
    row = static_cast<int>(index);
  }
};

// 1/scale of each row.
inline std::vector<double> inverse_scales(const system::Dynamics& system) {
  std::vector<double> inverse;
  for (const system::RowOwner& row : system.rows()) inverse.push_back(1 / row.scale);
  return inverse;
}

// The larger of a size and |x|; NaN counts as infinite.
inline double larger(double size, double x) { return std::isnan(x) ? INFINITY : std::max(size, std::abs(x)); }

// The diagonal of M with massless directions raised to a part of the inertia that would count as one there:
// the measure of a constraint's effective mass. A twentieth keeps a slender rod's axis vectors within two
// orders of its points.
inline std::vector<double> known_mass(const system::Dynamics& system, const system::Terms& terms) {
  std::vector<double> m = system.mass_diagonal(terms);
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = std::max(m[i], 0.05 * system.inertia_scale()[i]);
  return m;
}

// Of what is massless through and through: any number serves.
inline constexpr double kNoMass = 1;

inline std::vector<double> effective_mass(const system::Dynamics& system, const system::Terms& terms) {
  std::vector<double> m = known_mass(system, terms);
  for (double& one : m) one = one > 0 ? one : kNoMass;
  return m;
}

// What counts as one on each momentum.
inline std::vector<double> momentum_scale(const system::Dynamics& system) {
  std::vector<double> scale = effective_mass(system, system.make_terms());
  for (std::size_t i = 0; i < scale.size(); ++i) scale[i] *= system.coordinate_scale()[i];
  return scale;
}

// What row_compliance() takes.
inline std::vector<double> effective_mobility(const system::Dynamics& system, const system::Terms& terms) {
  std::vector<double> m = effective_mass(system, terms);
  for (double& one : m) one = 1 / one;
  return m;
}

// Diagonal of Φ_v M⁻¹ Φ_vᵀ for a row, with the effective mass: its reciprocals.
inline double row_compliance(const system::RowPattern& rows, std::span<const double> values, std::size_t row,
                             std::span<const double> mobility) {
  double sum = 0;
  for (int k = rows.start[row]; k < rows.start[row + 1]; ++k) {
    const double g = values[static_cast<std::size_t>(k)];
    sum += g * g * mobility[static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)])];
  }
  return sum;
}

// Takes the unwrapped angles of an accepted step; refused when a joint turned too far for its turns to be
// counted, or left the range of its equations.
inline Report accept_angles(const system::Dynamics& system, State& state, system::Terms& terms, double h) {
  Report report;
  if (system.has_range()) {
    report.message = system.out_of_range(state, terms);
    if (!report.message.empty()) report.outcome = Outcome::out_of_range;
    if (!report.accepted()) return report;
  }
  const std::string joint = system.accept_angles(state, terms, h);
  if (joint.empty()) return report;
  report.outcome = Outcome::angle_jump;
  report.message =
      joint +
      " turns more than half a turn in one step, so that its turns cannot be counted; take a smaller step";
  return report;
}

// s of the automatic penalty: the iteration contracts by 1/(1+s). 1e4 to 1e6 pass every singular position
// tried; 1e8 starts to fail there.
inline constexpr double kPenaltyRatio = 1e6;

// Of what counts as one: a row that is shorter says what others say already, as the second of two fixed
// joints between the same bodies, and is rounding.
inline constexpr double kVanishedRow = 1e-13;
// A penalty takes no row for shorter than this: the rounding of Φ, 1e-16, would move positions by as much
// more as the row is shorter, as in a closed loop whose redundant rows vanish with the error of its
// positions. Rows of 1e-7, where accelerations have lost half of their digits, still contract by 100.
inline constexpr double kShortestRow = 1e-5;

// The compliance of each row if it were kShortestRow long.
inline std::vector<double> least_compliance(const system::Dynamics& system,
                                            std::span<const double> mobility) {
  const system::RowPattern& rows = system.jacobian();
  std::vector<double> least(system.rows().size(), 0);
  for (std::size_t r = 0; r < least.size(); ++r)
    for (int k = rows.start[r]; k < rows.start[r + 1]; ++k) {
      const auto column = static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)]);
      const double entry = kShortestRow * system.rows()[r].scale / system.coordinate_scale()[column];
      least[r] = std::max(least[r], entry * entry * mobility[column]);
    }
  return least;
}

// The automatic penalty of a row of that compliance. One that has vanished holds nothing. Of two rows where
// it is given two numbers.
template <class W>
inline W automatic_penalty(W compliance, W least) {
  constexpr double kVanished = (kVanishedRow / kShortestRow) * (kVanishedRow / kShortestRow);
  return compliance > math::spread<W>(kVanished) * least
             ? math::spread<W>(kPenaltyRatio) / (compliance > least ? compliance : least)
             : W{};
}

}  // namespace trammel::formulations
