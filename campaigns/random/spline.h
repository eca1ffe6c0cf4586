// Spline: the closed cubic spline through given places of a plane z = 0, its parameter the distance from
// place to place. Second derivatives M at the places follow from the continuity of c':
//
//   h₋ M₋ + 2 (h₋ + h₊) M + h₊ M₊ = 6 ((p₊ − p)/h₊ − (p − p₋)/h₋)
#pragma once

#include <vector>

#include "specification.h"

namespace trammel::campaigns::random {

class Spline {
 public:
  Spline() = default;
  explicit Spline(std::vector<Vector3d> through);

  struct Point {
    Vector3d c, d, dd;  // place and derivatives by the parameter
  };
  Point at(double s) const;
  // Parameter of the nearest point.
  double foot(const Vector3d& place) const;

 private:
  std::vector<Vector3d> p_, M_;
  std::vector<double> h_;
  double length_ = 0;
};

}  // namespace trammel::campaigns::random
