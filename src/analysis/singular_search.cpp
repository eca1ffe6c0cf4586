#include "analysis/singular_search.h"

#include <cmath>
#include <numbers>

#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// Golden section until the interval is this part of what it was: then σ is known to be zero, or not.
constexpr double kNarrowed = 1e-7;
// It is, where it has fallen to this part of its values beside.
constexpr double kZero = 1e-5;
// The polynomial goes through three values on each side, this part of the interval apart.
constexpr double kApart = 0.05;

// The rows of Φ_v in units of what counts as one; a row that vanishes stays small.
Eigen::MatrixXd rows_by_scale(const system::System& system, const system::Terms& terms) {
  Eigen::MatrixXd rows = formulations::scaled_rows(system, terms).topRows(system.sizes().holonomic);
  for (Eigen::Index r = 0; r < rows.rows(); ++r)
    rows.row(r) /= system.rows()[static_cast<std::size_t>(r)].scale;
  return rows;
}

// Newton's method to rounding, also along the direction in which the rows are weak: projections by penalty
// leave more there.
void polish(const system::System& system, State& s) {
  constexpr int kPolishes = 4;
  system::Terms terms = system.make_terms();
  std::vector<double> way(s.v.size());
  for (int i = 0; i < kPolishes; ++i) {
    system.evaluate(s, system::kAskPosition, terms);
    Eigen::VectorXd Phi(system.sizes().holonomic);
    for (Eigen::Index r = 0; r < Phi.size(); ++r)
      Phi[r] = terms.Phi[static_cast<std::size_t>(r)] / system.rows()[static_cast<std::size_t>(r)].scale;
    const Eigen::VectorXd by = linalg::least_squares(rows_by_scale(system, terms), Phi);
    for (std::size_t k = 0; k < way.size(); ++k)
      way[k] = -by[static_cast<Eigen::Index>(k)] * system.coordinate_scale()[k];
    system.retract(s.q, way);
  }
}

// The root near 0 of the polynomial through (x_k, y_k), by Neville's inverse interpolation: x as a function
// of y, at y = 0.
double root(std::vector<double> x, const std::vector<double>& y) {
  for (std::size_t order = 1; order < x.size(); ++order)
    for (std::size_t k = 0; k + order < x.size(); ++k)
      x[k] = (y[k] * x[k + 1] - y[k + order] * x[k]) / (y[k] - y[k + order]);
  return x[0];
}

}  // namespace

double smallest_singular_value(const system::System& system, const State& s, std::vector<double>* direction) {
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition, terms);
  const Eigen::MatrixXd rows = rows_by_scale(system, terms);
  Eigen::MatrixXd squares = rows.transpose() * rows;
  for (const int k : system.idle_columns()) squares(k, k) += 1;
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(squares);
  if (eigen.values.size() == 0) return 1;
  if (direction != nullptr) {
    direction->assign(s.v.size(), 0);
    for (std::size_t k = 0; k < s.v.size(); ++k)
      (*direction)[k] = eigen.vectors(static_cast<Eigen::Index>(k), 0) * system.coordinate_scale()[k];
  }
  return std::sqrt(std::max(0.0, eigen.values[0]));
}

std::optional<SingularSearch::Found> SingularSearch::see(const State& s) {
  seen_.push_back({s, smallest_singular_value(motion_.system(), s)});
  if (seen_.size() > 3) seen_.pop_front();
  if (seen_.size() < 3) return std::nullopt;
  if (!(seen_[1].sigma < seen_[0].sigma && seen_[1].sigma <= seen_[2].sigma)) return std::nullopt;
  return narrow(seen_[0].state.t, seen_[2].state.t);
}

// From the nearest of the three, so that the motion stays in its branch.
std::optional<double> SingularSearch::sigma_at(double t, bool exactly) const {
  const bool forward = (t > seen_[1].state.t) == (seen_[2].state.t > seen_[0].state.t);
  State s = forward ? seen_[2].state : seen_[0].state;
  if (!motion_.move_to(t, s).accepted()) return std::nullopt;
  if (exactly) polish(motion_.system(), s);
  return smallest_singular_value(motion_.system(), s);
}

std::optional<SingularSearch::Found> SingularSearch::narrow(double from, double to) {
  const double whole = to - from, golden = std::numbers::phi - 1;
  double a = from, b = to, c = b - golden * (b - a), d = a + golden * (b - a);
  std::optional<double> at_c = sigma_at(c), at_d = sigma_at(d);
  while (at_c && at_d && std::abs(b - a) > kNarrowed * std::abs(whole)) {
    if (*at_c < *at_d) {
      b = d, d = c, at_d = at_c;
      c = b - golden * (b - a);
      at_c = sigma_at(c);
    } else {
      a = c, c = d, at_c = at_d;
      d = a + golden * (b - a);
      at_d = sigma_at(d);
    }
  }
  if (!at_c || !at_d) return std::nullopt;
  const double smallest = std::min(*at_c, *at_d), beside = std::min(seen_[0].sigma, seen_[2].sigma);
  if (smallest > kZero * beside) return std::nullopt;
  const double middle = (a + b) / 2, apart = kApart * whole;
  std::vector<double> x, y;
  for (const double k : {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0}) {
    const std::optional<double> sigma = sigma_at(middle + k * apart, true);
    if (!sigma) return std::nullopt;
    x.push_back(k * apart);
    y.push_back(k < 0 ? -*sigma : *sigma);
  }
  Found found;
  found.t = middle + root(x, y);
  found.state = std::abs(found.t - seen_[0].state.t) < std::abs(found.t - seen_[2].state.t) ? seen_[0].state
                                                                                            : seen_[2].state;
  if (!motion_.move_to(found.t, found.state).accepted()) return std::nullopt;
  found.smallest = smallest_singular_value(motion_.system(), found.state, &found.direction);
  return found;
}

}  // namespace trammel::analysis
