// The section `joints:`, and the couplers between joint coordinates in it.
#pragma once

#include "io/model_context.h"

namespace trammel {

void read_joints(ModelContext& context, const YamlNode& root);

// Gear, screw, rack: once all other joints are known.
void read_coupler(ModelContext& context, const YamlNode& key, const YamlNode& value, const std::string& kind,
                  Joint& joint);

}  // namespace trammel
