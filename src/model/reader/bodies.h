// The sections `points:` and `bodies:`, and the pins where bodies share a point.
#pragma once

#include "model/reader/context.h"

namespace trammel::model {

void read_points(ModelContext& context, const YamlNode& root);
void read_bodies(ModelContext& context, const YamlNode& root);
// Once all bodies are known: ground last in each point's list, and the pins.
void finish_points(ModelContext& context);
// Once all joints between bodies are known: a pin gives way to a joint of the same bodies at its point.
void replace_pins(ModelContext& context);

}  // namespace trammel::model
