// The event "model": what a page draws, which numbers it may show and change, what may be chosen.
#pragma once

#include "live/snapshot.h"
#include "server/fit_judge.h"

namespace trammel::server {

std::string model_event(const live::Snapshot::Model& model, const Unfit& unfit);

}  // namespace trammel::server
