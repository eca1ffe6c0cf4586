#include "sweep/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sweep/counter_random.h"

namespace trammel::sweep {
namespace {

constexpr int kBootstraps = 200;

// Indices of the blocks that are listed.
void estimate(std::span<const double> values, std::size_t parameters, const std::vector<std::size_t>& blocks,
              std::vector<double>& first, std::vector<double>& total) {
  const std::size_t width = parameters + 2;
  const auto n = static_cast<double>(blocks.size());
  double mean = 0, variance = 0;
  for (const std::size_t k : blocks) mean += (values[k * width] + values[k * width + 1]) / (2 * n);
  for (const std::size_t k : blocks)
    for (const std::size_t row : {0U, 1U}) variance += std::pow(values[k * width + row] - mean, 2) / (2 * n);
  first.assign(parameters, 0), total.assign(parameters, 0);
  for (const std::size_t k : blocks) {
    const double* block = values.data() + k * width;
    for (std::size_t i = 0; i < parameters; ++i) {
      const double change = block[2 + i] - block[0];
      first[i] += (block[1] - mean) * change / (n * variance);
      total[i] += change * change / (2 * n * variance);
    }
  }
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t k) { return values[k]; });
  std::vector<double> rank(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    // Equal values share the mean of their ranks.
    for (std::size_t k = from; k < to; ++k) rank[order[k]] = static_cast<double>(from + to - 1) / 2;
    from = to;
  }
  return rank;
}

}  // namespace

Sensitivity sobol_indices(std::span<const double> values, std::size_t parameters, std::uint64_t seed) {
  const std::size_t width = parameters + 2;
  std::vector<std::size_t> whole;
  for (std::size_t k = 0; (k + 1) * width <= values.size(); ++k)
    if (std::ranges::none_of(values.subspan(k * width, width), [](double x) { return std::isnan(x); }))
      whole.push_back(k);
  Sensitivity found;
  found.blocks = whole.size();
  if (whole.size() < 2) return found;
  std::vector<double> first, total;
  estimate(values, parameters, whole, first, total);
  std::vector<std::vector<double>> firsts(parameters), totals(parameters);
  for (int b = 0; b < kBootstraps; ++b) {
    std::vector<std::size_t> drawn;
    for (std::size_t k = 0; k < whole.size(); ++k) {
      const double u = unit_number(random_bits(seed, Stream::bootstrap, k, static_cast<std::uint32_t>(b)));
      drawn.push_back(whole[static_cast<std::size_t>(u * static_cast<double>(whole.size()))]);
    }
    std::vector<double> one_first, one_total;
    estimate(values, parameters, drawn, one_first, one_total);
    for (std::size_t i = 0; i < parameters; ++i)
      firsts[i].push_back(one_first[i]), totals[i].push_back(one_total[i]);
  }
  for (std::size_t i = 0; i < parameters; ++i) {
    found.first.push_back({first[i], quantile(firsts[i], 0.025), quantile(firsts[i], 0.975)});
    found.total.push_back({total[i], quantile(totals[i], 0.025), quantile(totals[i], 0.975)});
  }
  return found;
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  std::vector<double> x, y;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!std::isnan(a[k]) && !std::isnan(b[k])) x.push_back(a[k]), y.push_back(b[k]);
  const std::vector<double> p = ranks(x), q = ranks(y);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double pq = 0, pp = 0, qq = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    pq += (p[k] - mean) * (q[k] - mean);
    pp += (p[k] - mean) * (p[k] - mean);
    qq += (q[k] - mean) * (q[k] - mean);
  }
  return pp > 0 && qq > 0 ? pq / std::sqrt(pp * qq) : std::numeric_limits<double>::quiet_NaN();
}

double quantile(std::vector<double> values, double part) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const double at = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= values.size()) return values.back();
  return values[below] + (at - static_cast<double>(below)) * (values[below + 1] - values[below]);
}

}  // namespace trammel::sweep
