// Gears that press on each other: {gear-pair: [sun, planet], radii: [20 mm, 10 mm], pressure-angle: 20 deg};
// racks, bevel gears and worms likewise.
#pragma once

#include "model/reader/fields.h"

namespace trammel::model {

void read_toothed_pair(ModelContext& context, const Fields& fields, const YamlNode& bodies, Joint& joint);

}  // namespace trammel::model
