#include "formulations/projection/initial_velocities.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "formulations/matrices/dense_terms.h"
#include "formulations/matrices/tangent.h"
#include "formulations/rows/penalty_mobility.h"
#include "formulations/rows/rows.h"

namespace trammel::formulations {
namespace {

constexpr int kMaxSweeps = 2000;
// A sweep leaves 1e-6 of what the one before has left. It leaves more than a tenth where a velocity given at
// one end of a long chain moves all of it, or where what is given all but depends on the joints.
constexpr double kSlowly = 0.1;
// Of the largest velocity: what is left below this is rounding.
constexpr double kLeft = 1e-12;
// Up to so many unknowns velocities are then found directly, by dense factors; of more, sweeps go on.
constexpr Eigen::Index kDense = 1000;
// Rows of length one that differ by less are one. Assembly closes positions to 1e-13, and rows turn with
// them.
constexpr double kDependentRows = 1e-11;

// Φ_v v = −Φ_t and the given velocities in one list, A v = b.
struct Rows {
  Rows(const system::Dynamics& system, const system::Terms& terms,
       const std::vector<system::KnownVelocity>& known)
      : pattern(system.jacobian()), values(terms.Phi_v) {
    for (const double t : terms.Phi_t) rhs.push_back(-t);
    for (const system::KnownVelocity& k : known) {
      pattern.add_row(k.column);
      values.insert(values.end(), k.coefficient.begin(), k.coefficient.end());
      rhs.push_back(k.value);
    }
  }
  double excess(std::size_t r, std::span<const double> v) const {
    return row_times(pattern, values, r, v) - rhs[r];
  }

  system::RowPattern pattern;
  std::vector<double> values, rhs;
};

// The velocity of least energy among those that meet A v = b best, by orthogonal factors: to rounding also
// where the rows all but depend on each other. Coordinates are scaled by mass, rows to length one.
void solve_directly(const system::Dynamics& system, const system::Terms& terms, const Rows& rows,
                    const std::vector<double>& mobility, const std::vector<double>& least,
                    std::vector<double>& v) {
  const auto n = static_cast<Eigen::Index>(v.size()), m = static_cast<Eigen::Index>(rows.rhs.size());
  const Eigen::VectorXd size = Eigen::Map<const Eigen::VectorXd>(mobility.data(), n).cwiseSqrt();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m, n);
  Eigen::VectorXd b(m), column(n);
  for (Eigen::Index r = 0; r < m; ++r) {
    column.setZero();
    add_row(rows.pattern, rows.values, static_cast<std::size_t>(r), 1,
            {column.data(), static_cast<std::size_t>(n)});
    column.array() *= size.array();
    const double length =
        column.norm() > 0 ? std::max(column.norm(), std::sqrt(least[static_cast<std::size_t>(r)])) : 0;
    A.row(r) = column / (length > 0 ? length : 1);
    b[r] = rows.rhs[static_cast<std::size_t>(r)] / (length > 0 ? length : 1);
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
  factors.setThreshold(kDependentRows);
  factors.compute(A);
  Eigen::VectorXd y = factors.solve(b);
  y += factors.solve(b - A * y);
  if (const Eigen::Index free = n - factors.rank(); free > 0) {
    const Eigen::MatrixXd Z = factors.matrixZ();
    const Eigen::MatrixXd N = factors.colsPermutation() * Z.transpose().rightCols(free);
    const Eigen::MatrixXd M = size.asDiagonal() * dense_mass(system, terms) * size.asDiagonal();
    y -= N * (N.transpose() * M * N).ldlt().solve(N.transpose() * (M * y));
  }
  Eigen::Map<Eigen::VectorXd>(v.data(), n) = size.cwiseProduct(y);
}

// M v + Aᵀμ = 0 by sweeps from zero. What rounding leaves of that goes into each sweep too, or the penalties
// would multiply it in directions that no row holds.
Outcome sweep_velocities(const system::Dynamics& system, const system::Terms& terms, const Rows& rows,
                         std::vector<double>& v) {
  const std::vector<double> mobility = penalty_mobility(system, terms);
  const std::size_t count = rows.rhs.size();
  std::vector<double> weight(count), work(v.size()), impulse(count, 0.0),
      least = least_compliance(system, mobility);
  least.resize(count, 0.0);
  for (std::size_t r = 0; r < count; ++r)
    weight[r] = automatic_penalty(row_compliance(rows.pattern, rows.values, r, mobility), least[r]);
  TangentMatrix tangent(system, SolverChoice::automatic, rows.pattern);
  if (tangent.factor(terms, rows.values, weight, 0, 0) != linalg::FactorStatus::ok) return Outcome::singular;
  math::set_zero(v);
  double last = INFINITY;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    math::set_zero(work);
    system.add_mass_times(terms, v, -1, work);
    double left = 0;
    for (std::size_t r = 0; r < count; ++r) {
      const double excess = rows.excess(r, v);
      left = larger(left, excess);
      if (sweep > 0) impulse[r] += weight[r] * excess;
      add_row(rows.pattern, rows.values, r, -impulse[r] - weight[r] * excess, work);
    }
    if (sweep > 1 && left > kSlowly * last && left > kLeft * math::largest(v) && !v.empty() &&
        system.sizes().v <= kDense) {
      solve_directly(system, terms, rows, mobility, least, v);
      break;
    }
    // Nothing left, or nothing gained any more.
    if (left == 0 || (sweep > 3 && left >= 0.999 * last)) break;
    last = left;
    tangent.solve(work);
    math::add_scaled(v, 1, work.data());
  }
  return Outcome::ok;
}

}  // namespace

Report find_velocities(const system::Dynamics& system, State& state, std::vector<std::string>& conflicts) {
  Report report;
  system::Terms terms = system.make_terms();
  system.evaluate(state, system::kAskPosition, terms);
  const std::vector<system::KnownVelocity> known = system.known_velocities(state);
  const Rows rows(system, terms, known);
  report.outcome = sweep_velocities(system, terms, rows, state.v);
  if (!report.accepted()) return report;
  const double largest = std::max(1.0, math::largest(state.v));
  const std::size_t own = terms.Phi.size();
  for (std::size_t r = 0; r < rows.rhs.size(); ++r) {
    const double scale = r < own ? system.rows()[r].scale : 1;
    if (std::abs(rows.excess(r, state.v)) <= kGivenVelocity * largest * scale) continue;
    report.outcome = Outcome::assembly_failed;
    const std::string& name = r < own ? system.rows()[r].name : known[r - own].owner;
    if (std::find(conflicts.begin(), conflicts.end(), name) == conflicts.end()) conflicts.push_back(name);
  }
  return report;
}

void take_nearest_velocities(const system::Dynamics& system, State& state) {
  if (system.sizes().v > kDense) return;
  system::Terms terms = system.make_terms();
  system.evaluate(state, system::kAskPosition, terms);
  // v = v* + w with the least w: A w = b − A v*.
  Rows rows(system, terms, {});
  std::vector<double> missing(rows.rhs.size()), change(state.v.size());
  for (std::size_t r = 0; r < missing.size(); ++r) missing[r] = -rows.excess(r, state.v);
  rows.rhs = std::move(missing);
  const std::vector<double> mobility = penalty_mobility(system, terms);
  std::vector<double> least = least_compliance(system, mobility);
  least.resize(rows.rhs.size(), 0.0);
  solve_directly(system, terms, rows, mobility, least, change);
  math::add_scaled(state.v, 1, change.data());
}

}  // namespace trammel::formulations
