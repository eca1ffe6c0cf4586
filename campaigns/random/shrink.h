// Shrinks a mechanism that fails: leaves out what is not needed for the failure and rounds what is.
#pragma once

#include <functional>

#include "specification.h"

namespace trammel::campaigns::random {

// fails: true while a candidate, whose velocities and duration it may settle, still fails in the same way.
Specification shrink(Specification spec, const std::function<bool(Specification&)>& fails);

}  // namespace trammel::campaigns::random
