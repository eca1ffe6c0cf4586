// Belts: {belt: [motor, idler, fan], radii: [40 mm, -20 mm, 60 mm]}, among joints and, with a stiffness,
// among forces. A belt over n pulleys is n spans NAME_1 to NAME_n, from each pulley to the next; one alone is
// NAME.
#pragma once

#include "model/reader/fields.h"

namespace trammel::model {

void read_belt_joints(ModelContext& context, const YamlNode& key, const Fields& fields);
void read_belt_forces(ModelContext& context, const YamlNode& key, const Fields& fields);

}  // namespace trammel::model
