// Radau IIA, implicit Runge–Kutta rules of s stages and order 2s − 1, stable however stiff the motion:
//
//   z_i = h Σ_j a_ij f(t + c_j h, y + z_j),   y₊ = y + z_s
//
// The c_i are the zeros of P_s − P_(s−1) on [0, 1], the last is 1, and y + z_i lie on the polynomial of
// degree s whose rate is f at each of them. Newton's method meets the s systems one by one where
//
//   T⁻¹ A⁻¹ T = diag(γ, [α −β; β α], …),
//
// each block one complex number α + iβ. The error is that of a rule of order s, which takes h f(t, y)/γ in
// addition: e = h f(t, y)/γ + Σ e_i z_i. Hairer & Wanner, Solving Ordinary Differential Equations II (1996),
// IV.5 and IV.8; the same, Stiff differential equations solved by Radau methods (1999).
#pragma once

#include <Eigen/Core>
#include <array>
#include <complex>
#include <vector>

namespace trammel::integrators {

struct RadauTableau {
  static constexpr int kMost = 7;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;

  // s: odd, so that γ is the only real one
  RadauTableau(const char* rule, int s);

  const char* name;
  int stages, order;
  Column c;
  Square A;
  Square inverse;                           // A⁻¹
  Square T, T_inverse;                      //
  double gamma;                             // of A⁻¹
  std::vector<std::complex<double>> pairs;  // the others, one of each pair
  Column error;                             // e_i
  std::array<double, 2> humps;  // θ of the largest |θ Π (θ − c_i)| in the last two intervals

  // y(θ) = y + Σ w_i z_i at t + θh, within the step or a little beyond
  void weigh(double theta, Column& w) const;
  // dy/dθ = Σ w_i z_i there
  void weigh_slope(double theta, Column& w) const;
};

const RadauTableau& radau5();
const RadauTableau& radau9();

}  // namespace trammel::integrators
