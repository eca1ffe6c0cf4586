// The event "model": what a page draws, which numbers it may show and change, what may be chosen.
#pragma once

#include "live/snapshot.h"

namespace trammel::server {

// Formulations that the model does not take with its coordinates, and why.
using Unfit = std::map<std::string, std::string>;
Unfit unfit_formulations(const Mechanism& mechanism);

std::string model_event(const live::Snapshot::Model& model, const Unfit& unfit);

}  // namespace trammel::server
