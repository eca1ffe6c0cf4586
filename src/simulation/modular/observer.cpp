#include "simulation/modular/observer.h"

#include <fmt/format.h>

#include <stdexcept>

namespace trammel::simulation {

Observer::Observer(std::shared_ptr<const system::System> whole, const Connection::Home& home)
    : whole_(std::move(whole)) {
  for (const system::Place& place : whole_->coordinate_places()) {
    const Module& module = home(place.body);
    std::unique_ptr<system::PlaceView> view = module.system()->view(place);
    if (!view)
      throw std::invalid_argument(fmt::format(
          "body '{}' is too slender for what is attached to it from outside its subsystem; describe "
          "it as a rigid body with inertia, or put what holds it into the same subsystem",
          place.body));
    seen_.push_back({&module, std::move(view), {}});
  }
  if (!seen_.empty()) dimensions_ = static_cast<std::size_t>(whole_->sizes().q) / seen_.size();
}

void Observer::put(State& s, std::size_t element, const State& of_module, bool accelerations) {
  Seen& seen = seen_[element];
  seen.view->see(of_module, seen.motion);
  Vec3 a = seen.motion.bias;
  for (std::size_t k = 0; k < seen.motion.J.size(); ++k)
    a += of_module.a[static_cast<std::size_t>(seen.view->columns()[k])] * seen.motion.J[k];
  for (std::size_t i = 0; i < dimensions_; ++i) {
    const std::size_t at = dimensions_ * element + i;
    const auto axis = static_cast<Eigen::Index>(i);
    s.q[at] = seen.motion.x[axis];
    s.v[at] = seen.motion.v[axis];
    if (accelerations) s.a[at] = a[axis];
  }
}

void Observer::see(State& s) {
  for (std::size_t e = 0; e < seen_.size(); ++e) put(s, e, seen_[e].module->state(), true);
}

void Observer::see_ahead(State& s) {
  for (std::size_t e = 0; e < seen_.size(); ++e) put(s, e, seen_[e].module->ahead(), false);
}

}  // namespace trammel::simulation
