// The generator: random mechanisms that are exactly assembled, and regular as long as they run.
//
// Masses lie over eight decades and sizes over six; within a mechanism neighbours differ by up to 10⁶ in
// mass. Trees, closed loops, plane linkages in space and doubled joints (redundant), couplers, joints of
// velocities, drivers and forces. What comes close to a singular position is cut short or drawn again: next
// to one no motion is known well enough to judge by.
#pragma once

#include <optional>

#include "reference_table.h"

namespace trammel::campaigns::random {

struct Drawn {
  Specification spec;
  ReferenceTable reference;
  int attempts = 0;
};
Drawn draw(std::uint64_t seed);

// Makes velocities agree with the constraints: those of bodies whose velocity is given as near to what they
// are as can be, the others with the least kinetic energy. Sets spec.rate. False: they do not agree.
bool settle_velocities(Specification& spec);
// The motion by the oracle, if the start is regular and the motion known to its end; cuts the duration if
// need be.
std::optional<ReferenceTable> settle_duration(Specification& spec);

}  // namespace trammel::campaigns::random
