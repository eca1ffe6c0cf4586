// Joints, bodies, forces and drivers from JSON, as the live protocol has them (docs/live-protocol.md).
#pragma once

#include "live/draft.h"
#include "live/json_fields.h"

namespace trammel::live {

Joint joint_from(const Json&, Draft&);
Body body_from(const Json&, Draft&);
Force force_from(const Json&, Draft&);
Driver driver_from(const Json&, Draft&);

// The markers' axes as a kind of joint needs them, from the directions of its axis on each body, which may be
// left out.
struct JointAxes {
  std::optional<Vec3> first, second;  // world, unit
};
void orient(Joint& joint, const JointAxes& axes, const Draft& draft);

Joint::Kind joint_kind(const std::string& name);

}  // namespace trammel::live
