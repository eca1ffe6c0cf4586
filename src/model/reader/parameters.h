// The sections `parameters:`, `functions:` and `define:`, which every other section may use.
#pragma once

#include "model/reader/context.h"

namespace trammel::model {

// The names in the text of an expression.
std::vector<std::string> names_in(const std::string& text);

void read_parameters(ModelContext& context, const YamlNode& root);
void read_functions(ModelContext& context, const YamlNode& root);
void read_definitions(ModelContext& context, const YamlNode& root);

}  // namespace trammel::model
