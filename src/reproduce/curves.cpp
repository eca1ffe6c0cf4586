#include "reproduce/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::reproduce {
namespace {

constexpr std::size_t kBins = 220;  // of a curve across a plot

results::PlotPoint point(const Curve& curve, std::size_t i, bool logarithmic) {
  return {curve.x[i], logarithmic ? std::abs(curve.y[i]) : curve.y[i], {}, results::PointMark::full};
}

// The smallest and largest value of each bin, so that spikes stay; of a logarithmic plot the largest alone.
std::vector<results::PlotPoint> thinned(const Curve& curve, bool logarithmic) {
  std::vector<results::PlotPoint> out;
  const std::size_t n = curve.x.size();
  const auto add = [&](std::size_t i) {
    if (!logarithmic || curve.y[i] != 0) out.push_back(point(curve, i, logarithmic));
  };
  if (n <= 2 * kBins) {
    for (std::size_t i = 0; i < n; ++i) add(i);
    return out;
  }
  const auto by_size = [&](double a, double c) { return logarithmic ? std::abs(a) < std::abs(c) : a < c; };
  for (std::size_t b = 0; b < kBins; ++b) {
    const auto first = curve.y.begin() + static_cast<long>(b * n / kBins),
               last = curve.y.begin() + static_cast<long>((b + 1) * n / kBins);
    const auto [low, high] = std::minmax_element(first, last, by_size);
    const auto i = static_cast<std::size_t>(std::min(low, high) - curve.y.begin()),
               k = static_cast<std::size_t>(std::max(low, high) - curve.y.begin());
    if (logarithmic) {
      add(static_cast<std::size_t>(high - curve.y.begin()));
      continue;
    }
    add(i);
    if (k != i) add(k);
  }
  return out;
}

}  // namespace

double Curve::largest() const {
  double out = 0;
  for (const double value : y) out = std::max(out, std::abs(value));
  return out;
}

double fitted_exponent(const Curve& curve, double low) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] < low || curve.y[i] == 0) continue;
    const double a = std::log(curve.x[i]), b = std::log(std::abs(curve.y[i]));
    n += 1;
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return n < 2 ? std::numeric_limits<double>::quiet_NaN() : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Curve envelope(const Curve& curve, double first) {
  Curve out{curve.name, {}, {}};
  double largest = 0, next = first;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    largest = std::max(largest, std::abs(curve.y[i]));
    if (curve.x[i] < next * (1 - 1e-12)) continue;
    out.add(curve.x[i], largest);
    next *= 2;
  }
  return out;
}

std::string growth_law(double exponent) {
  const char* const names[] = {"none", "linear", "quadratic"};
  const double whole = std::round(exponent);
  if (whole < 0 || whole > 2 || std::abs(exponent - whole) > 0.3)
    return fmt::format("exponent {:.2f}", exponent);
  return names[static_cast<int>(whole)];
}

double observed_order(double coarse, double fine) { return std::log2(coarse / fine); }

results::Plot plot_of(const std::string& description, const PlotStyle& style,
                      const std::vector<Curve>& curves) {
  results::Plot plot;
  plot.description = description;
  plot.x = {style.x, style.both_logarithmic};
  plot.y = {style.y, style.logarithmic || style.both_logarithmic};
  plot.width = 640;
  plot.height = 300;
  for (std::size_t i = 0; i < curves.size(); ++i)
    plot.curves.push_back(
        {curves[i].name, thinned(curves[i], plot.y.logarithmic), style.has_markers, true, i, 0});
  return plot;
}

}  // namespace trammel::reproduce
