// What 'trammel check' tells: unknowns, constraints, degrees of freedom, redundancy, and which reactions the
// motion determines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/mobility.h"
#include "simulation/reaction_columns.h"

namespace trammel::results {

nlohmann::ordered_json mobility_json(const analysis::Mobility& mobility,
                                     const simulation::ReactionCheck& reactions = {});
std::string mobility_text(const Mechanism& mechanism, const analysis::Mobility& mobility,
                          const simulation::ReactionCheck& reactions = {});

}  // namespace trammel::results
