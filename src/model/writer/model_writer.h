// What the writer of model files (trammel/model.h) offers to others of the library.
#pragma once

#include "trammel/model.h"

namespace trammel::model {

// True when fixed and prismatic joints hold the bodies as they are placed: a file can say no other
// orientation.
bool frames_are_closed(const Mechanism& mechanism);

}  // namespace trammel::model
