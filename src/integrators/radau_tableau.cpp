#include "integrators/radau_tableau.h"

#include <Eigen/Dense>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "linalg/dense.h"

namespace trammel::integrators {
namespace {

// More digits than the rules keep, so that these are exact to rounding.
using Real = long double;
constexpr int kMost = RadauTableau::kMost;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, kMost, 1>;

// X in double precision, then Newton's method: X ← X (2 − A X) doubles its digits.
Matrix inverted(const Matrix& A) {
  const Matrix one = Matrix::Identity(A.rows(), A.rows());
  Matrix X = linalg::solve(A.cast<double>(), one.cast<double>()).cast<Real>();
  for (int i = 0; i < 2; ++i) X = Matrix(X * (2 * one - A * X));
  return X;
}

// Newton's method from Chebyshev's points of the same kind.
Vector nodes(int s) {
  Vector c(s);
  for (int k = 0; k < s; ++k) {
    Real x = -std::cos(2 * std::numbers::pi_v<Real> * (k + 1) / (2 * s - 1) -
                       std::numbers::pi_v<Real> / (2 * s - 1));
    if (k == s - 1) x = 1;
    for (int i = 0; i < 20 && k < s - 1; ++i) {
      Real before = 1, p = x, before_slope = 0, slope = 1;  // P_(j−1), P_j and their derivatives
      for (int j = 1; j < s; ++j) {
        const Real next = ((2 * j + 1) * x * p - j * before) / (j + 1);
        const Real next_slope = before_slope + (2 * j + 1) * p;
        before = std::exchange(p, next);
        before_slope = std::exchange(slope, next_slope);
      }
      x -= (p - before) / (slope - before_slope);
    }
    c[k] = (1 + x) / 2;
  }
  return c;
}

// The largest |θ Π (θ − c_i)| between two nodes: the sum of 1/θ and all 1/(θ − c_i) vanishes there, and falls
// from one node to the next.
double hump(const Vector& c, Real from, Real to) {
  for (int i = 0; i < 60; ++i) {  // each halves the interval, to rounding
    const Real theta = (from + to) / 2, slope = 1 / theta + (theta - c.array()).inverse().sum();
    (slope > 0 ? from : to) = theta;
  }
  return static_cast<double>(from);
}

}  // namespace

RadauTableau::RadauTableau(const char* rule, int s) : name(rule), stages(s), order(2 * s - 1) {
  assert(s % 2 == 1 && s <= kMost);
  const Vector nodes_ = nodes(s);
  // A integrates polynomials of degree below s exactly from 0 to each node: A V = C.
  Matrix V(s, s), C(s, s);
  for (int i = 0; i < s; ++i)
    for (int k = 0; k < s; ++k) {
      V(i, k) = std::pow(nodes_[i], k);
      C(i, k) = std::pow(nodes_[i], k + 1) / (k + 1);
    }
  const Matrix inverse_ = V * inverted(C);
  // Eigenvectors to double precision give eigenvalues to twice as many digits, as the blocks of T⁻¹ A⁻¹ T.
  const linalg::Eigenpairs eigen = linalg::eigenpairs(inverse_.cast<double>());
  Matrix T_(s, s);
  int column = 1;
  for (int k = 0; k < s; ++k) {
    const Eigen::VectorXcd vector = eigen.vectors.col(k);
    if (eigen.values[k].imag() == 0) {
      T_.col(0) = vector.real().cast<Real>();
    } else if (eigen.values[k].imag() > 0) {
      T_.col(column++) = vector.real().cast<Real>();
      T_.col(column++) = -vector.imag().cast<Real>();
    }
  }
  const Matrix T_inverse_ = inverted(T_), blocks = T_inverse_ * inverse_ * T_;
  const Real gamma_ = blocks(0, 0);
  for (int k = 1; k < s; k += 2)
    pairs.emplace_back(static_cast<double>(blocks(k, k)), static_cast<double>(blocks(k + 1, k)));
  // Weights b̂ − b of the other rule, which has b̂₀ = 1/γ: Vᵀ(b̂ − b) = (−1/γ, 0, …).
  const Matrix V_inverse = inverted(V);
  const Vector weights = -V_inverse.row(0).transpose() / gamma_;
  c = nodes_.cast<double>();
  humps = {hump(nodes_, nodes_[s - 3], nodes_[s - 2]), hump(nodes_, nodes_[s - 2], nodes_[s - 1])};
  A = (C * V_inverse).cast<double>();
  inverse = inverse_.cast<double>();
  T = T_.cast<double>();
  T_inverse = T_inverse_.cast<double>();
  gamma = static_cast<double>(gamma_);
  error = (inverse_.transpose() * weights).cast<double>();
}

// Lagrange's polynomials of the nodes 0, c_1, …, c_s
void RadauTableau::weigh(double theta, Column& w) const {
  w.resize(stages);
  for (int i = 0; i < stages; ++i) {
    double product = theta / c[i];
    for (int j = 0; j < stages; ++j)
      if (j != i) product *= (theta - c[j]) / (c[i] - c[j]);
    w[i] = product;
  }
}

// The product rule: one factor differentiated at a time.
void RadauTableau::weigh_slope(double theta, Column& w) const {
  w.resize(stages);
  for (int i = 0; i < stages; ++i) {
    double product = theta / c[i], slope = 1 / c[i];
    for (int j = 0; j < stages; ++j)
      if (j != i) {
        const double factor = (theta - c[j]) / (c[i] - c[j]);
        slope = slope * factor + product / (c[i] - c[j]);
        product *= factor;
      }
    w[i] = slope;
  }
}

const RadauTableau& radau5() {
  static const RadauTableau tableau("radau5", 3);
  return tableau;
}

const RadauTableau& radau9() {
  static const RadauTableau tableau("radau9", 5);
  return tableau;
}

}  // namespace trammel::integrators
