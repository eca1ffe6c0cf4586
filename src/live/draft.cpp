#include "live/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace trammel::live {

Frame Draft::frame(const std::string& body) const {
  if (body == kGround) return {};
  for (std::size_t b = 0; b < running.bodies.size(); ++b)
    if (running.bodies[b].name == body)
      return {poses[b].position - poses[b].axes * running.bodies[b].com, poses[b].axes};
  throw std::invalid_argument(fmt::format("there is no body '{}'", body));
}

Vec3 Draft::world(const Marker& marker) const {
  const Frame place = frame(marker.body);
  return place.at + place.axes * marker.frame.at;
}

bool Draft::is_taken(const std::string& wanted) const {
  const auto among = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one.name == wanted; });
  };
  return wanted == kGround || model.parameters.contains(wanted) || among(model.functions) ||
         among(model.points) || among(model.bodies) || among(model.joints) || among(model.drivers) ||
         among(model.stops) || among(model.forces) || among(model.states) || among(model.inputs) ||
         among(model.subsystems);
}

std::string Draft::free_name(const std::string& stem) const {
  if (!is_taken(stem)) return stem;
  for (int k = 2;; ++k)
    if (std::string wanted = fmt::format("{}_{}", stem, k); !is_taken(wanted)) return wanted;
}

}  // namespace trammel::live
