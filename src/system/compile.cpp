// compile(): a person's own coordinates if the Mechanism has them, those that are asked for otherwise.
#include <stdexcept>

#include "system/generalized/generalized_system.h"
#include "system/natural/natural_system.h"
#include "system/reference/reference_system.h"
#include "system/relative/relative_system.h"

namespace trammel {
namespace {

template <int D>
std::shared_ptr<const System> compile_bodies(const Mechanism& mechanism, const Coordinates& coordinates,
                                             const std::vector<std::string>& watched) {
  if (coordinates.kind == "natural") return std::make_shared<NaturalSystem<D>>(mechanism, watched);
  if (coordinates.kind == "reference") return std::make_shared<ReferenceSystem<D>>(mechanism, watched);
  if (coordinates.kind == "relative")
    return std::make_shared<RelativeSystem<D>>(mechanism, watched, coordinates.open);
  throw std::invalid_argument("bodies have no coordinates named '" + coordinates.kind + "'");
}

}  // namespace

std::shared_ptr<const System> compile(const Mechanism& mechanism, const Coordinates& coordinates,
                                      const std::vector<std::string>& watched) {
  if (mechanism.generalized) return std::make_shared<GeneralizedSystem>(mechanism, watched);
  if (mechanism.is_planar) return compile_bodies<2>(mechanism, coordinates, watched);
  return compile_bodies<3>(mechanism, coordinates, watched);
}

}  // namespace trammel
