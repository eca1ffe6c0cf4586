#include "analysis/singular_search.h"

#include <cmath>
#include <numbers>

#include "analysis/near_singular.h"

namespace trammel::analysis {
namespace {

// Golden section until the interval is this part of what it was: then σ is known to be zero, or not.
constexpr double kNarrowed = 1e-7;
// It is, where it has fallen to this part of its values beside.
constexpr double kZero = 1e-5;
// The polynomial goes through three values on each side, this part of the interval apart.
constexpr double kApart = 0.05;

// The root near 0 of the polynomial through (x_k, y_k), by Neville's inverse interpolation: x as a function
// of y, at y = 0.
double root(std::vector<double> x, const std::vector<double>& y) {
  for (std::size_t order = 1; order < x.size(); ++order)
    for (std::size_t k = 0; k + order < x.size(); ++k)
      x[k] = (y[k] * x[k + 1] - y[k + order] * x[k]) / (y[k] - y[k + order]);
  return x[0];
}

}  // namespace

std::optional<SingularSearch::Found> SingularSearch::see(const State& s, double sigma) {
  seen_.push_back({s, sigma});
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
  if (exactly) polish_positions(motion_.system(), s);
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
