// The sections that act on the mechanism once bodies and joints are known, or that take their place.
#pragma once

#include "model/reader/context.h"

namespace trammel::model {

// A person's own coordinates instead of bodies; false if the file has none.
bool read_generalized(ModelContext& context, const YamlNode& root);
void read_drivers(ModelContext& context, const YamlNode& root);
void read_stops(ModelContext& context, const YamlNode& root);
void read_subsystems(ModelContext& context, const YamlNode& root);
void read_forces(ModelContext& context, const YamlNode& root);
void read_states(ModelContext& context, const YamlNode& root);   // `states:`
void read_inputs(ModelContext& context, const YamlNode& root);   // `inputs:`
void read_initial(ModelContext& context, const YamlNode& root);  // coordinates and velocities at the start
void read_simulate(ModelContext& context, const YamlNode& root);
// Whether the names under `penalty:`, `omega:` and `mu:` own constraints; the mechanism must be without
// errors.
void check_constraint_owners(ModelContext& context, const YamlNode& root);
// Options that are given and that the plan's methods do not read; the model must be without errors.
void check_unread_options(ModelContext& context, const YamlNode& root);
void read_outputs(ModelContext& context, const YamlNode& root);

}  // namespace trammel::model
