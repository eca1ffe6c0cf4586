#include "integrators/explicit_stages.h"

#include <algorithm>
#include <utility>

#include "integrators/ode_step.h"

namespace trammel {

void ExplicitStages::resize(std::size_t n) {
  n_ = n;
  k_.resize(offset(most_));
  at_.resize(n);
}

void ExplicitStages::combine(const Tableau::Row& weights, double h, std::span<double> sum) const {
  std::fill(sum.begin(), sum.end(), 0.0);
  for (int j = 0; j < most_; ++j) {
    const double w = h * weights[static_cast<std::size_t>(j)];
    if (w == 0) continue;
    const std::span<const double> k = (*this)[j];
    for (std::size_t i = 0; i < n_; ++i) sum[i] += w * k[i];
  }
}

Report ExplicitStages::evaluate(OdeForm& form, double t, double h, std::span<const double> y, int first,
                                int end, int& evaluations) {
  Report total;
  for (int s = first; s < end; ++s) {
    const auto row = static_cast<std::size_t>(s);
    combine(tableau_.a[row], h, at_);
    for (std::size_t i = 0; i < n_; ++i) at_[i] += y[i];
    const Report report = form.rate(t + tableau_.c[row] * h, at_, (*this)[s]);
    ++evaluations;
    if (!report.accepted()) return report;
    merge_mark(report, total);
  }
  return total;
}

}  // namespace trammel
