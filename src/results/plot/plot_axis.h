// One axis of a plot: its range, its ticks, and where a value stands.
#pragma once

#include <string>
#include <vector>

namespace trammel::results {

struct Tick {
  double value = 0;
  std::string label;  // empty: a minor line
};

class AxisScale {
 public:
  // Holds all values. At most `labels` ticks have labels, three or more. A logarithmic scale ends at whole
  // decades and looks at positive values only. Degrees have ticks at parts and multiples of a right angle.
  AxisScale(const std::vector<double>& values, bool logarithmic, int labels, bool degrees = false);

  // 0 at the lower end, 1 at the upper.
  double position(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  // From one end to the other; of a logarithmic scale in decades.
  double span() const { return high_ - low_; }
  // Power of ten by which labels of a linear axis are to be multiplied, 0: none.
  int exponent() const { return exponent_; }

 private:
  void make_decades(double low, double high, int labels);
  void make_linear(double low, double high, int labels, bool degrees);

  bool logarithmic_;
  double low_ = 0, high_ = 1;  // of log10 where logarithmic
  int exponent_ = 0;
  std::vector<Tick> ticks_;
};

}  // namespace trammel::results
