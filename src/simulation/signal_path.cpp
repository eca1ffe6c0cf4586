#include "simulation/signal_path.h"

#include <algorithm>

namespace trammel::simulation {

SignalPath::SignalPath(double from, double to, double s0, double rate0, double s1, double rate1)
    : from_(from),
      duration_(to - from),
      b_{s0, s0 + (to - from) * rate0 / 3, s1 - (to - from) * rate1 / 3, s1} {}

// The symmetric function of three parameters that is s(θ) where they are equal; of the ends of a part it is
// the part's b_i.
double SignalPath::blossom(double a, double b, double c) const {
  const auto between = [](double theta, double x, double y) { return x + theta * (y - x); };
  const double first = between(b, between(a, b_[0], b_[1]), between(a, b_[1], b_[2]));
  const double last = between(b, between(a, b_[1], b_[2]), between(a, b_[2], b_[3]));
  return between(c, first, last);
}

double SignalPath::at(double t) const {
  const double theta = (t - from_) / duration_;
  return blossom(theta, theta, theta);
}

expressions::Enclosure SignalPath::over(double from, double to) const {
  const double a = (from - from_) / duration_, b = (to - from_) / duration_;
  const double s[] = {blossom(a, a, a), blossom(a, a, b), blossom(a, b, b), blossom(b, b, b)};
  const double slope = 3 / (to - from);
  const auto [least, most] = std::minmax({s[0], s[1], s[2], s[3]});
  const auto [slowest, fastest] = std::minmax({s[1] - s[0], s[2] - s[1], s[3] - s[2]});
  return {{least, most}, {slope * slowest, slope * fastest}};
}

}  // namespace trammel::simulation
