// The section `joints:`, and in it couplers between joint coordinates and joints of velocities.
#pragma once

#include "mechanism/joint_kinds.h"
#include "model/reader/context.h"

namespace trammel::model {

void read_joints(ModelContext& context, const YamlNode& root);

// Gear, screw, rack: once all other joints are known.
void read_coupler(ModelContext& context, const YamlNode& key, const YamlNode& value,
                  const mechanism::JointInfo& kind, Joint& joint);

// Knife edge, rolling, pursuit, sum of speeds.
void read_velocity_joint(ModelContext& context, const YamlNode& key, const YamlNode& value,
                         const mechanism::JointInfo& kind, Joint& joint);

}  // namespace trammel::model
