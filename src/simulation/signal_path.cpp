#include "simulation/signal_path.h"

#include <algorithm>
#include <cmath>

namespace trammel::simulation {

SignalPath::SignalPath(double from, double to, const End& first, const End& last)
    : from_(from), duration_(to - from) {
  const double h = duration_, s0 = first.value, s1 = last.value;
  const double cubic[] = {s0, s0 + h * first.rate / 3, s1 - h * last.rate / 3, s1};
  b_ = {s0,
        s0 + h * first.rate / 5,
        (cubic[0] + 6 * cubic[1] + 3 * cubic[2]) / 10,
        (3 * cubic[1] + 6 * cubic[2] + cubic[3]) / 10,
        s1 - h * last.rate / 5,
        s1};
  if (!std::isfinite(first.second) || !std::isfinite(last.second)) return;
  const double b2 = s0 + 2 * h * first.rate / 5 + h * h * first.second / 20,
               b3 = s1 - 2 * h * last.rate / 5 + h * h * last.second / 20;
  // Two of the b_i are moved; B_2 and B_3 are 5/16 at most where both count.
  bend_ = 5.0 / 16 * (std::abs(b2 - b_[2]) + std::abs(b3 - b_[3]));
  b_[2] = b2;
  b_[3] = b3;
}

// The symmetric function of as many parameters as the degree that is s(θ) where they are equal; of the ends
// of a part it gives the part's b_i.
double SignalPath::blossom(const Arguments& theta) const {
  std::array<double, kDegree + 1> b = b_;
  for (std::size_t level = 0; level < kDegree; ++level)
    for (std::size_t i = 0; i + level < kDegree; ++i) b[i] += theta[level] * (b[i + 1] - b[i]);
  return b[0];
}

double SignalPath::at(double t) const {
  Arguments theta;
  theta.fill((t - from_) / duration_);
  return blossom(theta);
}

expressions::Enclosure SignalPath::over(double from, double to) const {
  const double a = (from - from_) / duration_, b = (to - from_) / duration_;
  Arguments theta;
  theta.fill(a);
  double last = blossom(theta);
  expressions::Enclosure out{{last, last}, {}};
  double slowest = std::numeric_limits<double>::infinity(), fastest = -slowest;
  for (double& one : theta) {
    one = b;
    const double next = blossom(theta);
    out.f = {std::min(out.f.lo, next), std::max(out.f.hi, next)};
    slowest = std::min(slowest, next - last);
    fastest = std::max(fastest, next - last);
    last = next;
  }
  const double slope = double{kDegree} / (to - from);
  out.d = {slope * slowest, slope * fastest};
  return out;
}

}  // namespace trammel::simulation
