#include "analysis/singular_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/near_singular.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// Ways are in units of what counts as one. Between two States that are searched the fastest coordinate moves
// by this at most: less than a quarter of a turn, so that σ has no more than one minimum there.
constexpr double kSearchWay = 0.3;
// Below this part of the largest σ has no slope: it is zero but for rounding.
constexpr double kNoSlope = 1e-6;
// A minimum known to this is tried as a crossing.
constexpr double kCloseWay = 0.06;
// For the slope, by differences: the square of it is the slope's relative error.
constexpr double kSlopeWay = 1e-4;
// The polynomial goes through States this far apart, and nearer ones where a driver has a kink.
constexpr double kNodeWay = 0.03;
constexpr double kNearerNodes[] = {1, 0.2, 0.04};
// Its nodes are centred on the root to this part of their distance.
constexpr double kCentred = 0.2;
constexpr int kCentrings = 8;
// σ is zero, where it has fallen to this part of its values beside.
constexpr double kZero = 1e-5;
// σ has no zero in an interval, in which its slope at both ends makes up less than this part of it.
constexpr double kNoZero = 0.1;
// Halving ends at this part of the interval: then σ is known to be zero, or not.
constexpr double kNarrowed = 1e-7;
// A crossing this far outside the times that are wanted is at their end; two this close are the same.
constexpr double kEndWay = 1e-8, kSameWay = 1e-6;

// The root near 0 of the polynomial through (x_k, y_k), by Neville's inverse interpolation: x as a function
// of y, at y = 0.
double root(std::vector<double> x, const std::vector<double>& y) {
  for (std::size_t order = 1; order < x.size(); ++order)
    for (std::size_t k = 0; k + order < x.size(); ++k)
      x[k] = (y[k] * x[k + 1] - y[k + order] * x[k]) / (y[k] - y[k + order]);
  return x[0];
}

Eigen::MatrixXd rows_at(const system::System& system, const State& s) {
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition, terms);
  return rows_by_scale(system, terms);
}

}  // namespace

SingularSearch::SingularSearch(PrescribedMotion& motion, double first, double last)
    : motion_(motion), first_(first), end_(last), largest_(MotionScales{}.sigma) {}

// The fastest coordinate's speed, in units of what counts as one.
double SingularSearch::speed(const State& s) const {
  double fastest = 0;
  for (std::size_t k = 0; k < s.v.size(); ++k)
    fastest = std::max(fastest, std::abs(s.v[k]) / motion_.system().coordinate_scale()[k]);
  return fastest;
}

SingularSearch::Seen SingularSearch::look(State s) const {
  const system::System& system = motion_.system();
  Seen seen{std::move(s)};
  const Eigen::MatrixXd rows = rows_at(system, seen.state);
  Eigen::MatrixXd squares = rows.transpose() * rows;
  for (const int k : system.idle_columns()) squares(k, k) += 1;
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(squares);
  if (eigen.values.size() == 0) {
    seen.sigma = 1;
    return seen;
  }
  const Eigen::VectorXd w = eigen.vectors.col(0), left = rows * w;
  seen.sigma = left.norm();
  const double fastest = speed(seen.state);
  if (fastest == 0 || seen.sigma == 0) return seen;
  const double step = kSlopeWay / fastest;
  std::vector<double> way(seen.state.v.size());
  Eigen::VectorXd difference = Eigen::VectorXd::Zero(rows.rows());
  for (const double h : {step, -step}) {
    State aside = seen.state;
    aside.t += h;
    for (std::size_t k = 0; k < way.size(); ++k) way[k] = h * seen.state.v[k];
    system.retract(aside.q, way);
    difference += rows_at(system, aside) * w / (2 * h);
  }
  seen.slope = left.dot(difference) / seen.sigma;
  return seen;
}

std::optional<SingularSearch::Seen> SingularSearch::look_at(double t, const Seen& from) const {
  State s = from.state;
  if (!motion_.move_to(t, s).accepted()) return std::nullopt;
  return look(std::move(s));
}

bool SingularSearch::is_near(const Seen& seen) const { return seen.sigma < kNearSingular * largest_; }

void SingularSearch::see(const State& s) {
  Seen now = look(s);
  largest_ = std::max(largest_, now.sigma);
  if (last_) {
    Seen at = *last_;
    const double start = at.state.t, whole = now.state.t - start;
    const double way = std::abs(whole) * std::max(speed(at.state), speed(now.state));
    const auto parts = static_cast<long>(std::ceil(std::max(1.0, way / kSearchWay)));
    for (long k = 1; k < parts; ++k) {
      std::optional<Seen> next =
          look_at(start + whole * static_cast<double>(k) / static_cast<double>(parts), at);
      if (!next) break;
      search(at, *next);
      at = *std::move(next);
      if (!is_near(at)) away_ = at;
    }
    Seen end = now;
    search(at, end);
    forward_ = whole > 0;
  } else if (is_near(now)) {
    State beyond;
    static_cast<void>(confirm(away_ ? away_->state : now.state, now.state.t, beyond));
  }
  if (!is_near(now)) away_ = now;
  last_ = std::move(now);
}

void SingularSearch::finish() {
  if (!last_ || !is_near(*last_) || (last_->slope < 0) != forward_) return;
  State beyond;
  static_cast<void>(confirm(away_ ? away_->state : last_->state, last_->state.t, beyond));
}

void SingularSearch::forget() {
  last_.reset();
  away_.reset();
  all_.clear();
}

void SingularSearch::search(const Seen& from, Seen& to) {
  const double sign = to.state.t > from.state.t ? 1 : -1;
  if (!(sign * from.slope < 0 && sign * to.slope >= 0)) return;
  State beyond;
  const Result result = narrow(from, to, beyond);
  if (result == Result::unknown) undecided_.push_back(narrowed_);
  if (result != Result::zero) return;
  // A step over the crossing may have left the motion; the States beyond are of it.
  if (motion_.move_to(to.state.t, beyond).accepted()) to = look(std::move(beyond));
}

// By Newton's method from the one that is nearer to it, or from both.
double SingularSearch::expected_zero(const Seen& from, const Seen& to) const {
  const Seen& nearer = from.sigma < to.sigma ? from : to;
  const double t = nearer.state.t;
  // Next to zero the slope is rounding.
  if (nearer.sigma <= kNoSlope * largest_) return t;
  return t - nearer.sigma / nearer.slope;
}

SingularSearch::Result SingularSearch::narrow(Seen from, Seen to, State& beyond) {
  const double whole = std::abs(to.state.t - from.state.t), beside = std::max(from.sigma, to.sigma);
  const double sign = to.state.t > from.state.t ? 1 : -1;
  const double fastest = std::max(speed(from.state), speed(to.state));
  bool tried = false;
  const auto try_at = [&](double t) {
    tried = true;
    const State& before = is_near(from) && away_ ? away_->state : from.state;
    const Result result = confirm(before, t, beyond);
    if (result != Result::unknown) return result;
    const Result other = confirm(to.state, t, beyond);
    beyond = to.state;
    return other;
  };
  for (;;) {
    const double width = std::abs(to.state.t - from.state.t);
    const auto may_be_zero = [&](const Seen& end) {
      return width * std::abs(end.slope) >= kNoZero * end.sigma;
    };
    narrowed_ = (from.state.t + to.state.t) / 2;
    if (!may_be_zero(from) && !may_be_zero(to)) return Result::not_zero;
    const double estimate = expected_zero(from, to);
    if (!tried && (width * fastest < kCloseWay || is_near(from) || is_near(to)))
      if (const Result result = try_at(estimate); result != Result::unknown) return result;
    if (std::min(from.sigma, to.sigma) <= kZero * beside) {
      beyond = to.state;
      const double part = from.sigma / (from.sigma + to.sigma);
      add({from.state.t + part * (to.state.t - from.state.t), std::min(from.sigma, to.sigma), from.state});
      return Result::zero;
    }
    if (width <= kNarrowed * whole) return Result::not_zero;
    const double middle = (from.state.t + to.state.t) / 2;
    std::optional<Seen> ahead = look_at(middle, from), behind = look_at(middle, to);
    const bool falls = ahead && sign * ahead->slope < 0, rises = behind && sign * behind->slope >= 0;
    if (const std::optional<Seen>& seen = ahead ? ahead : behind; !tried && seen && is_near(*seen))
      if (const Result result = try_at(expected_zero(*seen, *seen)); result != Result::unknown) return result;
    // One that comes from the other side counts where its own does not reach so far.
    if (falls && !rises) {
      from = *std::move(ahead);
    } else if (rises && !falls) {
      to = *std::move(behind);
    } else if (ahead && !behind) {
      to = *std::move(ahead);
    } else if (behind && !ahead) {
      from = *std::move(behind);
    } else {
      return Result::unknown;
    }
  }
}

SingularSearch::Result SingularSearch::confirm(const State& from, double expected, State& beyond) {
  const system::System& system = motion_.system();
  const double fastest = speed(from);
  if (fastest == 0) return Result::unknown;
  for (const double nearer : kNearerNodes) {
    const double apart = nearer * kNodeWay / fastest;
    double t = expected;
    for (int k = 0; k < kCentrings; ++k) {
      const std::optional<std::vector<State>> nodes = states_around(motion_, from, apart, t);
      if (!nodes) break;
      std::vector<double> x, y;
      for (const State& node : *nodes) {
        x.push_back(node.t - t);
        y.push_back(std::copysign(smallest_singular_value(system, node), x.back()));
      }
      const double off = root(x, y);
      if (!std::isfinite(off)) break;
      if (std::abs(off) > kCentred * apart) {
        t += std::clamp(off, -2 * apart, 2 * apart);
        continue;
      }
      Found found{t + off, 0, nodes->front()};
      found.state.t = found.t;
      found.state = interpolated(system, *nodes, found.state);
      found.smallest = look(found.state).sigma;
      if (found.smallest > kZero * std::abs(y.front())) return Result::not_zero;
      beyond = nodes->back();
      add(std::move(found));
      return Result::zero;
    }
  }
  return Result::unknown;
}

void SingularSearch::add(Found found) {
  const double fastest = speed(found.state);
  if (found.t < std::min(first_, end_) - kEndWay / fastest ||
      found.t > std::max(first_, end_) + kEndWay / fastest)
    return;
  for (const double other : all_)
    if (std::abs(other - found.t) <= kSameWay / fastest) return;
  all_.push_back(found.t);
  found_.push_back(std::move(found));
}

std::vector<SingularSearch::Found> SingularSearch::take_found() { return std::exchange(found_, {}); }

}  // namespace trammel::analysis
