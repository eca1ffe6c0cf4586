// The event "model": what a page draws, which numbers it may show and change, what may be chosen.
#pragma once

#include "live/snapshot.h"

namespace trammel {

std::string model_event(const Snapshot::Model& model);

}  // namespace trammel
