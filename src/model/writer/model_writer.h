// The model file from a Mechanism: what read_model() makes of it moves in the same way.
//
// Numbers are written out, so parameters remain only in formulas, and repetition is gone. Places that joints
// and forces need become points and vectors of their bodies.
#pragma once

#include <string>

#include "trammel/simulation.h"

namespace trammel {

// Throws std::runtime_error for what a file cannot say: forces and constraints of a person's own in C++, and
// bushings whose bodies are not placed as they stand when it has no force.
// The remark becomes a comment at the head of the file.
std::string write_model(const Mechanism& mechanism, const std::string& remark = "");

// True when fixed and prismatic joints hold the bodies as they are placed: a file can say no other
// orientation.
bool frames_are_closed(const Mechanism& mechanism);

// The same mechanism with its bodies placed where a simulation of it has them; and also moving as there, with
// t + T for t in every formula, where T is the simulation's time: what begins there goes on.
// Throws std::runtime_error when the joints cannot be closed from there.
Mechanism placed_as(const Mechanism& mechanism, const Simulation& simulation);
Mechanism moving_as(const Mechanism& mechanism, const Simulation& simulation);

}  // namespace trammel
