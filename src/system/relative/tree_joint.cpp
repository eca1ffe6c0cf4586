#include "system/relative/tree_joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/euler_parameters.h"

namespace trammel::system {
namespace {

template <int D>
math::Mat<D> about_axis(double angle) {
  math::Mat<D> R = math::Mat<D>::Identity();
  const double c = std::cos(angle), s = std::sin(angle);
  R(0, 0) = R(1, 1) = c;
  R(1, 0) = s;
  R(0, 1) = -s;
  return R;
}

// The angle about the axis that comes nearest to a rotation.
template <int D>
double angle_of(const math::Mat<D>& R) {
  return std::atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1));
}

// A universal joint's second axis, before its first angle: perpendicular to the first.
Mat3 second_axis() {
  Mat3 C;
  C << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return C;
}

Eigen::Map<math::EulerParameters> parameters_at(double* e) { return Eigen::Map<math::EulerParameters>(e); }
math::EulerParameters parameters_at(const double* e) {
  return Eigen::Map<const math::EulerParameters>(e).normalized();
}

// Half turns about the own axes that come nearest to a rotation.
template <int D>
math::Mat<D> nearest_signs(const math::Mat<D>& R) {
  math::Mat<D> signs = math::Mat<D>::Identity();
  for (int i = 0; i < D; ++i) signs(i, i) = R(i, i) < 0 ? -1 : 1;
  // An odd number of mirrors is no rotation: the weakest axis gives in.
  if (signs.determinant() < 0) {
    Eigen::Index weakest = 0;
    R.diagonal().cwiseAbs().minCoeff(&weakest);
    signs(weakest, weakest) *= -1;
  }
  return signs;
}

}  // namespace

template <int D>
int TreeJoint<D>::velocities() const {
  switch (kind) {
    case TreeKind::fixed:
    case TreeKind::carried:
      return 0;
    case TreeKind::revolute:
    case TreeKind::prismatic:
      return 1;
    case TreeKind::cylindrical:
    case TreeKind::universal:
      return 2;
    case TreeKind::spherical:
    case TreeKind::planar:
      return 3;
    case TreeKind::free:
      return turns ? kTwist<D> : D;
  }
  return 0;
}

template <int D>
int TreeJoint<D>::positions() const {
  return velocities() + (has_quaternion() ? 1 : 0);
}

template <int D>
template <int N>
JointMotion<D, N> TreeJoint<D>::motion(const double* q_all, const double* v_all) const {
  // Kinds of so many velocities: what others do is left out.
  constexpr auto kMay = [](int velocities) { return N == Eigen::Dynamic || N == velocities; };
  const double* x = q_all + q;
  JointMotion<D, N> m;
  const int n = velocities();
  m.A.setZero(kSpin<D>, n);
  m.A_dot.setZero(kSpin<D>, n);
  m.L.setZero(D, n);
  constexpr int kAxis = kSpin<D> - 1;     // of spins: z
  constexpr int kSlide = D == 2 ? 0 : 2;  // in the plane along x, in space along the axis
  switch (kind) {
    case TreeKind::fixed:
      m.R = held_;
      break;
    case TreeKind::carried:
      break;
    case TreeKind::revolute:
      if constexpr (kMay(1)) {
        m.R = about_axis<D>(x[0]);
        m.A(kAxis, 0) = 1;
      }
      break;
    case TreeKind::prismatic:
      if constexpr (kMay(1)) {
        m.R = held_;
        m.p[kSlide] = x[0];
        m.L(kSlide, 0) = 1;
      }
      break;
    case TreeKind::cylindrical:
      if constexpr (kMay(2)) {
        m.R = about_axis<D>(x[0]);
        m.A(kAxis, 0) = 1;
        m.p[kSlide] = x[1];
        m.L(kSlide, 1) = 1;
      }
      break;
    case TreeKind::planar:
      if constexpr (kMay(3)) {
        m.R = about_axis<D>(x[2]);
        m.p.template head<2>() << x[0], x[1];
        m.L(0, 0) = m.L(1, 1) = 1;
        m.A(kAxis, 2) = 1;
      }
      break;
    case TreeKind::universal:
      if constexpr (D == 3 && kMay(2)) {
        const Mat3 first = about_axis<3>(x[0]) * second_axis();
        m.R = first * about_axis<3>(x[1]);
        m.A.col(0) = Vec3::UnitZ();
        m.A.col(1) = first.col(2);
        m.A_dot.col(1) = v_all[v] * Vec3::UnitZ().cross(Vec3(first.col(2)));
      }
      break;
    case TreeKind::free:
      if constexpr (kMay(kTwist<D>) || kMay(D)) {
        m.p = Eigen::Map<const math::Vec<D>>(x);
        m.L.template leftCols<D>().setIdentity();
      }
      if (!turns) break;
      if constexpr (D == 2) {
        if constexpr (kMay(3)) {
          m.R = about_axis<2>(x[2]);
          m.A(0, 2) = 1;
        }
        break;
      }
      [[fallthrough]];
    case TreeKind::spherical:
      if constexpr (D == 3 && (kMay(3) || kMay(6))) {
        m.R = math::rotation_of(parameters_at(q_all + quaternion()));
        m.A.template rightCols<3>() = m.R;
        m.A_dot.template rightCols<3>() = m.R * math::skew(Eigen::Map<const Vec3>(v_all + spin()));
      }
      break;
  }
  return m;
}

template <int D>
void TreeJoint<D>::hold(const math::Mat<D>& R) {
  if (kind == TreeKind::fixed) held_ = nearest_signs<D>(R);
  // A slider's axis is common to both: only half turns about it are left.
  if (kind == TreeKind::prismatic) held_ = about_axis<D>(R(0, 0) + R(1, 1) < 0 ? std::numbers::pi : 0.0);
}

template <int D>
void TreeJoint<D>::place(const math::Mat<D>& R, const math::Vec<D>& p, double* q_all) const {
  double* x = q_all + q;
  constexpr int kSlide = D == 2 ? 0 : 2;
  switch (kind) {
    case TreeKind::carried:
      return;
    case TreeKind::fixed:
      return;
    case TreeKind::revolute:
      x[0] = angle_of<D>(R);
      return;
    case TreeKind::prismatic:
      x[0] = p[kSlide];
      return;
    case TreeKind::cylindrical:
      x[0] = angle_of<D>(R);
      x[1] = p[kSlide];
      return;
    case TreeKind::planar:
      x[0] = p[0];
      x[1] = p[1];
      x[2] = angle_of<D>(R);
      return;
    case TreeKind::universal:
      if constexpr (D == 3) {
        // R ẑ = about(x₀) C ẑ = (sin x₀, −cos x₀, 0)
        x[0] = std::atan2(R(0, 2), -R(1, 2));
        x[1] = angle_of<3>(second_axis().transpose() * about_axis<3>(-x[0]) * R);
      }
      return;
    case TreeKind::free:
      Eigen::Map<math::Vec<D>>{x} = p;
      if (!turns) return;
      if constexpr (D == 2) {
        x[2] = angle_of<2>(R);
        return;
      }
      [[fallthrough]];
    case TreeKind::spherical:
      if constexpr (D == 3) parameters_at(q_all + quaternion()) = math::parameters_of(R);
      return;
  }
}

template <int D>
JointCoordinates TreeJoint<D>::coordinates() const {
  return {q, v, has_quaternion() ? quaternion() - q : velocities(), has_quaternion()};
}

template <int D>
void TreeJoint<D>::scales(double length, std::vector<double>& velocity, std::vector<double>& position,
                          std::vector<int>& angles) const {
  const auto add = [&](int count, double scale) {
    velocity.insert(velocity.end(), static_cast<std::size_t>(count), scale);
    position.insert(position.end(), static_cast<std::size_t>(count), scale);
  };
  const auto add_angle = [&] {
    angles.push_back(static_cast<int>(position.size()));
    add(1, 1);
  };
  switch (kind) {
    case TreeKind::fixed:
    case TreeKind::carried:
      return;
    case TreeKind::revolute:
      return add_angle();
    case TreeKind::prismatic:
      return add(1, length);
    case TreeKind::cylindrical:
      add_angle();
      return add(1, length);
    case TreeKind::universal:
      add_angle();
      return add_angle();
    case TreeKind::planar:
      add(2, length);
      return add_angle();
    case TreeKind::free:
      add(D, length);
      if (!turns) return;
      if (D == 2) return add_angle();
      [[fallthrough]];
    case TreeKind::spherical:
      add(3, 1);
      return position.push_back(1);
  }
}

template class TreeJoint<2>;
template class TreeJoint<3>;
template JointMotion<2> TreeJoint<2>::motion<Eigen::Dynamic>(const double*, const double*) const;
template JointMotion<3> TreeJoint<3>::motion<Eigen::Dynamic>(const double*, const double*) const;
template JointMotion<2, 0> TreeJoint<2>::motion<0>(const double*, const double*) const;
template JointMotion<2, 1> TreeJoint<2>::motion<1>(const double*, const double*) const;
template JointMotion<2, 2> TreeJoint<2>::motion<2>(const double*, const double*) const;
template JointMotion<2, 3> TreeJoint<2>::motion<3>(const double*, const double*) const;
template JointMotion<3, 0> TreeJoint<3>::motion<0>(const double*, const double*) const;
template JointMotion<3, 1> TreeJoint<3>::motion<1>(const double*, const double*) const;
template JointMotion<3, 2> TreeJoint<3>::motion<2>(const double*, const double*) const;
template JointMotion<3, 3> TreeJoint<3>::motion<3>(const double*, const double*) const;
template JointMotion<3, 6> TreeJoint<3>::motion<6>(const double*, const double*) const;

}  // namespace trammel::system
