// The sections `parameters:` and `functions:`, which every other section may use.
#pragma once

#include "model/reader/context.h"

namespace trammel {

void read_parameters(ModelContext& context, const YamlNode& root);
void read_functions(ModelContext& context, const YamlNode& root);

}  // namespace trammel
