// Driver phases: constants added to what drivers follow, so that no coordinate jumps at an edit.
//
// A driver f(t) that an edit turns into g(t) at time T follows g(t) + f(T) − g(T) from then on; one that
// comes at T follows g(t) + s(T) − g(T), where s is its coordinate. Phases belong to a motion, not to the
// model: a reset begins without.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "trammel/simulation.h"

namespace trammel::live {

// By driver, one per expression; none for drivers that follow what they say.
using DriverPhases = std::map<std::string, std::vector<double>>;

Mechanism with_phases(Mechanism mechanism, const DriverPhases& phases);

// Those with which `next` goes on from a simulation of `before` with its phases.
DriverPhases phases_for(const Mechanism& next, const Mechanism& before, const DriverPhases& phases,
                        const Simulation& running);

// Drivers, of either, whose phases differ.
std::set<std::string> changed_phases(const DriverPhases& before, const DriverPhases& now);

}  // namespace trammel::live
