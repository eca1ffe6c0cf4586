// A function of one variable given by data (x_i, y_i), used in expressions as name(x).
//
//   table     piecewise linear: continuous; at a data point the slope is that of the segment to the right
//   natural   cubic spline with y'' = 0 at both ends: C2
//   clamped   cubic spline with given slopes at both ends: C2 between them
//   periodic  cubic spline that goes on from its end to its beginning, where y is the same: C2 everywhere
//   monotone  cubic that has no extremum between two data points: C1; Fritsch & Butland (1984), SIAM J. Sci.
//             Stat. Comput. 5, 300
//
// Outside the data all but a periodic one go on along a straight line with the end slope: a constant would
// stop a motion dead. With m the second derivatives at the ends of a segment, h = x_{i+1} - x_i,
// A = (x_{i+1} - x)/h, B = 1 - A (de Boor, 1978, ch. 4):
//   y = A y_i + B y_{i+1} + [(A^3 - A) m_0 + (B^3 - B) m_1] h^2/6;  a table has m = 0.
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
  static Function1 clamped(std::vector<double> x, std::vector<double> y, double first_slope,
                           double last_slope);
  // The last y is the first one, and there are three points or more; else throws std::invalid_argument.
  static Function1 periodic(std::vector<double> x, std::vector<double> y);
  static Function1 monotone(std::vector<double> x, std::vector<double> y);

  // The knots next to x: below <= x < above; infinite where there is none.
  void knots_around(double x, double& below, double& above) const;
  // Whether its slope is continuous.
  bool is_spline() const { return is_spline_; }
  // The length after which it repeats itself; 0: it does not.
  double period() const { return is_periodic_ ? x_.back() - x_.front() : 0; }
  Jet at(double x) const;
  double value(double x) const { return at(x).f; }
  double first(double x) const { return at(x).d; }
  double second(double x) const { return at(x).dd; }

 private:
  struct Curvature {  // of a segment, at its ends
    double from = 0, to = 0;
  };

  Function1(std::vector<double> x, std::vector<double> y);
  void bend(const std::vector<double>& m);                // continuous second derivatives
  void bend_by_slopes(const std::vector<double>& slope);  // given first derivatives
  Jet inside(double x) const;

  std::vector<double> x_, y_;
  std::vector<Curvature> m_;  // by segment
  bool is_spline_ = false, is_periodic_ = false;
};

}  // namespace trammel::expressions
