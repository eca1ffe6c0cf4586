// Jacobi's elliptic functions by descending Landen transformation, for closed-form solutions.
//
//   am(u): tan recursion of Abramowitz & Stegun 16.4, φ_N = 2^N a_N u, sin(2φ_{n−1} − φ_n) = (c_n/a_n) sin
//   φ_n
#pragma once

#include <cmath>
#include <vector>

namespace trammel::reproduce {

struct Jacobi {
  double sn, cn, dn;
};

// 0 ≤ m < 1, m = k².
inline Jacobi jacobi(double u, double m) {
  std::vector<double> a{1}, c{std::sqrt(m)};
  double b = std::sqrt(1 - m);
  // the means agree to the last bit after a few halvings
  while (c.back() > 1e-16 && a.size() < 12) {
    const double mean = 0.5 * (a.back() + b), difference = 0.5 * (a.back() - b);
    b = std::sqrt(a.back() * b);
    a.push_back(mean);
    c.push_back(difference);
  }
  double phi = std::ldexp(a.back() * u, static_cast<int>(a.size()) - 1);
  for (std::size_t n = a.size() - 1; n > 0; --n) phi = 0.5 * (phi + std::asin(c[n] / a[n] * std::sin(phi)));
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - m * sn * sn)};
}

}  // namespace trammel::reproduce
