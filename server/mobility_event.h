// The event `mobility`: how a mechanism can move where it starts, by name, and which joints say the same
// twice.
#pragma once

#include <nlohmann/json.hpp>

#include "trammel/mechanism.h"

namespace trammel::server {

// Without the revision. Drivers do not count: they are told beside it.
nlohmann::ordered_json mobility_event(const Mechanism& mechanism);

}  // namespace trammel::server
