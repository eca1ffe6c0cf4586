#include "results/plot/terminal_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "results/plot/markup.h"
#include "results/plot/plot_axis.h"

namespace trammel::results {
namespace {

// Foreground colours of a terminal: blue, yellow, green, magenta, cyan, red.
constexpr int kColours[] = {94, 93, 92, 95, 96, 91};

// Dots of Braille characters (Unicode 2800 + bits), two across and four down in each.
class DotCanvas {
 public:
  DotCanvas(int columns, int rows)
      : columns_(columns),
        rows_(rows),
        bits_(static_cast<std::size_t>(columns * rows)),
        owner_(bits_.size()) {}

  int width() const { return 2 * columns_; }
  int height() const { return 4 * rows_; }

  void dot(int x, int y, std::size_t curve) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    constexpr unsigned kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const auto cell = static_cast<std::size_t>(y / 4 * columns_ + x / 2);
    bits_[cell] |= kBits[y % 4][x % 2];
    owner_[cell] = curve;
  }

  void line(double x1, double y1, double x2, double y2, std::size_t curve) {
    const int steps =
        std::max(1, static_cast<int>(std::ceil(std::max(std::abs(x2 - x1), std::abs(y2 - y1)))));
    for (int k = 0; k <= steps; ++k) {
      const double s = static_cast<double>(k) / steps;
      dot(static_cast<int>(std::lround(x1 + s * (x2 - x1))),
          static_cast<int>(std::lround(y1 + s * (y2 - y1))), curve);
    }
  }

  std::string row(int r, bool colours) const {
    std::string out;
    for (int c = 0; c < columns_; ++c) {
      const auto cell = static_cast<std::size_t>(r * columns_ + c);
      const unsigned code = 0x2800 + bits_[cell];
      const std::string braille = {static_cast<char>(0xE0U | code >> 12U),
                                   static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
                                   static_cast<char>(0x80U | (code & 0x3FU))};
      out += bits_[cell] == 0 ? " " : colours ? coloured(braille, owner_[cell]) : braille;
    }
    return out;
  }

  static std::string coloured(const std::string& text, std::size_t curve) {
    return fmt::format("\x1b[{}m{}\x1b[0m", kColours[curve % std::size(kColours)], text);
  }

 private:
  int columns_, rows_;
  std::vector<unsigned> bits_;
  std::vector<std::size_t> owner_;
};

struct Scales {
  AxisScale x, y;
};

Scales scales_of(const Plot& plot, int columns, int rows) {
  std::vector<double> x, y;
  for (const PlotCurve& curve : plot.curves)
    for (const PlotPoint& point : curve.points)
      if (std::isfinite(point.x) && std::isfinite(point.y)) {
        x.push_back(point.x);
        y.push_back(point.y);
      }
  return {AxisScale(x, plot.x.logarithmic, std::max(3, columns / 12)),
          AxisScale(y, plot.y.logarithmic, std::max(3, rows / 3))};
}

void draw(DotCanvas& canvas, const Plot& plot, const Scales& scales) {
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    const PlotPoint* before = nullptr;
    const auto px = [&](const PlotPoint& p) { return scales.x.position(p.x) * (canvas.width() - 1); };
    const auto py = [&](const PlotPoint& p) { return (1 - scales.y.position(p.y)) * (canvas.height() - 1); };
    for (const PlotPoint& point : plot.curves[c].points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) {
        before = nullptr;
        continue;
      }
      const PlotPoint& from = before == nullptr ? point : *before;
      canvas.line(px(from), py(from), px(point), py(point), c);
      before = &point;
    }
  }
}

std::string with_power(const std::string& label, const AxisScale& scale) {
  return scale.exponent() == 0 ? label : fmt::format("{}, × {}", label, power_of_ten(scale.exponent()));
}

// The labels of the horizontal axis, centred below their places as far as there is room.
std::string x_labels(const AxisScale& scale, int columns) {
  std::string line(static_cast<std::size_t>(columns), ' ');
  std::size_t free_from = 0;
  for (const Tick& tick : scale.ticks()) {
    const auto middle = static_cast<std::size_t>(scale.position(tick.value) * (columns - 1));
    const std::size_t half = tick.label.size() / 2;
    const std::size_t start = std::min(middle < half ? 0 : middle - half, line.size() - tick.label.size());
    if (tick.label.empty() || start < free_from) continue;
    line.replace(start, tick.label.size(), tick.label);
    free_from = start + tick.label.size() + 1;
  }
  return line;
}

}  // namespace

std::string terminal_plot(const Plot& plot, const TerminalPlot& size) {
  const int rows = std::max(size.rows, 6) - 3;  // a title, an axis and its label
  const Scales scales = scales_of(plot, size.columns, rows);
  std::size_t margin = 0;
  for (const Tick& tick : scales.y.ticks()) margin = std::max(margin, tick.label.size());
  const int columns = std::max(size.columns, 40) - static_cast<int>(margin) - 2;
  DotCanvas canvas(columns, rows);
  draw(canvas, plot, scales);

  std::string out = with_power(plot.y.label, scales.y);
  for (std::size_t c = 0; c < plot.curves.size(); ++c)
    if (!plot.curves[c].name.empty())
      out += "  " + (size.colours ? DotCanvas::coloured("━ " + plot.curves[c].name, c) : plot.curves[c].name);
  out += "\n";
  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (const Tick& tick : scales.y.ticks())
    labels[static_cast<std::size_t>(std::lround((1 - scales.y.position(tick.value)) * (rows - 1)))] =
        tick.label;
  for (int r = 0; r < rows; ++r) {
    const std::string& label = labels[static_cast<std::size_t>(r)];
    out +=
        fmt::format("{:>{}} {}{}\n", label, margin, label.empty() ? "│" : "┤", canvas.row(r, size.colours));
  }
  const std::string name = with_power(plot.x.label, scales.x);
  return out + fmt::format("{:>{}} {}\n{:>{}} {:^{}}\n", "", margin + 1, x_labels(scales.x, columns), "",
                           margin + 1, name, columns);
}

}  // namespace trammel::results
