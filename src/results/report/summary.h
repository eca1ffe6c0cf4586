// What a run or a check tells: as JSON with stable keys for programs, and as a few lines for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/mobility.h"
#include "simulation/reaction_columns.h"
#include "trammel/run.h"

namespace trammel {

std::string to_string(RunStatus status);

nlohmann::ordered_json violation_json(const Violation& violation);
nlohmann::ordered_json plan_json(const Plan& plan);
nlohmann::ordered_json summary_json(const Simulation& simulation, const Mobility& mobility,
                                    const RunSummary& summary);
nlohmann::ordered_json mobility_json(const Mobility& mobility, const ReactionCheck& reactions = {});

std::string summary_text(const Simulation& simulation, const Mobility& mobility, const RunSummary& summary);
std::string mobility_text(const Mechanism& mechanism, const Mobility& mobility,
                          const ReactionCheck& reactions = {});

}  // namespace trammel
