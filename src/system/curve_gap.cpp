#include "system/curve_gap.h"

#include <cmath>

namespace trammel::system {

CurveGap::Foot CurveGap::at(double s) const {
  const mechanism::VectorSpline::Jet c = curve_->at(s);
  const Plane d(c.d.x(), c.d.y()), dd(c.dd.x(), c.dd.y());
  const double speed = d.norm();
  const Plane t = d / speed, n(-t.y(), t.x());
  return {{c.f.x(), c.f.y()}, t, n, n.dot(dd) / (speed * speed)};
}

template <int D>
SlotJet<D> CurveGap::roller_jet(const SlotValues<D>& x) const {
  SlotJet<D> jet = SlotJet<D>::zero();
  const math::Vec<D>& d = x[0];
  const Plane p = in_plane<D>(d, x[1], x[2]);
  const Foot foot = nearest(p);
  const double w = foot.n.dot(p - foot.c);
  const Plane g = side_ * foot.n;
  const Eigen::Matrix2d H = -side_ * foot.curvature / (1 - foot.curvature * w) * foot.t * foot.t.transpose();
  jet.f = side_ * w - radius_;
  const math::Mat<D> one = math::Mat<D>::Identity();
  for (int k = 0; k < 2; ++k) {
    const auto a = static_cast<std::size_t>(k) + 1;
    jet.g[0] += g[k] * x[a];
    jet.g[a] = g[k] * d;
    jet.h[0][a] += g[k] * one;
    for (int l = 0; l < 2; ++l) {
      const auto b = static_cast<std::size_t>(l) + 1;
      jet.h[0][0] += H(k, l) * x[a] * x[b].transpose();
      jet.h[0][a] += H(k, l) * x[b] * d.transpose();
      jet.h[a][b] = H(k, l) * d * d.transpose();
    }
    jet.h[a][0] = jet.h[0][a].transpose();
  }
  return jet;
}

template <int D>
SlotJet<D> CurveGap::face_jet(const SlotValues<D>& x) const {
  SlotJet<D> jet = SlotJet<D>::zero();
  const math::Vec<D>&d = x[0], &normal = x[1];
  const Plane p = in_plane<D>(d, x[2], x[3]), N = -in_plane<D>(normal, x[2], x[3]);
  const Foot foot = farthest(N);
  const Plane q = p - foot.c;
  const Eigen::Matrix2d C =
      -1 / (std::abs(foot.curvature) * N.norm()) * foot.t * foot.t.transpose();  // ∂q/∂N
  jet.f = q.dot(N);
  const math::Mat<D> one = math::Mat<D>::Identity();
  for (int k = 0; k < 2; ++k) {
    const auto a = static_cast<std::size_t>(k) + 2;
    const math::Vec<D>& e = x[a];
    jet.g[0] += N[k] * e;
    jet.g[1] -= q[k] * e;
    jet.g[a] = N[k] * d - q[k] * normal;
    jet.h[0][1] -= e * e.transpose();
    jet.h[0][a] = N[k] * one - e * normal.transpose();
    jet.h[1][a] = -q[k] * one - e * d.transpose();
    jet.h[a][a] -= d * normal.transpose() + normal * d.transpose();
    for (int l = 0; l < 2; ++l) {
      const auto b = static_cast<std::size_t>(l) + 2;
      jet.h[1][1] += C(k, l) * e * x[b].transpose();
      jet.h[1][a] += C(k, l) * x[b] * normal.transpose();
      jet.h[a][b] += C(k, l) * normal * normal.transpose();
    }
    jet.h[a][0] = jet.h[0][a].transpose();
    jet.h[a][1] = jet.h[1][a].transpose();
  }
  jet.h[1][0] = jet.h[0][1].transpose();
  return jet;
}

template <int D>
CurveGap::Contact<D> CurveGap::contact(const SlotValues<D>& x) const {
  if (face_) {
    const Foot foot = farthest(-in_plane<D>(x[1], x[2], x[3]));
    return {foot.c.x() * x[2] + foot.c.y() * x[3], -x[1]};
  }
  const Plane p = in_plane<D>(x[0], x[1], x[2]);
  const Foot foot = nearest(p);
  const math::Vec<D> n = foot.n.x() * x[1] + foot.n.y() * x[2];
  return {x[0] - foot.n.dot(p - foot.c) * n, side_ * n};
}

template SlotJet<2> CurveGap::roller_jet<2>(const SlotValues<2>&) const;
template SlotJet<3> CurveGap::roller_jet<3>(const SlotValues<3>&) const;
template SlotJet<2> CurveGap::face_jet<2>(const SlotValues<2>&) const;
template SlotJet<3> CurveGap::face_jet<3>(const SlotValues<3>&) const;
template CurveGap::Contact<2> CurveGap::contact<2>(const SlotValues<2>&) const;
template CurveGap::Contact<3> CurveGap::contact<3>(const SlotValues<3>&) const;

}  // namespace trammel::system
