// What 'trammel solve equilibrium' tells: JSON with stable keys for programs, a table for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/equilibrium.h"
#include "trammel/simulation.h"

namespace trammel::results {

// The simulation is used to read the states, and stands in the last one afterwards.
nlohmann::ordered_json equilibrium_json(Simulation& simulation,
                                        const std::vector<analysis::Equilibrium>& found);
std::string equilibrium_text(Simulation& simulation, const std::vector<analysis::Equilibrium>& found);
// Limits of joints that the state has passed: statics knows no end-stops.
std::vector<std::string> passed_stops(const Simulation& simulation);

}  // namespace trammel::results
