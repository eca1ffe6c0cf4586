#include "integrators/dense_step.h"

namespace trammel::integrators {

void DenseStep::set(const PairTableau& pair, double h, std::span<const double> y0, std::span<const double> y1,
                    const ExplicitStages& k) {
  n_ = y0.size();
  terms_ = 4 + static_cast<std::size_t>(pair.dense_rows);
  r_.resize(terms_ * n_);
  double *r0 = r_.data(), *r1 = r0 + n_, *r2 = r1 + n_, *r3 = r2 + n_;
  const std::span<const double> first = k[0], last = k[pair.rule.stages - 1];
  for (std::size_t i = 0; i < n_; ++i) {
    r0[i] = y0[i];
    r1[i] = y1[i] - y0[i];
    r2[i] = h * first[i] - r1[i];
    r3[i] = r1[i] - h * last[i] - r2[i];
  }
  for (std::size_t row = 4; row < terms_; ++row)
    k.combine(pair.dense[row - 4], h, std::span(r_).subspan(row * n_, n_));
}

void DenseStep::at(double theta, std::span<double> y) const {
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = r_[(terms_ - 1) * n_ + i];
    for (std::size_t row = terms_ - 1; row-- > 0;)
      sum = r_[row * n_ + i] + (row % 2 == 0 ? theta : 1 - theta) * sum;
    y[i] = sum;
  }
}

void DenseStep::slope(double theta, std::span<double> y) const {
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = r_[(terms_ - 1) * n_ + i], slope = 0;
    for (std::size_t row = terms_ - 1; row-- > 0;) {
      const bool even = row % 2 == 0;
      slope = (even ? sum : -sum) + (even ? theta : 1 - theta) * slope;
      sum = r_[row * n_ + i] + (even ? theta : 1 - theta) * sum;
    }
    y[i] = slope;
  }
}

}  // namespace trammel::integrators
