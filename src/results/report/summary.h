// What a run or a check tells: as JSON with stable keys for programs, and as a few lines for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/mobility.h"
#include "simulation/reaction_columns.h"
#include "trammel/run.h"

namespace trammel::results {

std::string to_string(RunStatus status);

nlohmann::ordered_json violation_json(const Violation& violation);
// creation: date, command, settings, model_file, as in the results.
nlohmann::ordered_json summary_json(const Simulation& simulation, const analysis::Mobility& mobility,
                                    const RunSummary& summary,
                                    const nlohmann::json& creation = nlohmann::json::object());
nlohmann::ordered_json mobility_json(const analysis::Mobility& mobility,
                                     const simulation::ReactionCheck& reactions = {});

// "3 of 1000 steps and 2 rows": what met only the weaker criterion.
std::string marked_text(const RunSummary&);
std::string summary_text(const Simulation& simulation, const analysis::Mobility& mobility,
                         const RunSummary& summary);
std::string mobility_text(const Mechanism& mechanism, const analysis::Mobility& mobility,
                          const simulation::ReactionCheck& reactions = {});

}  // namespace trammel::results
