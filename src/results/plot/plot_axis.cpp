#include "results/plot/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/plot/markup.h"

namespace trammel::results {
namespace {

constexpr int kMinorDecades = 6;       // up to so many decades the lines between are drawn
constexpr int kFewDecades = 2;         // up to so many, some of them get labels
constexpr double kSmallestAngle = 45;  // degrees; a smaller range has ticks as any number

}  // namespace

AxisScale::AxisScale(const std::vector<double>& values, bool logarithmic, int labels, bool degrees)
    : logarithmic_(logarithmic) {
  bool any = false;
  double low = 1, high = 1;
  for (const double value : values) {
    if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  if (logarithmic)
    make_decades(low, high, labels);
  else
    make_linear(any ? low : 0, any ? high : 1, labels, degrees);
}

double AxisScale::position(double value) const {
  if (!logarithmic_) return (value - low_) / (high_ - low_);
  return value <= 0 ? 0 : (std::log10(value) - low_) / (high_ - low_);
}

void AxisScale::make_decades(double low, double high, int labels) {
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = std::max(first + 1, static_cast<int>(std::ceil(std::log10(high) - 1e-9)));
  low_ = first;
  high_ = last;
  const int decades = last - first, every = (decades + labels) / labels;
  for (int e = first; e <= last; ++e) {
    ticks_.push_back({std::pow(10, e), (e - first) % every == 0 ? power_of_ten(e) : ""});
    if (decades > kMinorDecades || e == last) continue;
    for (int digit = 2; digit <= 9; ++digit) {
      const bool labelled = decades <= kFewDecades && (digit == 2 || digit == 5);
      ticks_.push_back(
          {digit * std::pow(10, e), labelled ? fmt::format("{}·{}", digit, power_of_ten(e)) : ""});
    }
  }
}

void AxisScale::make_linear(double low, double high, int labels, bool degrees) {
  if (high <= low) {
    const double room = low == 0 ? 1 : 0.1 * std::abs(low);
    low -= room;
    high += room;
  }
  // The smallest of 1, 2, 5 times a power of ten that needs no more labels, ends rounded outwards; of degrees
  // 15, 45, 90, 180, …
  const bool by_angle = degrees && high - low > kSmallestAngle;
  double spacing = by_angle ? 15 : std::pow(10, std::floor(std::log10((high - low) / labels)));
  const auto fits = [&] {
    low_ = spacing * std::floor(low / spacing + 1e-9);
    high_ = spacing * std::ceil(high / spacing - 1e-9);
    return std::lround((high_ - low_) / spacing) < labels;
  };
  for (int k = 0; !fits(); ++k) spacing *= by_angle ? (k == 0 ? 3 : 2) : (k % 3 == 1 ? 2.5 : 2);
  // Long labels share a power of ten, which goes to the axis' name.
  const double largest = std::max(std::abs(low_), std::abs(high_));
  if (largest >= 1e5 || largest < 1e-2) exponent_ = static_cast<int>(std::floor(std::log10(largest)));
  const double unit = std::pow(10, exponent_);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(spacing / unit) + 1e-9)));
  const long count = std::lround((high_ - low_) / spacing);
  for (long k = 0; k <= count; ++k) {
    const double value = low_ + static_cast<double>(k) * spacing;
    // No "-0".
    const double shown = std::abs(value) < 1e-9 * spacing ? 0 : value / unit;
    ticks_.push_back({value, fmt::format("{:.{}f}", shown, decimals)});
  }
}

}  // namespace trammel::results
