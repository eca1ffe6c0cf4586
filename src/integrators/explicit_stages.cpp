#include "integrators/explicit_stages.h"

#include <algorithm>
#include <utility>

#include "integrators/ode_step.h"
#include "math/spans.h"
#include "math/unroll.h"

namespace trammel::integrators {

void ExplicitStages::resize(std::size_t n) {
  n_ = n;
  k_.resize(offset(most_));
  at_.resize(n);
}

void ExplicitStages::combine(const Tableau::Row& weights, double h, std::span<double> sum) const {
  add_up(weights, most_, h, nullptr, sum.data());
}

void ExplicitStages::lead(std::span<const double> y, const Tableau::Row& weights, double h,
                          std::span<double> to) const {
  add_up(weights, tableau_.stages, h, y.data(), to.data());
}

// By eight coordinates at a time, so that their sums stay in registers until they are whole.
void ExplicitStages::add_up(const Tableau::Row& weights, int stages, double h, const double* y,
                            double* sum) const {
  std::array<double, Tableau::kMost> weight;
  std::array<const double*, Tableau::kMost> rate;
  std::size_t count = 0;
  for (int j = 0; j < stages; ++j)
    if (const double w = h * weights[static_cast<std::size_t>(j)]; w != 0) {
      weight[count] = w;
      rate[count++] = k_.data() + offset(j);
    }
  const auto block = [&](std::size_t at, auto width, auto blocks) {
    using W = decltype(width);
    constexpr std::size_t kEach = sizeof(W) / sizeof(double);
    W total[blocks]{};
    for (std::size_t j = 0; j < count; ++j)
      math::unroll<blocks>([&, w = math::spread<W>(weight[j]), k = rate[j] + at](auto b) {
        total[b] += w * math::load<W>(k + kEach * b);
      });
    math::unroll<blocks>([&](auto b) {
      const std::size_t i = at + kEach * b;
      math::store<W>(sum + i, y != nullptr ? math::load<W>(y + i) + total[b] : total[b]);
    });
  };
  constexpr std::integral_constant<int, 1> kOne;
  constexpr std::integral_constant<int, 2> kTwo;
  constexpr std::integral_constant<int, 4> kFour;
  std::size_t done = 0;
  for (; done + 8 <= n_; done += 8) block(done, math::Pair{}, kFour);
  if (n_ & 4) block(std::exchange(done, done + 4), math::Pair{}, kTwo);
  if (n_ & 2) block(std::exchange(done, done + 2), math::Pair{}, kOne);
  if (n_ & 1) block(done, 0.0, kOne);
}

Report ExplicitStages::evaluate(forms::OdeForm& form, double t, double h, std::span<const double> y,
                                int first, int end, int& evaluations) {
  Report total;
  for (int s = first; s < end; ++s) {
    const auto row = static_cast<std::size_t>(s);
    add_up(tableau_.a[row], s, h, y.data(), at_.data());
    const Report report = form.rate(t + tableau_.c[row] * h, at_, (*this)[s]);
    ++evaluations;
    if (!report.accepted()) return report;
    merge_mark(report, total);
  }
  return total;
}

}  // namespace trammel::integrators
