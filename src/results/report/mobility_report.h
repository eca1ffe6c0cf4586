// What 'trammel check' tells: unknowns, constraints, degrees of freedom, redundancy, loops, how near the
// position is to singular, and which reactions the motion determines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/mobility_check.h"
#include "simulation/reaction_columns.h"
#include "trammel/report.h"

namespace trammel::results {

nlohmann::ordered_json mobility_json(const analysis::MobilityCheck& check,
                                     const simulation::ReactionCheck& reactions = {});
std::string mobility_text(const Mechanism& mechanism, const analysis::MobilityCheck& check,
                          const simulation::ReactionCheck& reactions = {},
                          const AssemblyReport& assembly = {});

// Of these: loops, joints that would remove redundant equations, the singularity gauge
// (mobility_details.cpp).
void add_details(const analysis::MobilityCheck& check, nlohmann::ordered_json& j);
std::string details_text(const analysis::MobilityCheck& check);

}  // namespace trammel::results
