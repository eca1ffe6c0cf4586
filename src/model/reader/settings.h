// Settings of the command line (--set bodies.crank.mass=2) written into the tree before it is read.
#pragma once

#include <string>
#include <vector>

#include "model/reader/context.h"

namespace trammel::model {

// Where a setting points to: "simulate.step" for "simulate.step=0.01" and for the option "--step=0.01".
std::string setting_path(const std::string& setting);

// A tolerance takes the place of the file's fixed step; a step beside a tolerance of the file is a limit, and
// stays. The nodes of the k-th setting get the line −k, by which the context knows them (model_yaml.h).
void apply_settings(ModelContext& context, YamlNode& root, const std::vector<std::string>& settings);

}  // namespace trammel::model
