// A function of one variable given by data (x_i, y_i), used in expressions as name(x).
//
//   table   piecewise linear: continuous; at a data point the slope is that of the segment to the right
//   spline  natural cubic spline (y'' = 0 at both ends): C2
//
// Outside the data both go on along a straight line with the end slope: a constant would stop a motion dead.
// With m_i = y''(x_i), h = x_{i+1} - x_i, A = (x_{i+1} - x)/h, B = 1 - A (de Boor, 1978, ch. 4):
//   y = A y_i + B y_{i+1} + [(A^3 - A) m_i + (B^3 - B) m_{i+1}] h^2/6;  a table has m = 0.
#pragma once

#include <vector>

namespace trammel::expressions {

class Function1 {
 public:
  // Value, first and second derivative at one x.
  struct Jet {
    double f = 0, d = 0, dd = 0;
  };

  // x strictly increasing, at least two points, all finite; else throws std::invalid_argument.
  static Function1 table(std::vector<double> x, std::vector<double> y);
  static Function1 spline(std::vector<double> x, std::vector<double> y);

  const std::vector<double>& knots() const { return x_; }
  bool is_spline() const { return is_spline_; }
  Jet at(double x) const;
  double value(double x) const { return at(x).f; }
  double first(double x) const { return at(x).d; }
  double second(double x) const { return at(x).dd; }

 private:
  Function1(std::vector<double> x, std::vector<double> y);
  Jet inside(double x) const;

  std::vector<double> x_, y_, m_;
  bool is_spline_ = false;
};

}  // namespace trammel::expressions
