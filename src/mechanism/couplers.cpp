#include "mechanism/couplers.h"

#include <numbers>

namespace trammel::mechanism {

std::vector<CouplerTerm> coupler_terms(const Joint& joint) {
  switch (joint.kind) {
    case Joint::Kind::gear:
      return {{joint.of.at(0), true, 1}, {joint.of.at(1), true, joint.value}};
    case Joint::Kind::screw:
      return {{joint.of.at(0), false, 1}, {joint.of.at(0), true, -joint.value / (2 * std::numbers::pi)}};
    case Joint::Kind::rack:
      return {{joint.of.at(1), false, 1}, {joint.of.at(0), true, -joint.value}};
    default:
      return {};
  }
}

}  // namespace trammel::mechanism
