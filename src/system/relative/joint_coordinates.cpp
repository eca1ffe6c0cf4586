#include "system/relative/joint_coordinates.h"

#include <algorithm>

namespace trammel::system {
namespace {

math::EulerParameters unit(const double* e) {
  return Eigen::Map<const math::EulerParameters>(e).normalized();
}

}  // namespace

void JointCoordinates::retract(double* q_all, const double* delta_all) const {
  for (int i = 0; i < plain; ++i) q_all[q + i] += delta_all[v + i];
  if (!parameters) return;
  double* e = q_all + q + plain;
  Eigen::Map<math::EulerParameters>{e} =
      math::compose(unit(e), math::exponential(Eigen::Map<const Eigen::Vector3d>(delta_all + v + plain)))
          .normalized();
}

void JointCoordinates::difference(const double* from, const double* to, double* delta_all) const {
  for (int i = 0; i < plain; ++i) delta_all[v + i] = to[q + i] - from[q + i];
  if (!parameters) return;
  math::EulerParameters back = unit(from + q + plain);
  back.tail<3>() *= -1;
  Eigen::Map<Eigen::Vector3d>{delta_all + v + plain} =
      math::logarithm(math::compose(back, unit(to + q + plain)));
}

void JointCoordinates::difference_rate(const double* v_all, double* delta_all) const {
  std::copy_n(v_all + v, plain, delta_all + v);
  if (!parameters) return;
  Eigen::Map<Eigen::Vector3d> delta(delta_all + v + plain);
  delta = math::logarithm_rate(delta, Eigen::Map<const Eigen::Vector3d>(v_all + v + plain));
}

}  // namespace trammel::system
