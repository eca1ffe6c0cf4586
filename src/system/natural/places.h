// Places as natural coordinates see them: constant linear maps.
//
// Members of NaturalSystem, for natural_system.cpp, which instantiates them.
#pragma once

#include "system/natural/natural_system.h"

namespace trammel::system {

template <int D>
class LinearPlace final : public PlaceView {
 public:
  LinearPlace(const LinearForm<D>& form, const Basis<D>& basis) {
    for (const auto& term : form.terms) {
      if (term.element >= basis.free_elements()) {
        fixed_ += math::widen<D>(term.weight * math::narrow<D>(basis.initial(term.element)));
        continue;
      }
      const math::Mat<D> w = term.weight.matrix();
      for (int k = 0; k < D; ++k) {
        columns_.push_back(D * term.element + k);
        J_.push_back(math::widen<D>(w.col(k)));
      }
    }
  }

  void see(const State& s, PlaceMotion& motion) const override {
    motion.x = fixed_;
    motion.v.setZero();
    motion.J = J_;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto column = static_cast<std::size_t>(columns_[k]);
      motion.x += s.q[column] * J_[k];
      motion.v += s.v[column] * J_[k];
    }
  }

 private:
  Vec3 fixed_ = Vec3::Zero();  // from elements that ground holds
  std::vector<Vec3> J_;
};

template <int D>
std::unique_ptr<PlaceView> NaturalSystem<D>::view(const Place& place) const {
  const auto at = parts_.basis.find(parts_.basis.body_index(place.body), place.is_point, place.local);
  if (!at) return nullptr;
  return std::make_unique<LinearPlace<D>>(at->form, parts_.basis);
}

template <int D>
std::vector<Place> NaturalSystem<D>::coordinate_places() const {
  std::vector<Place> places(static_cast<std::size_t>(parts_.basis.free_elements()));
  for (const NaturalBody<D>& body : parts_.basis.bodies())
    for (std::size_t i = 0; i < body.elements.size(); ++i) {
      if (body.elements[i] >= parts_.basis.free_elements()) continue;
      const Vec3 along =
          i == 0 ? Vec3(Vec3::Zero()) : Vec3(body.directions.col(static_cast<Eigen::Index>(i) - 1));
      places[static_cast<std::size_t>(body.elements[i])] = {
          body.name, body.is_point[i], body.is_point[i] ? Vec3(body.origin + along) : along};
    }
  return places;
}

}  // namespace trammel::system
