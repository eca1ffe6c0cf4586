// Places as reference coordinates see them: x = c + Rs, with s from the centre of mass; a vector has no c.
//
// Members of ReferenceSystem, for reference_system.cpp, which instantiates them.
#pragma once

#include "math/euler_parameters.h"
#include "system/reference/reference_system.h"

namespace trammel::system {

template <int D>
class CarriedPlace final : public PlaceView {
 public:
  // q, v: where the body's coordinates begin
  CarriedPlace(const Vec3& s, bool is_point, bool turns, int q, int v)
      : s_(s), q_(static_cast<std::size_t>(q)), is_point_(is_point), turns_(turns) {
    for (int i = 0; is_point && i < D; ++i) columns_.push_back(v + i);
    for (int i = 0; turns && i < kTurn; ++i) columns_.push_back(v + D + i);
    v_ = static_cast<std::size_t>(v);
  }

  void see(const State& state, PlaceMotion& motion) const override {
    motion.x.setZero();
    motion.v.setZero();
    motion.bias.setZero();
    motion.J.assign(columns_.size(), Vec3::Zero());
    if (is_point_)
      for (int i = 0; i < D; ++i) {
        motion.x[i] = state.q[q_ + static_cast<std::size_t>(i)];
        motion.v[i] = state.v[v_ + static_cast<std::size_t>(i)];
        motion.J[static_cast<std::size_t>(i)] = Vec3::Unit(i);
      }
    if (turns_) turn(state, motion);
  }

 private:
  static constexpr int kTurn = D == 2 ? 1 : 3;

  void turn(const State& state, PlaceMotion& motion) const {
    Mat3 R = Mat3::Identity();
    Vec3 omega = Vec3::Zero();  // body axes
    if constexpr (D == 2) {
      R = Eigen::AngleAxisd(state.q[q_ + D], Vec3::UnitZ()).toRotationMatrix();
      omega.z() = state.v[v_ + D];
    } else {
      R = math::rotation_of(Eigen::Map<const math::EulerParameters>(state.q.data() + q_ + D));
      omega = Eigen::Map<const Vec3>(state.v.data() + v_ + D);
    }
    motion.x += R * s_;
    motion.v += R * omega.cross(s_);
    motion.bias = R * omega.cross(omega.cross(s_));
    const std::size_t first = columns_.size() - kTurn;
    for (int i = 0; i < kTurn; ++i)
      motion.J[first + static_cast<std::size_t>(i)] = R * Vec3::Unit(D == 2 ? 2 : i).cross(s_);
  }

  Vec3 s_;
  std::size_t q_ = 0, v_ = 0;
  bool is_point_, turns_;
};

template <int D>
std::unique_ptr<PlaceView> ReferenceSystem<D>::view(const system::Place& place) const {
  const int body = elements_.basis().body_index(place.body);
  const Carrier& own = bodies_[static_cast<std::size_t>(body)];
  const Vec3 centre = elements_.basis().bodies()[static_cast<std::size_t>(body)].origin;
  const Vec3 s = place.is_point ? Vec3(place.local - centre) : place.local;
  if (!own.turns && s.norm() > 0) return nullptr;  // a mass point has one place only
  return std::make_unique<CarriedPlace<D>>(s, place.is_point, own.turns, own.q, own.v);
}

}  // namespace trammel::system
