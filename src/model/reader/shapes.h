// `shape:` of a rigid body: what its mass fills, from which mass, centre of mass and inertia follow.
#pragma once

#include "model/reader/context.h"
#include "model/reader/fields.h"

namespace trammel::model {

void read_shape_of_body(ModelContext& context, const Fields& fields, Body& body);

}  // namespace trammel::model
