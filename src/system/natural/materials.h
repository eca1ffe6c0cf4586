// Material points and vectors as linear forms of a body's elements, and the mass blocks that follow from
// them.
//
// Members of Basis, for basis.cpp, which instantiates them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <stdexcept>

#include "system/natural/basis.h"

namespace trammel::system {

// A point mass reaches only its own place, to rounding.
inline constexpr double kOwnPlace = 1e-9;

// The mass blocks M_ef = ∫ w_eᵀ w_f dm between the elements of a body, r = Σ w_e x_e.
template <int D>
void Basis<D>::fill_inertia(NaturalBody<D>& body, const Body& source) {
  const std::size_t n = body.elements.size();
  body.inertia.assign(n, std::vector<Weight<D>>(n));
  const Vec3 c = source.com - body.origin;
  const double m = source.mass;
  if constexpr (D == 2) {
    using Complex = std::complex<double>;
    if (n == 1) {
      body.inertia[0][0] = {m, 0};
      return;
    }
    // r = o + z d with complex z; ∫z = m z_c, ∫|z|² = I_o/|d|²
    const Complex d(body.directions(0, 0), body.directions(1, 0));
    const Complex zc = m * Complex(c.x(), c.y()) / d;
    const double zz = (source.inertia(2, 2) + m * c.head<2>().squaredNorm()) / std::norm(d);
    const Complex shared = body.is_point[1] ? zc - zz : zc;  // ∫ conj(w_o) z
    body.inertia[0][0] = {body.is_point[1] ? m - 2 * zc.real() + zz : m, 0};
    body.inertia[0][1] = {shared.real(), shared.imag()};
    body.inertia[1][0] = {shared.real(), -shared.imag()};
    body.inertia[1][1] = {zz, 0};
  } else {
    // Moments of (1, ξ), ξ = D⁺(x − o): the pseudo-inertia ∫ x xᵀ = ½ tr(I) − I about the centre of mass
    const Mat3 pseudo =
        0.5 * source.inertia.trace() * Mat3::Identity() - source.inertia + m * c * c.transpose();
    const auto r = static_cast<Eigen::Index>(body.rank());
    Eigen::MatrixXd S(r + 1, r + 1);
    S(0, 0) = m;
    S.bottomLeftCorner(r, 1) = m * body.inverse * c;
    S.topRightCorner(1, r) = S.bottomLeftCorner(r, 1).transpose();
    S.bottomRightCorner(r, r) = body.inverse * pseudo * body.inverse.transpose();
    // (o, d_k) = T (elements): d_k = e_k − o where e_k is a point
    Eigen::MatrixXd T = Eigen::MatrixXd::Identity(r + 1, r + 1);
    for (Eigen::Index k = 1; k <= r; ++k)
      if (body.is_point[static_cast<std::size_t>(k)]) T(k, 0) = -1;
    const Eigen::MatrixXd M = T.transpose() * S * T;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        body.inertia[i][j].alpha = M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
}

template <int D>
Material<D> Basis<D>::element(int e) const {
  Material<D> m;
  m.body = kNoBody;
  m.is_point = element_is_point_[static_cast<std::size_t>(e)];
  m.form.add(e, {1, 0});
  return m;
}

template <int D>
std::optional<Material<D>> Basis<D>::find(int b, bool is_point, const Vec3& local) const {
  const NaturalBody<D>& body = bodies_[static_cast<std::size_t>(b)];
  Material<D> m;
  m.body = b;
  m.is_point = is_point;
  // A node that is an element is that element, exactly.
  if (const int n = find_node(b, is_point, local); n >= 0 && nodes_[static_cast<std::size_t>(n)].basis) {
    m.form.add(element_of_class_[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(n)].group)],
               {1, 0});
    return m;
  }
  if (b == kGroundBody) return std::nullopt;
  const Vec3 x = is_point ? Vec3(local - body.origin) : local;
  if constexpr (D == 2) {
    std::complex<double> z = 0;
    if (body.rank() == 1)
      z = std::complex<double>(x.x(), x.y()) /
          std::complex<double>(body.directions(0, 0), body.directions(1, 0));
    else if (x.head<2>().norm() > kOwnPlace * length_scale_)
      return std::nullopt;
    if (is_point) m.form.add(body.elements[0], {1, 0});
    if (body.rank() == 1) {
      m.form.add(body.elements[1], {z.real(), z.imag()});
      if (body.is_point[1]) m.form.add(body.elements[0], {z.real(), z.imag()}, -1);
    }
  } else {
    const Eigen::VectorXd xi = body.inverse * x;
    const Vec3 reached = body.directions * xi;
    if ((reached - x).norm() > 1e-8 * std::max(x.norm(), is_point ? body.size : 0)) return std::nullopt;
    if (is_point) m.form.add(body.elements[0], {1, 0});
    for (int k = 0; k < body.rank(); ++k) {
      if (std::abs(xi[k]) < 1e-15) continue;
      m.form.add(body.elements[static_cast<std::size_t>(k) + 1], {xi[k], 0});
      if (body.is_point[static_cast<std::size_t>(k) + 1]) m.form.add(body.elements[0], {xi[k], 0}, -1);
    }
  }
  return m;
}

template <int D>
Material<D> Basis<D>::material(int body, bool is_point, const Vec3& local) const {
  std::optional<Material<D>> m = find(body, is_point, local);
  if (!m)
    throw std::invalid_argument(
        fmt::format("body '{}' has no thickness in a direction that something attached to it needs; describe "
                    "it as a rigid "
                    "body with mass and inertia",
                    bodies_[static_cast<std::size_t>(body)].name));
  return *m;
}

}  // namespace trammel::system
