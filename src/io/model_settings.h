// Settings of the command line (--set bodies.crank.mass=2) written into the tree before it is read.
#pragma once

#include <string>
#include <vector>

#include "io/model_context.h"

namespace trammel {

// The nodes of the k-th setting get the line −k, by which the context knows them (model_yaml.h).
void apply_settings(ModelContext& context, YamlNode& root, const std::vector<std::string>& settings);

}  // namespace trammel
