#include "formulations/projection/assembly.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <map>
#include <numbers>

#include "formulations/matrices/dense_terms.h"
#include "formulations/matrices/tangent.h"
#include "formulations/projection/initial_velocities.h"
#include "formulations/projection/projection.h"
#include "formulations/projection/way_out.h"
#include "formulations/rows/penalty_mobility.h"
#include "formulations/rows/rounding.h"
#include "formulations/rows/rows.h"
#include "linalg/dense.h"

namespace trammel::formulations {
namespace {

constexpr int kAssemblyIterations = 300;
// Closed to rounding; a mechanism that only reaches the weaker bound stands at a singular position.
constexpr double kAssembled = 1e-13;
constexpr double kNearlyClosed = 1e-9;
// Into a singular position, as a flat parallelogram, the slope of a constraint vanishes with the way that is
// left, and steps of least move become ever shorter beside it. Where an iteration leaves more than kHardly of
// the violation, weights grow by kHeavier, up to kHeaviest: with these ways of 1e-6 are still made.
constexpr double kHardly = 0.5, kHeavier = 10, kHeaviest = 1e6;
// No coordinate moves further than this part of the length scale in one iteration.
constexpr double kLargestMove = 0.3;
// The same of a move out of a dead centre: far enough that the joints feel it, near enough to stay beside it.
constexpr double kWayOut = 0.1;

std::size_t holonomic(const system::Dynamics& system) {
  return static_cast<std::size_t>(system.sizes().holonomic);
}

// Of the constraints that hold positions.
std::vector<double> row_weights(const system::Dynamics& system, const system::Terms& terms,
                                const std::vector<double>& mobility) {
  const std::vector<double> least = least_compliance(system, mobility);
  std::vector<double> weight(terms.Phi.size(), 0.0);
  for (std::size_t r = 0; r < holonomic(system); ++r)
    weight[r] = automatic_penalty(row_compliance(system.jacobian(), terms.Phi_v, r, mobility), least[r]);
  return weight;
}

Worst violation(const system::Dynamics& system, const system::Terms& terms) {
  Worst worst;
  for (std::size_t r = 0; r < holonomic(system); ++r) worst.see(terms.Phi[r], 1 / system.rows()[r].scale, r);
  return worst;
}

// How far a row is from closed, in metres or radians: Φ by its scale, but no further than the move that
// closes it to first order. Two bodies that share this move have √2 of it between them. So areas, as of |d|²
// − L², become lengths.
double gap_of(const system::Dynamics& system, const system::Terms& terms, std::size_t r) {
  const system::RowOwner& row = system.rows()[r];
  const double Phi = std::abs(terms.Phi[r]);
  if (row.is_angle) return Phi / row.scale;
  double slope = 0;
  const system::RowPattern& rows = system.jacobian();
  for (int k = rows.start[r]; k < rows.start[r + 1]; ++k) {
    const auto column = static_cast<std::size_t>(rows.column[static_cast<std::size_t>(k)]);
    slope = std::hypot(slope, terms.Phi_v[static_cast<std::size_t>(k)] * system.coordinate_scale()[column]);
  }
  return system.length_scale() * std::min(Phi / row.scale, std::numbers::sqrt2 * Phi / slope);
}

// In units of the length scale, angles apart.
double largest_gap(const system::Dynamics& system, const system::Terms& terms) {
  double largest = 0;
  for (std::size_t r = 0; r < holonomic(system); ++r)
    if (!system.rows()[r].is_angle)
      largest = std::max(largest, gap_of(system, terms, r) / system.length_scale());
  return std::isfinite(largest) ? largest : 0;
}

void list_open(const system::Dynamics& system, const system::Terms& terms, AssemblyReport& out) {
  std::map<std::string, double> gap;
  std::map<std::string, bool> angle;
  for (std::size_t r = 0; r < holonomic(system); ++r) {
    const system::RowOwner& row = system.rows()[r];
    const double size = gap_of(system, terms, r);
    if (size <= kNearlyClosed || size <= gap[row.name]) continue;
    gap[row.name] = size;
    angle[row.name] = row.is_angle;
  }
  for (const auto& [name, size] : gap) out.open.push_back({name, size, angle[name]});
  std::sort(out.open.begin(), out.open.end(), [](const auto& a, const auto& b) { return a.gap > b.gap; });
}

// Why M + Φ_vᵀwΦ_v has no factor: whose coordinate takes the largest part in the weakest direction of
// M + Φ_vᵀΦ_v, each scaled to one. Where that is regular, constraints hold what has no mass; relative
// coordinates need M to be regular by itself.
std::string why_singular(const system::Dynamics& system, const system::Terms& terms) {
  constexpr double kHeld = 1e-9;  // of one: more is not rounding
  const auto text = [](const std::string& owner) {
    return fmt::format(
        "{} can move in a way that has neither mass nor a joint to hold it; give it mass and inertia (in "
        "space a rod has no inertia about its own axis: make it a rigid body), or hold it by a joint",
        owner);
  };
  const Eigen::Index n = system.sizes().v;
  // Beyond this the search would take longer than a person waits; the message then names no body.
  constexpr Eigen::Index kLargest = 1000;
  if (n > kLargest) return text("some body");
  const std::vector<double> mass = effective_mass(system, terms);
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = 1 / std::sqrt(mass[static_cast<std::size_t>(i)]);
  Eigen::MatrixXd T = scale.asDiagonal() * dense_mass(system, terms) * scale.asDiagonal();
  const system::RowPattern& rows = system.jacobian();
  for (std::size_t r = 0; r < holonomic(system); ++r) {
    Eigen::VectorXd g = Eigen::VectorXd::Zero(n);
    for (int k = rows.start[r]; k < rows.start[r + 1]; ++k) {
      const int column = rows.column[static_cast<std::size_t>(k)];
      g[column] += terms.Phi_v[static_cast<std::size_t>(k)] * scale[column];
    }
    if (g.norm() > 0) g.normalize();
    T += g * g.transpose();
  }
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(T);
  Eigen::Index largest = 0;
  eigen.vectors.col(0).cwiseAbs().maxCoeff(&largest);
  if (eigen.values[0] > kHeld && system.recursive_solver() != nullptr)
    return "relative coordinates need bodies with mass: the tree of joints, without the joints that close "
           "its "
           "loops and without drivers, can move in a way that has none, though these hold it; choose natural "
           "coordinates, or give every body at the end of the tree mass and inertia";
  return text(system.coordinate_owner(static_cast<int>(largest)));
}

// A joint, driver or constraint of the user whose equation has no finite value or derivative here; empty:
// none.
std::string owner_not_finite(const system::Dynamics& system, const system::Terms& terms) {
  const system::RowPattern& rows = system.jacobian();
  for (std::size_t r = 0; r < holonomic(system); ++r) {
    bool finite = std::isfinite(terms.Phi[r]);
    for (int k = rows.start[r]; k < rows.start[r + 1]; ++k)
      finite = finite && std::isfinite(terms.Phi_v[static_cast<std::size_t>(k)]);
    if (!finite) return system.rows()[r].name;
  }
  return {};
}

// What stays as near as can be: the place where all began, or, where that leads nowhere, the last iterate.
enum class Anchor { start, last };

Report move_together(const system::Dynamics& system, State& state, Anchor anchor, Moves moves,
                     AssemblyReport& out) {
  Report report;
  system::Terms terms = system.make_terms();
  TangentMatrix tangent(system, SolverChoice::automatic);
  const std::vector<double> mobility = penalty_mobility(system, terms);
  std::vector<double> start = state.q;
  std::vector<double> lambda(holonomic(system), 0), delta(state.v.size()), moved(state.v.size());
  Worst worst;
  double best = INFINITY, last = INFINITY, heavier = 1;
  int stalled = 0;
  for (int i = 0; i < kAssemblyIterations; ++i) {
    system.evaluate(state, system::kAskPosition, terms);
    if (const std::string owner = owner_not_finite(system, terms); !owner.empty()) {
      report.outcome = Outcome::not_finite;
      report.message = fmt::format(
          "the constraint of '{}' has no finite value at the start; look whether it divides by zero or takes "
          "the "
          "root of a negative number there",
          owner);
      return report;
    }
    worst = violation(system, terms);
    report.iterations = i;
    if (worst.size <= kAssembled && i > 0) break;
    // Nothing gained in twenty iterations: it will not close further.
    stalled = worst.size < 0.9 * best ? 0 : stalled + 1;
    best = std::min(best, worst.size);
    if (stalled > 20) break;

    std::vector<double> weight = row_weights(system, terms, mobility);
    if (anchor == Anchor::last && worst.size > kHardly * last)
      heavier = std::min(kHeavier * heavier, kHeaviest);
    last = worst.size;
    for (double& w : weight) w *= heavier;
    if (anchor == Anchor::last)
      start = state.q;
    else if (i > 0)
      for (std::size_t r = 0; r < lambda.size(); ++r) lambda[r] += weight[r] * terms.Phi[r];
    if (tangent.factor(terms, weight, 0, 0) != linalg::FactorStatus::ok) {
      report.outcome = Outcome::singular;
      report.message = why_singular(system, terms);
      return report;
    }
    // −(M(q − q*) + Φ_vᵀ(λ + wΦ))
    std::fill(delta.begin(), delta.end(), 0.0);
    system.difference(state.q, start, moved);
    system.add_mass_times(terms, moved, 1, delta);
    for (std::size_t r = 0; r < lambda.size(); ++r)
      add_row(system.jacobian(), terms.Phi_v, r, -(lambda[r] + weight[r] * terms.Phi[r]), delta);
    tangent.solve(delta);
    double largest = 0;
    for (std::size_t k = 0; k < delta.size(); ++k)
      largest = std::max(largest, std::abs(delta[k]) / system.coordinate_scale()[k]);
    const double most = kLargestMove * (moves == Moves::far ? std::max(1.0, largest_gap(system, terms)) : 1);
    if (largest > most) {
      for (double& d : delta) d *= most / largest;
      std::fill(lambda.begin(), lambda.end(), 0.0);
    }
    system.retract(state.q, delta);
  }
  report.violation = worst.size;
  report.worst_row = worst.row;
  // Far from the origin rounding leaves more.
  if (!(worst.size <= std::max(kNearlyClosed, position_rounding(system, terms, state)))) {
    report.outcome = Outcome::assembly_failed;
    list_open(system, terms, out);
  }
  return report;
}

// From a place where moves of first order close nothing further, to both sides.
Report leave_dead_centre(const system::Dynamics& system, State& state, Moves moves) {
  Report report;
  report.outcome = Outcome::assembly_failed;
  system::Terms terms = system.make_terms();
  const std::vector<double> mobility = penalty_mobility(system, terms);
  system.evaluate(state, system::kAskPosition, terms);
  const std::vector<double> out = way_out(system, state, row_weights(system, terms, mobility));
  if (out.empty()) return report;
  for (const double part : {kWayOut, -kWayOut}) {
    State aside = state;
    std::vector<double> way = out;
    for (double& one : way) one *= part;
    system.retract(aside.q, way);
    AssemblyReport unused;
    report = move_together(system, aside, Anchor::last, moves, unused);
    if (!report.accepted()) continue;
    state.q = aside.q;
    break;
  }
  return report;
}

// The nearest place where all is closed; from far away, one that steps of least move lead to.
Report close_positions(const system::Dynamics& system, State& state, Moves moves, AssemblyReport& out) {
  const std::vector<double> from = state.q;
  const Report nearest = move_together(system, state, Anchor::start, moves, out);
  if (nearest.outcome != Outcome::assembly_failed) return nearest;
  State other = state;
  other.q = from;
  AssemblyReport unused;
  Report closed = move_together(system, other, Anchor::last, moves, unused);
  if (closed.outcome == Outcome::assembly_failed) closed = leave_dead_centre(system, other, moves);
  if (!closed.accepted()) return nearest;
  state.q = other.q;
  out.open.clear();
  return closed;
}

// Rows of positions whose rate is not zero.
std::vector<std::string> open_rates(const system::Dynamics& system, const system::Terms& terms,
                                    const State& state) {
  std::vector<std::string> names;
  const double largest = std::max(1.0, math::largest(state.v));
  for (std::size_t r = 0; r < terms.Phi.size(); ++r) {
    const double rate = row_times(system.jacobian(), terms.Phi_v, r, state.v) + terms.Phi_t[r];
    if (std::abs(rate) > kGivenVelocity * largest * system.rows()[r].scale)
      names.push_back(system.rows()[r].name);
  }
  return names;
}

}  // namespace

AssemblyReport assemble(const system::Dynamics& system, State& state) {
  AssemblyReport out;
  out.report = close_positions(system, state, Moves::near, out);
  if (!out.report.accepted()) return out;
  const Report velocities = find_velocities(system, state, out.conflicts);
  if (!velocities.accepted()) out.report = velocities;
  system::Terms terms = system.make_terms();
  static_cast<void>(system.accept_angles(state, terms, 0));
  return out;
}

AssemblyReport assemble_positions(const system::Dynamics& system, State& state, Moves moves) {
  AssemblyReport out;
  out.report = close_positions(system, state, moves, out);
  system::Terms terms = system.make_terms();
  static_cast<void>(system.accept_angles(state, terms, 0));
  return out;
}

AssemblyReport close(const system::Dynamics& system, State& state) {
  AssemblyReport out;
  out.report = close_positions(system, state, Moves::near, out);
  if (!out.report.accepted()) return out;
  Projector projector(system, SolverChoice::automatic);
  double left = 0;
  const Report velocities = projector.velocities(state, left);
  if (!velocities.accepted()) {
    out.report = velocities;
    return out;
  }
  system::Terms terms = system.make_terms();
  system.evaluate(state, system::kAskPosition, terms);
  out.conflicts = open_rates(system, terms, state);
  if (!out.conflicts.empty()) {
    take_nearest_velocities(system, state);
    out.conflicts = open_rates(system, terms, state);
  }
  if (!out.conflicts.empty()) out.report.outcome = Outcome::assembly_failed;
  static_cast<void>(system.accept_angles(state, terms, 0));
  return out;
}

}  // namespace trammel::formulations
