// The units that a model gives its parameters.
#pragma once

#include <map>
#include <string>

#include "expressions/units.h"
#include "trammel/mechanism.h"

namespace trammel::model {

using ParameterUnits = std::map<std::string, expressions::Dimension>;

// Parameters that the text of the model gives as a number with a unit.
ParameterUnits parameter_units(const Mechanism& mechanism);

// "N/m", in SI units; empty: the model gives none.
std::string parameter_unit(const Mechanism& mechanism, const std::string& name);

}  // namespace trammel::model
