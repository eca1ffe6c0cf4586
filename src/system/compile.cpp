// compile(): a person's own coordinates if the Mechanism has them, those that are asked for otherwise.
#include <stdexcept>

#include "system/generalized/generalized_system.h"
#include "system/natural/natural_system.h"
#include "system/reference/reference_system.h"
#include "system/relative/relative_system.h"

namespace trammel::system {
namespace {

std::string no_coordinates(const std::string& name) {
  return "bodies have no coordinates named '" + name + "'";
}

template <int D>
std::shared_ptr<const System> compile_bodies(const Mechanism& mechanism, const Coordinates& coordinates,
                                             const std::vector<mechanism::Watched>& watched) {
  switch (coordinates.kind) {
    case CoordinatesKind::natural:
      return std::make_shared<NaturalSystem<D>>(mechanism, watched);
    case CoordinatesKind::reference:
      return std::make_shared<ReferenceSystem<D>>(mechanism, watched);
    case CoordinatesKind::relative:
      return std::make_shared<RelativeSystem<D>>(mechanism, watched, coordinates.open);
    default:
      throw std::invalid_argument(no_coordinates(name_of(coordinates.kind)));
  }
}

}  // namespace

Coordinates::Coordinates(const std::string& name) {
  const auto found = kind_named<CoordinatesKind>(kCoordinatesNames, name);
  if (!found) throw std::invalid_argument(no_coordinates(name));
  kind = *found;
}

std::shared_ptr<const System> compile(const Mechanism& mechanism, const Coordinates& coordinates,
                                      const std::vector<mechanism::Watched>& watched) {
  if (mechanism.generalized) return std::make_shared<GeneralizedSystem>(mechanism, watched);
  if (mechanism.is_planar) return compile_bodies<2>(mechanism, coordinates, watched);
  return compile_bodies<3>(mechanism, coordinates, watched);
}

}  // namespace trammel::system
