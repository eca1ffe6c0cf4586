#include "results/plot/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/plot/markup.h"
#include "results/plot/plot_axis.h"

namespace trammel::results {
namespace {

constexpr int kLeastTicks = 2;  // of an axis
constexpr double kLeft = 84, kTop = 14, kBottom = 58, kRight = 24;
constexpr double kAxisLabel = 38;                 // room for the label of the vertical axis
constexpr double kLetter = 7.2;                   // width of a letter at 13 px, generously
constexpr double kLegendLine = 24;                // height of an entry
constexpr double kLegendSample = 44;              // width of the piece of curve before a name
constexpr double kMarker = 4.6;                   // half the size of a marker
constexpr double kSmallMarker = 1.8;              // of one among thousands
constexpr double kXSpacing = 80, kYSpacing = 34;  // room for a tick's label
constexpr std::size_t kStyles = 8, kDashes = 4;

struct Frame {
  double left, top, right, bottom;
  AxisScale x, y;
  double px(double value) const { return left + x.position(value) * (right - left); }
  double py(double value) const { return bottom - y.position(value) * (bottom - top); }
};

bool is_drawn(const PlotPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

double legend_width(const Plot& plot) {
  std::size_t longest = 0;
  for (const PlotCurve& curve : plot.curves) longest = std::max(longest, curve.name.size());
  return longest == 0 ? 0 : kLegendSample + kLetter * static_cast<double>(longest) + 12;
}

double legend_height(const Plot& plot) {
  return kTop + kLegendLine * static_cast<double>(plot.curves.size()) + kBottom;
}

// A long legend makes the plot higher.
double most_height(const Plot& plot) { return std::max(plot.height, legend_height(plot)); }

Frame make_frame(const Plot& plot) {
  std::vector<double> x, y;
  for (const PlotCurve& curve : plot.curves)
    for (const PlotPoint& point : curve.points)
      if (is_drawn(point)) {
        x.push_back(point.x);
        y.push_back(point.y);
      }
  for (const PlotLevel& level : plot.levels) y.push_back(level.y);
  for (const PlotBand& band : plot.bands) {
    y.insert(y.end(), band.low.begin(), band.low.end());
    y.insert(y.end(), band.high.begin(), band.high.end());
  }
  const double right = plot.width - kRight - legend_width(plot), bottom = most_height(plot) - kBottom;
  const AxisScale vertical(y, plot.y.logarithmic, static_cast<int>((bottom - kTop) / kYSpacing),
                           plot.y.degrees);
  std::size_t longest = 0;
  for (const Tick& tick : vertical.ticks()) longest = std::max(longest, tick.label.size());
  // Long labels of ticks do not meet the axis' own.
  const double left = std::max(kLeft, kAxisLabel + kLetter * static_cast<double>(longest));
  Frame frame{left,
              kTop,
              right,
              bottom,
              AxisScale(x, plot.x.logarithmic, static_cast<int>((right - left) / kXSpacing), plot.x.degrees),
              vertical};
  if (!plot.equal) return frame;
  // The axis that has room to spare becomes shorter.
  const auto shorten = [&] {
    const double pixels =
        std::min((right - left) / frame.x.span(), (bottom - kTop) / frame.y.span());  // per unit
    frame.right = left + pixels * frame.x.span();
    frame.bottom = kTop + pixels * frame.y.span();
  };
  shorten();
  frame.y =
      AxisScale(y, plot.y.logarithmic,
                std::max(kLeastTicks, static_cast<int>((frame.bottom - kTop) / kYSpacing)), plot.y.degrees);
  shorten();
  return frame;
}

// Places on a flat curve leave no empty page below.
double height_of(const Plot& plot) {
  return plot.equal ? std::max(make_frame(plot).bottom + kBottom, legend_height(plot)) : most_height(plot);
}

std::string text(double x, double y, const char* kind, const std::string& words) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y, escaped(words));
}

std::string line(const char* kind, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind,
                     x1, y1, x2, y2);
}

std::string axis_label(const PlotAxis& axis, const AxisScale& scale) {
  return scale.exponent() == 0 ? axis.label
                               : fmt::format("{}, × {}", axis.label, power_of_ten(scale.exponent()));
}

std::string axes(const Plot& plot, const Frame& f) {
  std::string out;
  for (const Tick& tick : f.x.ticks()) {
    const double x = f.px(tick.value);
    out += line(tick.label.empty() ? "minor" : "major", x, f.top, x, f.bottom);
    if (!tick.label.empty()) out += text(x, f.bottom + 19, "tick middle", tick.label);
  }
  for (const Tick& tick : f.y.ticks()) {
    const double y = f.py(tick.value);
    out += line(tick.label.empty() ? "minor" : "major", f.left, y, f.right, y);
    if (!tick.label.empty()) out += text(f.left - 8, y + 4.5, "tick end", tick.label);
  }
  out += fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                     f.left, f.top, f.right - f.left, f.bottom - f.top);
  out += text(0.5 * (f.left + f.right), f.bottom + 44, "axis middle", axis_label(plot.x, f.x));
  const double y = 0.5 * (f.top + f.bottom);
  out += fmt::format("<text class=\"axis middle\" transform=\"translate(18 {:.1f}) rotate(-90)\">{}</text>\n",
                     y, escaped(axis_label(plot.y, f.y)));
  return out;
}

// Eight closed shapes about (x, y), which can be hollow.
std::string marker(std::size_t style, double x, double y, PointMark mark, double r = kMarker) {
  if (mark == PointMark::crossed)
    return fmt::format("<path class=\"cross\" d=\"M{:.1f} {:.1f}l{} {}m0 {}l{} {}\"/>", x - r, y - r, 2 * r,
                       2 * r, -2 * r, -2 * r, 2 * r);
  const std::size_t shape = style % kStyles;
  const char* const kind = mark == PointMark::hollow ? "hollow" : "full";
  if (shape == 0)
    return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", kind, x, y, r);
  struct Corners {
    int count;
    double turn;  // rad, of the first corner
    double size;  // so that all look equally large
  };
  constexpr double kQuarter = 1.5707963267948966;
  constexpr Corners kShapes[] = {
      {4, 0.5 * kQuarter, 1.25}, {3, -kQuarter, 1.4}, {4, 0, 1.35}, {3, kQuarter, 1.4},
      {5, -kQuarter, 1.2},       {3, 0, 1.4},         {6, 0, 1.15}};
  const Corners& corners = kShapes[shape - 1];
  std::string places;
  for (int k = 0; k < corners.count; ++k) {
    const double angle = corners.turn + 4 * kQuarter * k / corners.count;
    places += fmt::format("{}{:.1f},{:.1f}", k == 0 ? "" : " ", x + corners.size * r * std::cos(angle),
                          y + corners.size * r * std::sin(angle));
  }
  return fmt::format("<polygon class=\"{}\" points=\"{}\"/>", kind, places);
}

std::string curve_open(const PlotCurve& c) {
  return fmt::format("<g class=\"c{} d{}\">\n", c.style % kStyles, c.dashes % kDashes);
}

std::string curve(const Frame& f, const PlotCurve& c) {
  const double size = c.small_markers ? kSmallMarker : kMarker;
  std::string path, markers;
  for (const PlotPoint& point : c.points) {
    if (!is_drawn(point)) continue;
    const double x = f.px(point.x), y = f.py(point.y);
    if (point.mark != PointMark::crossed) path += fmt::format("{:.1f},{:.1f} ", x, y);
    if (c.has_markers)
      markers += point.title.empty()
                     ? marker(c.style, x, y, point.mark, size) + "\n"
                     : fmt::format("<g>{}<title>{}</title></g>\n", marker(c.style, x, y, point.mark, size),
                                   escaped(point.title));
  }
  const std::string line_between =
      c.has_line ? fmt::format("<polyline class=\"curve\" points=\"{}\"/>\n", path) : "";
  return curve_open(c) + line_between + markers + "</g>\n";
}

std::string legend(const Plot& plot, const Frame& f) {
  std::string out;
  double y = f.top + 12;
  for (const PlotCurve& c : plot.curves) {
    if (c.name.empty()) continue;
    const double x = f.right + 18;
    out += curve_open(c);
    if (c.has_line) out += line("curve", x, y, x + 28, y);
    if (c.has_markers) out += marker(c.style, x + 14, y, PointMark::full);
    out += "</g>\n" + text(x + 36, y + 4.5, "name", c.name);
    y += kLegendLine;
  }
  return out;
}

// The label stands above its line, or below where the line is at the top; at the left, under the curves.
std::string level(const Frame& f, const PlotLevel& l) {
  const double y = f.py(l.y);
  return line("level", f.left, y, f.right, y) +
         text(f.left + 8, y - f.top > 24 ? y - 7 : y + 17, "tick halo", l.label);
}

std::string band(const Frame& f, const PlotBand& b) {
  std::string out;
  std::string forth, back;
  const auto flush = [&] {
    if (!forth.empty())
      out += fmt::format("<polygon class=\"band c{}\" points=\"{}{}\"/>\n", b.style % kStyles, forth, back);
    forth.clear(), back.clear();
  };
  for (std::size_t i = 0; i < b.x.size(); ++i) {
    if (!std::isfinite(b.low[i]) || !std::isfinite(b.high[i])) {
      flush();  // unknown from here
      continue;
    }
    forth += fmt::format("{:.1f},{:.1f} ", f.px(b.x[i]), f.py(b.high[i]));
    back = fmt::format("{:.1f},{:.1f} ", f.px(b.x[i]), f.py(b.low[i])) + back;
  }
  flush();
  return out;
}

// Everything within the frame of the picture.
std::string drawing(const Plot& plot) {
  const Frame f = make_frame(plot);
  std::string out = axes(plot, f);
  for (const PlotLevel& l : plot.levels) out += level(f, l);
  for (const PlotBand& b : plot.bands) out += band(f, b);
  for (const PlotCurve& c : plot.curves) out += curve(f, c);
  return out + legend(plot, f);
}

// The value of a variable of the style sheet, the first in it: "--ink" is "#1b1f24".
std::string variable(const std::string& style, const std::string& name) {
  const std::size_t at = style.find(name + ": ") + name.size() + 2;
  return style.substr(at, style.find(';', at) - at);
}

std::string all_replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// The rules of plot_style() with the light scheme's colours in place of variables, which few programs know.
std::string fixed_style() {
  const std::string style = plot_style();
  std::string out, rest = style.substr(style.find("svg.plot"));
  rest = rest.substr(rest.find('\n') + 1, rest.find(".c0 {") - rest.find('\n') - 1);
  for (const char* name : {"--ink", "--page", "--faint", "--grid", "--fine"})
    rest = all_replaced(rest, fmt::format("var({})", name), variable(style, name));
  for (std::size_t begin = 0, end = 0; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string rule = rest.substr(begin, end - begin);
    if (rule.find("var(--c)") == std::string::npos) {
      out += rule + "\n";
      continue;
    }
    for (std::size_t k = 0; k < kStyles; ++k) {
      const std::string colour = variable(style, fmt::format("--c{}", k));
      const std::string own = all_replaced(rule, "var(--c)", colour);
      // ".plot .curve" of the first style is ".plot .c0 .curve"; a band carries the style itself.
      out += own.starts_with(".plot .band")
                 ? all_replaced(own, ".plot .band", fmt::format(".plot .c{}.band", k))
                 : all_replaced(own, ".plot ", fmt::format(".plot .c{} ", k));
      out += "\n";
    }
  }
  return out + ".plot { font: 13px sans-serif; }\n";
}

}  // namespace

std::string svg(const Plot& plot) {
  return fmt::format("<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                     plot.width, height_of(plot), escaped(plot.description), drawing(plot));
}

std::string svg_file(const std::vector<Plot>& plots) {
  double width = 0, height = 0;
  std::string drawings;
  for (const Plot& plot : plots) {
    drawings += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", height, drawing(plot));
    width = std::max(width, plot.width);
    height += height_of(plot);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
      "{0} "
      "{1}\">\n<style>\n{2}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"{3}\"/>\n{4}</svg>\n",
      width, height, fixed_style(), variable(plot_style(), "--page"), drawings);
}

std::string plot_style() {
  // Colours after Okabe & Ito (2008), the light ones darkened for a white page.
  return R"css(:root {
  --ink: #1b1f24; --page: #ffffff; --faint: #59636e; --grid: #d4d9df; --fine: #eef0f3;
  --c0: #0072b2; --c1: #d55e00; --c2: #008f68; --c3: #b5519a; --c4: #a87900; --c5: #3fa2dd; --c6: #3b3f45; --c7: #8c1d40;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e9ed; --page: #14171b; --faint: #9aa4af; --grid: #3a4149; --fine: #24292f;
    --c0: #4aa8e8; --c1: #ff8a47; --c2: #2fcf9f; --c3: #e58fcb; --c4: #e8b93a; --c5: #a9d9f7; --c6: #d5d9de; --c7: #e0607f;
  }
}
svg.plot { display: block; width: 100%; height: auto; font: 13px system-ui, sans-serif; }
.plot text { fill: var(--ink); }
.plot .tick { fill: var(--faint); }
.plot .middle { text-anchor: middle; }
.plot .end { text-anchor: end; }
.plot .halo { paint-order: stroke; stroke: var(--page); stroke-width: 4px; }
.plot .major { stroke: var(--grid); stroke-width: 1; }
.plot .minor { stroke: var(--fine); stroke-width: 1; }
.plot .frame { fill: none; stroke: var(--faint); }
.plot .level { stroke: var(--faint); stroke-width: 1.4; stroke-dasharray: 2 4; }
.plot .curve { fill: none; stroke: var(--c); stroke-width: 1.8; stroke-linejoin: round; }
.plot .d1 .curve { stroke-dasharray: 8 4; }
.plot .d2 .curve { stroke-dasharray: 2 3; }
.plot .d3 .curve { stroke-dasharray: 9 3 2 3; }
.plot .band { fill: var(--c); opacity: 0.25; stroke: none; }
.plot .full { fill: var(--c); stroke: var(--page); stroke-width: 0.8; }
.plot .hollow { fill: var(--page); stroke: var(--c); stroke-width: 1.8; }
.plot .cross { fill: none; stroke: var(--c); stroke-width: 2; }
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); }
.c4 { --c: var(--c4); } .c5 { --c: var(--c5); } .c6 { --c: var(--c6); } .c7 { --c: var(--c7); }
)css";
}

}  // namespace trammel::results
