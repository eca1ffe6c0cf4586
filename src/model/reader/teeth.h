// Gears that press on each other: {gear-pair: [sun, planet], radii: [20 mm, 10 mm], pressure-angle: 20 deg}.
#pragma once

#include "model/reader/fields.h"

namespace trammel::model {

void read_gear_pair(ModelContext& context, const Fields& fields, const YamlNode& bodies, Joint& joint);

}  // namespace trammel::model
