// Copies of bodies with what joins them: moved, or mirrored in the plane.
#pragma once

#include "live/draft.h"
#include "live/json_fields.h"

namespace trammel::live {

// {"do": "copy-bodies", "bodies": […], "by": [x, y, z]} or, in the plane,
// {"mirror": {"through": [x, y, z], "along": [x, y, z]}}. Points, joints, springs and motors between the
// bodies, and between them and ground, are copied too.
void copy_bodies(const Json& edit, Draft& draft);

}  // namespace trammel::live
