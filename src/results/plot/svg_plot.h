// A plot as inline SVG: axes with ticks and grid, curves with markers, a legend beside them.
//
// Colours come from the style sheet plot_style(), which a page holds once; it follows the reader's light or
// dark scheme. Eight styles differ in colour (distinguishable for colour-blind readers) and marker, four
// kinds of dashes within each. A point's title shows when the pointer rests on it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trammel::results {

enum class PointMark {
  full,
  hollow,  // doubtful; the curve goes through it
  crossed  // no part of the curve
};

struct PlotPoint {
  double x = 0, y = 0;
  std::string title;
  PointMark mark = PointMark::full;
};

struct PlotCurve {
  std::string name;
  std::vector<PlotPoint> points;  // those that are not finite are left out
  bool has_markers = true;
  bool has_line = true;
  std::size_t style = 0;   // colour and marker
  std::size_t dashes = 0;  // 0: none
  bool small_markers = false;
};

// The area between two curves, below all curves: within what a value may err.
struct PlotBand {
  std::vector<double> x, low, high;
  std::size_t style = 0;
};

struct PlotAxis {
  std::string label;  // with its unit
  bool logarithmic = false;
  bool degrees = false;  // ticks at parts and multiples of a right angle
};

// A horizontal line across the plot.
struct PlotLevel {
  double y = 0;
  std::string label;
};

struct Plot {
  std::string description;  // for readers who do not see it
  PlotAxis x, y;
  std::vector<PlotCurve> curves;
  std::vector<PlotLevel> levels;
  std::vector<PlotBand> bands = {};
  double width = 1040, height = 520;  // px, legend included; the page may scale it
  bool equal = false;                 // one scale for both axes, as of places
};

// On a logarithmic axis a value that is not positive stands at the lower end. A plot without points is a
// frame.
std::string svg(const Plot& plot);

// Plots below each other in one SVG file that needs no style sheet of a page, in colours for a light page.
std::string svg_file(const std::vector<Plot>& plots);

// CSS; uses and defines the page's --ink, --page, --grid and --faint.
std::string plot_style();

}  // namespace trammel::results
