#include "integrators/dense_step.h"

namespace trammel {
namespace {

constexpr Tableau::Row kDense = {-12715105075. / 11282082432,  0,
                                 87487479700. / 32700410799,   -10690763975. / 1880347072,
                                 701980252875. / 199316789632, -1453857185. / 822651844,
                                 69997945. / 29380423};

}  // namespace

void DenseStep::set(double t_begin, double step, std::span<const double> y0, std::span<const double> y1,
                    const ExplicitStages& k) {
  t0 = t_begin;
  h = step;
  n_ = y0.size();
  r_.resize(5 * n_);
  double *r0 = r_.data(), *r1 = r0 + n_, *r2 = r1 + n_, *r3 = r2 + n_, *r4 = r3 + n_;
  const std::span<const double> first = k[0], last = k[6];
  for (std::size_t i = 0; i < n_; ++i) {
    r0[i] = y0[i];
    r1[i] = y1[i] - y0[i];
    r2[i] = h * first[i] - r1[i];
    r3[i] = r1[i] - h * last[i] - r2[i];
  }
  k.combine(kDense, h, {r4, n_});
}

void DenseStep::at(double theta, std::span<double> y) const {
  const double *r0 = r_.data(), *r1 = r0 + n_, *r2 = r1 + n_, *r3 = r2 + n_, *r4 = r3 + n_;
  const double rest = 1 - theta;
  for (std::size_t i = 0; i < n_; ++i)
    y[i] = r0[i] + theta * (r1[i] + rest * (r2[i] + theta * (r3[i] + rest * r4[i])));
}

}  // namespace trammel
