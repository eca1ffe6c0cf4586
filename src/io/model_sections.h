// The sections that act on the mechanism once bodies and joints are known.
#pragma once

#include "io/model_context.h"

namespace trammel {

void read_drivers(ModelContext& context, const YamlNode& root);
void read_forces(ModelContext& context, const YamlNode& root);
void read_states(ModelContext& context, const YamlNode& root);   // `states:`
void read_inputs(ModelContext& context, const YamlNode& root);   // `inputs:`
void read_initial(ModelContext& context, const YamlNode& root);  // velocities at the start
void read_simulate(ModelContext& context, const YamlNode& root);
void read_outputs(ModelContext& context, const YamlNode& root);

}  // namespace trammel
