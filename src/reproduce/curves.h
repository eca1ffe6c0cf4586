// Curves of a run, and what is fitted to them.
#pragma once

#include <string>
#include <vector>

#include "results/plot/svg_plot.h"

namespace trammel::reproduce {

struct Curve {
  std::string name;
  std::vector<double> x, y;

  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
  double largest() const;  // |y|
};

// y ~ x^p: the slope of log|y| against log x by least squares, x from `low` on.
double fitted_exponent(const Curve& curve, double low);
// The largest |y| so far, at times that double from `first` on: what grows shows through what oscillates.
Curve envelope(const Curve& curve, double first);
// "none", "linear", "quadratic" by the nearest whole exponent, or the exponent.
std::string growth_law(double exponent);

// log2(coarse/fine): the order that halving a step shows.
double observed_order(double coarse, double fine);

// A plot of a page's column width. Curves keep about `points` points, extremes between them included.
struct PlotStyle {
  std::string x, y;  // labels
  bool logarithmic = false;
  bool both_logarithmic = false;
  bool has_markers = false;
};
results::Plot plot_of(const std::string& description, const PlotStyle& style,
                      const std::vector<Curve>& curves);

}  // namespace trammel::reproduce
