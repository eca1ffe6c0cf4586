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

// By eight coordinates at a time, so that their sums stay in registers until they are whole.
void ExplicitStages::add_up(const Tableau::Row& weights, double h, const double* y, double* sum) const {
  std::array<double, Tableau::kMost> weight;
  std::array<const double*, Tableau::kMost> rate;
  std::size_t count = 0;
  for (int j = 0; j < most_; ++j)
    if (const double w = h * weights[static_cast<std::size_t>(j)]; w != 0) {
      weight[count] = w;
      rate[count++] = k_.data() + offset(j);
    }
  const auto write = [y, sum](std::size_t i, auto total) {
    using W = decltype(total);
    store<W>(sum + i, y != nullptr ? load<W>(y + i) + total : total);
  };
  std::size_t done = 0;
  for (; done + 8 <= n_; done += 8) {
    Pair a{}, b{}, c{}, d{};
    for (std::size_t j = 0; j < count; ++j) {
      const Pair w = twice(weight[j]);
      const double* k = rate[j] + done;
      a += w * load_pair(k);
      b += w * load_pair(k + 2);
      c += w * load_pair(k + 4);
      d += w * load_pair(k + 6);
    }
    write(done, a);
    write(done + 2, b);
    write(done + 4, c);
    write(done + 6, d);
  }
  by_pairs(n_ - done, [&](std::size_t i, auto total) {
    for (std::size_t j = 0; j < count; ++j)
      total += spread<decltype(total)>(weight[j]) * load<decltype(total)>(rate[j] + done + i);
    write(done + i, total);
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
