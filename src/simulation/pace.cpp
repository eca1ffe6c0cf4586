#include "simulation/pace.h"

#include <algorithm>

namespace trammel::simulation {
namespace {

// A doubling that comes further than this many times the one before is on its way: 2 at constant speed, 1.4
// where the speed grows with t.
constexpr double kGains = 1.3;

// Steps to the end, if each doubling from here gains `ratio` times the one before; no more than `most`.
double forecast(double steps, double left, double gain, double ratio, double most) {
  while (left > 0 && steps <= most) {
    gain *= ratio;
    left -= gain;
    steps *= 2;
  }
  return steps;
}

}  // namespace

std::optional<double> Pace::hopeless(double steps, double t, double end) {
  if (steps < next_) return std::nullopt;
  std::shift_left(gains_.begin(), gains_.end(), 1);
  gains_.back() = t - t_;
  const double taken = next_ / 2;
  next_ = 2 * steps;
  t_ = t;
  for (std::size_t k = 1; k < gains_.size(); ++k)
    if (!(gains_[k] <= kGains * gains_[k - 1])) return std::nullopt;
  const double ratio = std::pow(gains_.back() / gains_.front(), 1.0 / static_cast<double>(gains_.size() - 1));
  if (forecast(steps, end - t, gains_.back(), ratio, kMostSteps) <= kMostSteps) return std::nullopt;
  return gains_.back() / taken;
}

}  // namespace trammel::simulation
