// Plots: ticks that a person would choose, marks, names that hold markup, data that cannot be drawn.
#include "results/plot/svg_plot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "results/plot/markup.h"
#include "results/plot/plot_axis.h"

namespace trammel::results::svg_plot_test {
namespace {

std::vector<std::string> labels(const AxisScale& scale) {
  std::vector<std::string> out;
  for (const Tick& tick : scale.ticks())
    if (!tick.label.empty()) out.push_back(tick.label);
  return out;
}

using Names = std::vector<std::string>;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Numbers, AreWrittenWithPowersOfTen) {
  EXPECT_EQ(power_of_ten(-12), "10⁻¹²");
  EXPECT_EQ(power_of_ten(0), "10⁰");
  EXPECT_EQ(scientific(1.23e-6), "1.2·10⁻⁶");
  // Rounded up into the next decade.
  EXPECT_EQ(scientific(9.96e-7), "1.0·10⁻⁶");
  EXPECT_EQ(scientific(-0.034), "-0.034");
  EXPECT_EQ(scientific(0), "0");
  EXPECT_EQ(scientific(std::nan("")), "–");
}

TEST(LogarithmicAxis, EndsAtDecadesAndLabelsNoMoreThanFit) {
  const AxisScale few({2e-3, 0.4}, true, 10);
  EXPECT_EQ(labels(few), (Names{"10⁻³", "10⁻²", "10⁻¹", "10⁰"}));
  EXPECT_DOUBLE_EQ(few.position(1e-3), 0);
  EXPECT_DOUBLE_EQ(few.position(1), 1);
  EXPECT_NEAR(few.position(1e-2), 1.0 / 3, 1e-12);
  // Decades and the eight lines within each.
  EXPECT_EQ(few.ticks().size(), 4U + 3 * 8);
  EXPECT_EQ(labels(AxisScale({1e-14, 1}, true, 8)),
            (Names{"10⁻¹⁴", "10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"}));
  // A single value still has an axis, with labels within the decade.
  EXPECT_EQ(labels(AxisScale({3e-3}, true, 10)), (Names{"10⁻³", "2·10⁻³", "5·10⁻³", "10⁻²"}));
  // What has no logarithm stands at the lower end and does not stretch the axis.
  EXPECT_EQ(AxisScale({0, 3e-3}, true, 10).position(0), 0);
  EXPECT_EQ(labels(AxisScale({}, true, 10)).size(), 4U);
}

TEST(LinearAxis, StepsByOneTwoOrFive) {
  EXPECT_EQ(labels(AxisScale({0.03, 0.97}, false, 6)), (Names{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(AxisScale({-3, 3}, false, 5)), (Names{"-4", "-2", "0", "2", "4"}));
  const AxisScale small({0, 4e-6}, false, 5);
  EXPECT_EQ(small.exponent(), -6);
  EXPECT_EQ(labels(small), (Names{"0", "1", "2", "3", "4"}));
  // A single value has room about it.
  const AxisScale one({5, 5}, false, 5);
  EXPECT_EQ(labels(one), (Names{"4.5", "5.0", "5.5"}));
  EXPECT_NEAR(one.position(5), 0.5, 1e-12);
  // However the ends fall, the labels fit.
  for (double high = 0.1; high < 100; high *= 1.07)
    for (int most = 3; most <= 12; ++most) {
      const std::size_t count = labels(AxisScale({-0.3 * high, high}, false, most)).size();
      EXPECT_LE(count, static_cast<std::size_t>(most)) << high;
      EXPECT_GE(count, 2U) << high;
    }
}

TEST(LinearAxis, OfDegreesStepsByRightAnglesAndTheirParts) {
  EXPECT_EQ(labels(AxisScale({-351, 0}, false, 12, true)),
            (Names{"-360", "-315", "-270", "-225", "-180", "-135", "-90", "-45", "0"}));
  EXPECT_EQ(labels(AxisScale({-700, 10}, false, 8, true)),
            (Names{"-720", "-540", "-360", "-180", "0", "180"}));
  EXPECT_EQ(labels(AxisScale({-80, -10}, false, 8, true)),
            (Names{"-90", "-75", "-60", "-45", "-30", "-15", "0"}));
  // A phase that hardly changes.
  EXPECT_EQ(labels(AxisScale({-3, 0}, false, 5, true)), (Names{"-3", "-2", "-1", "0"}));
}

TEST(Plots, EscapeNamesAndTitles) {
  Plot plot;
  plot.x.label = "a < b";
  plot.curves.push_back({"<b>&\"'", {{1, 1, "x & y"}}});
  const std::string out = svg(plot);
  EXPECT_TRUE(holds(out, "&lt;b&gt;&amp;&quot;&#39;"));
  EXPECT_TRUE(holds(out, "<title>x &amp; y</title>"));
  EXPECT_TRUE(holds(out, "a &lt; b"));
  EXPECT_FALSE(holds(out, "<b>"));
}

TEST(Plots, PointsMayStandWithoutALine) {
  Plot plot;
  plot.curves.push_back({"c", {{1, 1, "x"}, {2, 2, "y"}}});
  EXPECT_TRUE(holds(svg(plot), "<polyline"));
  plot.curves[0].has_line = false;
  const std::string out = svg(plot);
  EXPECT_FALSE(holds(out, "<polyline"));
  EXPECT_TRUE(holds(out, "class=\"full\""));
}

// With one scale for both axes a flat curve makes a flat picture: its frame is as much lower as the curve.
TEST(Plots, OfPlacesAreNoHigherThanTheyNeed) {
  Plot plot;
  plot.curves = {{"", {{0, 0, ""}, {1, 0.05, ""}, {2, 0.1, ""}}, false, true, 0, 0}};
  const double whole = plot.height;
  EXPECT_TRUE(holds(svg(plot), fmt::format("viewBox=\"0 0 {} {}\"", plot.width, whole)));
  plot.equal = true;
  const std::string out = svg(plot);
  double width = 0, height = 0, frame_width = 0, frame_height = 0;
  std::sscanf(out.c_str() + out.find("viewBox"), "viewBox=\"0 0 %lf %lf\"", &width, &height);
  const std::string frame = out.substr(out.find("class=\"frame\""));
  std::sscanf(frame.c_str() + frame.find("width="), "width=\"%lf\" height=\"%lf\"", &frame_width,
              &frame_height);
  EXPECT_NEAR(frame_height, 0.05 * frame_width, 0.1);  // written to a tenth of a pixel
  EXPECT_LT(height, whole / 2);
}

TEST(Plots, LeaveOutWhatIsNotFiniteAndTellDoubtfulPoints) {
  Plot plot;
  plot.x.logarithmic = plot.y.logarithmic = true;
  const double infinite = std::numeric_limits<double>::infinity();
  plot.curves.push_back({"c",
                         {{1, 1, "kept"},
                          {std::nan(""), 1, "gone"},
                          {1, infinite, "gone"},
                          {2, 2, "doubtful", PointMark::hollow},
                          {3, 3, "failed", PointMark::crossed}}});
  const std::string out = svg(plot);
  EXPECT_FALSE(holds(out, "nan") || holds(out, "inf") || holds(out, "gone"));
  EXPECT_TRUE(holds(out, "class=\"hollow\"") && holds(out, "class=\"cross\"") &&
              holds(out, "class=\"full\""));
  // The curve goes through the first and the doubtful point, not through the failed one.
  const std::size_t at = out.find("points=\"", out.find("<polyline")) + 8;
  const std::string path = out.substr(at, out.find('"', at) - at);
  EXPECT_EQ(std::count(path.begin(), path.end(), ','), 2);
  EXPECT_TRUE(holds(svg(Plot{}), "</svg>"));
}

}  // namespace
}  // namespace trammel::results::svg_plot_test
