#include "analysis/near_singular.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// Below this part of the largest σ rates are interpolated: by least squares accelerations, which err by ε/σ³,
// would be known to less than 1e-7.
constexpr double kWeakRows = 1e-2;
// Between two States for the polynomial the fastest coordinate moves by so much of what counts as one: from
// any row that is interpolated they lie well beyond the crossing.
constexpr double kNodesApart = 0.03;
constexpr int kEachSide = 4, kPredictors = 6;
// States beyond the crossing are predicted to this, in units of what counts as one: the polynomial errs by
// about 1e-7 there, and another motion is a hundred times as far away.
constexpr double kPredicted = 1e-4, kClosedAgain = 1e-10;
// What two polynomials may differ by, in rates of what counts as one in the time scale.
constexpr double kAgrees = 1e-6;
constexpr double kEpsilon = 2.3e-16;
// σ is zero in a singular position: those are known to 1e-9, and squares are rounded.
constexpr double kZeroSigma = 1e-6;
// Reactions err by 1/σ of what positions do, 1e-12.
constexpr double kReactionsKnown = 1e-6;

// x of rows · x = right, in units of the coordinates.
std::vector<double> solved(const system::System& system, const Eigen::MatrixXd& rows,
                           const std::vector<double>& right) {
  Eigen::VectorXd b(rows.rows());
  for (Eigen::Index r = 0; r < b.size(); ++r)
    b[r] = -right[static_cast<std::size_t>(r)] / system.rows()[static_cast<std::size_t>(r)].scale;
  const Eigen::VectorXd x = linalg::least_squares(rows, b);
  std::vector<double> out(static_cast<std::size_t>(x.size()));
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = x[static_cast<Eigen::Index>(k)] * system.coordinate_scale()[k];
  return out;
}

// The squares of σ, and the velocities that belong to them.
linalg::SymmetricEigen squares_of_rows(const system::System& system, const State& s) {
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition, terms);
  const Eigen::MatrixXd rows = rows_by_scale(system, terms);
  Eigen::MatrixXd squares = rows.transpose() * rows;
  for (const int k : system.idle_columns()) squares(k, k) += 1;
  return linalg::symmetric_eigen(squares);
}

// Lagrange's weights of the nodes at t.
std::vector<double> weights(std::span<const State> nodes, double t) {
  std::vector<double> w(nodes.size(), 1);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (std::size_t l = 0; l < nodes.size(); ++l)
      if (l != k) w[k] *= (t - nodes[l].t) / (nodes[k].t - nodes[l].t);
  return w;
}

// Seconds in which the mechanism moves by its own size; those given where it rests.
double moving_time(const system::System& system, const State& s, double at_rest) {
  double fastest = 0;
  for (std::size_t k = 0; k < s.v.size(); ++k)
    fastest = std::max(fastest, std::abs(s.v[k]) / system.coordinate_scale()[k]);
  return fastest > 0 ? 1 / fastest : at_rest;
}

}  // namespace

Eigen::MatrixXd rows_by_scale(const system::System& system, const system::Terms& terms) {
  Eigen::MatrixXd rows = formulations::scaled_rows(system, terms).topRows(system.sizes().holonomic);
  for (Eigen::Index r = 0; r < rows.rows(); ++r)
    rows.row(r) /= system.rows()[static_cast<std::size_t>(r)].scale;
  return rows;
}

double smallest_singular_value(const system::System& system, const State& s) {
  const linalg::SymmetricEigen eigen = squares_of_rows(system, s);
  return eigen.values.size() == 0 ? 1 : std::sqrt(std::max(0.0, eigen.values[0]));
}

std::vector<std::vector<double>> weak_velocities(const system::System& system, const State& s) {
  const linalg::SymmetricEigen eigen = squares_of_rows(system, s);
  std::vector<std::vector<double>> all;
  for (Eigen::Index k = 0; k < eigen.values.size(); ++k) {
    if (k > 0 && !(eigen.values[k] <= kZeroSigma * kZeroSigma)) break;
    std::vector<double>& one = all.emplace_back(s.v.size());
    for (std::size_t c = 0; c < one.size(); ++c)
      one[c] = eigen.vectors(static_cast<Eigen::Index>(c), k) * system.coordinate_scale()[c];
  }
  return all;
}

void polish_positions(const system::System& system, State& s) {
  constexpr int kPolishes = 4;
  system::Terms terms = system.make_terms();
  for (int i = 0; i < kPolishes; ++i) {
    system.evaluate(s, system::kAskPosition, terms);
    system.retract(s.q, solved(system, rows_by_scale(system, terms), terms.Phi));
  }
}

void polish(const system::System& system, State& s) {
  polish_positions(system, s);
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition, terms);
  const Eigen::MatrixXd rows = rows_by_scale(system, terms);
  s.v = solved(system, rows, terms.Phi_t);
  system.evaluate(s, system::kAskPosition | system::kAskGamma, terms);
  s.a = solved(system, rows, terms.gamma);
}

State interpolated(const system::System& system, std::span<const State> nodes, const State& near) {
  const std::vector<double> w = weights(nodes, near.t);
  State out = near;
  std::vector<double> way(near.v.size(), 0), one(near.v.size());
  std::ranges::fill(out.v, 0);
  std::ranges::fill(out.a, 0);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    system.difference(near.q, nodes[n].q, one);
    for (std::size_t k = 0; k < way.size(); ++k) {
      way[k] += w[n] * one[k];
      out.v[k] += w[n] * nodes[n].v[k];
      out.a[k] += w[n] * nodes[n].a[k];
    }
  }
  system.retract(out.q, way);
  return out;
}

std::optional<std::vector<State>> states_around(PrescribedMotion& motion, const State& before, double apart,
                                                double t) {
  const system::System& system = motion.system();
  const double sign = t >= before.t ? 1 : -1;
  std::vector<State> known;
  for (int k = kPredictors; k > 0; --k) {
    State node = before;
    if (!motion.move_to(t - k * sign * apart, node).accepted()) return std::nullopt;
    polish(system, node);
    known.push_back(std::move(node));
  }
  std::vector<State> nodes(known.end() - kEachSide, known.end());
  for (int k = 1; k <= kEachSide; ++k) {
    State node = known.back();
    node.t = t + k * sign * apart;
    node = interpolated(system, known, node);
    const std::vector<double> predicted = node.q;
    polish(system, node);
    std::vector<double> way(node.v.size());
    system.difference(predicted, node.q, way);
    for (std::size_t c = 0; c < way.size(); ++c)
      if (!(std::abs(way[c]) <= kPredicted * system.coordinate_scale()[c])) return std::nullopt;
    if (!(motion.violation(node).position <= kClosedAgain)) return std::nullopt;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

bool settle_near_singular(PrescribedMotion& motion, const State* before, const MotionScales& scales,
                          State& s) {
  const system::System& system = motion.system();
  const double weak = kWeakRows * scales.sigma;
  State exact = s;
  polish(system, exact);
  const double sigma = smallest_singular_value(system, exact);
  if (sigma >= weak) {
    s = std::move(exact);
    return true;
  }
  const State& from = before != nullptr ? *before : exact;
  const double time = moving_time(system, from, scales.time);
  const std::optional<std::vector<State>> nodes = states_around(motion, from, kNodesApart * time, s.t);
  if (!nodes) {
    // A dead position is ahead: rates grow as 1/σ.
    s = std::move(exact);
    return kEpsilon <= kAgrees * sigma * sigma;
  }
  const std::span<const State> all = *nodes;
  const State rough = interpolated(system, all.subspan(1, all.size() - 2), s);
  s = interpolated(system, all, s);
  // Rates of nodes that are next to a singular position themselves are not known well enough.
  const bool known = std::ranges::all_of(
      all, [&](const State& node) { return smallest_singular_value(system, node) >= weak; });
  double differs = 0;
  for (std::size_t k = 0; k < s.v.size(); ++k)
    differs = std::max({differs, time * std::abs(s.v[k] - rough.v[k]) / system.coordinate_scale()[k],
                        time * time * std::abs(s.a[k] - rough.a[k]) / system.coordinate_scale()[k]});
  return known && differs <= kAgrees;
}

void SettledMotion::begin(const State& s, double duration) {
  scales_.time = std::min(duration, moving_time(motion_.system(), s, duration));
}

SettledMotion::Seen SettledMotion::settle(State& s) {
  Seen seen;
  seen.sigma = smallest_singular_value(motion_.system(), s);
  scales_.sigma = std::max(scales_.sigma, seen.sigma);
  seen.is_near = seen.sigma < kNearSingular * scales_.sigma;
  if (seen.is_near) seen.known = settle_near_singular(motion_, away_ ? &*away_ : nullptr, scales_, s);
  if (seen.known && (!seen.is_near || !away_)) away_ = s;
  return seen;
}

bool settle_multipliers(const system::System& system, State& s) {
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition | system::kAskForces, terms);
  std::vector<double> left(s.v.size(), 0);
  system.force_left(terms, s.a, left);
  for (std::size_t r = 0; r < s.lambda.size(); ++r)
    formulations::add_row(system.jacobian(), terms.Phi_v, r, -s.lambda[r], left);
  Eigen::VectorXd right(static_cast<Eigen::Index>(left.size()));
  for (std::size_t k = 0; k < left.size(); ++k)
    right[static_cast<Eigen::Index>(k)] = left[k] * system.coordinate_scale()[k];
  const Eigen::MatrixXd rows = rows_by_scale(system, terms);
  const Eigen::VectorXd more =
      linalg::least_squares(rows.transpose(), right, formulations::rank_tolerance(system, terms));
  for (std::size_t r = 0; r < s.lambda.size(); ++r)
    s.lambda[r] += more[static_cast<Eigen::Index>(r)] / system.rows()[r].scale;
  return smallest_singular_value(system, s) >= kReactionsKnown;
}

}  // namespace trammel::analysis
