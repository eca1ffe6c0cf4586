// A driver that comes into a model must let it start: Φ = s − f(0) and its rate at the start are the
// driver's.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::live {

// Adds to what a new driver follows the constant that its coordinate has at the start, and takes away given
// velocities that contradict it. Notes tell what was changed.
void fit_to_start(Mechanism& model, const std::string& driver, std::vector<std::string>& notes);

}  // namespace trammel::live
