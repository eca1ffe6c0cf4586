#include "integrators/explicit_stages.h"

#include <algorithm>
#include <utility>

#include "integrators/ode_step.h"
#include "math/spans.h"

namespace trammel {

void ExplicitStages::resize(std::size_t n) {
  n_ = n;
  k_.resize(offset(most_));
  at_.resize(n);
}

void ExplicitStages::combine(const Tableau::Row& weights, double h, std::span<double> sum) const {
  add_up(weights, h, nullptr, sum.data());
}

// By coordinates, so that a sum stays in a register until it is whole.
void ExplicitStages::add_up(const Tableau::Row& weights, double h, const double* y, double* sum) const {
  std::array<double, Tableau::kMost> weight;
  std::array<const double*, Tableau::kMost> rate;
  int count = 0;
  for (int j = 0; j < most_; ++j)
    if (const double w = h * weights[static_cast<std::size_t>(j)]; w != 0) {
      weight[static_cast<std::size_t>(count)] = w;
      rate[static_cast<std::size_t>(count++)] = k_.data() + offset(j);
    }
  by_pairs(n_, [&, y, sum](std::size_t i, auto width) {
    using W = decltype(width);
    W total{};
    for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j)
      total += spread<W>(weight[j]) * load<W>(rate[j] + i);
    store<W>(sum + i, y != nullptr ? load<W>(y + i) + total : total);
  });
}

Report ExplicitStages::evaluate(OdeForm& form, double t, double h, std::span<const double> y, int first,
                                int end, int& evaluations) {
  Report total;
  for (int s = first; s < end; ++s) {
    const auto row = static_cast<std::size_t>(s);
    add_up(tableau_.a[row], h, y.data(), at_.data());
    const Report report = form.rate(t + tableau_.c[row] * h, at_, (*this)[s]);
    ++evaluations;
    if (!report.accepted()) return report;
    merge_mark(report, total);
  }
  return total;
}

}  // namespace trammel
