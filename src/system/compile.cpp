// compile(): a person's own coordinates if the Mechanism has them, else those asked for.
#include <stdexcept>

#include "system/generalized/generalized_system.h"
#include "system/natural/natural_system.h"
#include "system/reference/reference_system.h"

namespace trammel {

std::shared_ptr<const System> compile(const Mechanism& mechanism, const std::string& coordinates,
                                      const std::vector<std::string>& watched) {
  if (mechanism.generalized) return std::make_shared<GeneralizedSystem>(mechanism, watched);
  if (coordinates == "reference") {
    if (mechanism.is_planar) return std::make_shared<ReferenceSystem<2>>(mechanism, watched);
    return std::make_shared<ReferenceSystem<3>>(mechanism, watched);
  }
  if (coordinates != "natural")
    throw std::invalid_argument("bodies have no coordinates named '" + coordinates + "'");
  if (mechanism.is_planar) return std::make_shared<NaturalSystem<2>>(mechanism, watched);
  return std::make_shared<NaturalSystem<3>>(mechanism, watched);
}

}  // namespace trammel
