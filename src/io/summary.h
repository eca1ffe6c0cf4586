// What a run or a check tells: as JSON with stable keys for programs, and as a few lines for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/compare.h"
#include "analysis/mobility.h"
#include "analysis/work_precision.h"
#include "simulation/reaction_columns.h"
#include "trammel/run.h"

namespace trammel {

std::string to_string(RunStatus status);

nlohmann::ordered_json plan_json(const Plan& plan);
nlohmann::ordered_json summary_json(const Simulation& simulation, const Mobility& mobility,
                                    const RunSummary& summary);
nlohmann::ordered_json mobility_json(const Mobility& mobility, const ReactionCheck& reactions = {});

// With the measured curves where there are some; differences are then from their reference.
nlohmann::ordered_json comparison_json(const std::vector<Comparison>& rows,
                                       const WorkPrecision* measured = nullptr);
std::string comparison_text(const std::vector<Comparison>& rows, const WorkPrecision* measured = nullptr);
std::string summary_text(const Simulation& simulation, const Mobility& mobility, const RunSummary& summary);
std::string mobility_text(const Mechanism& mechanism, const Mobility& mobility,
                          const ReactionCheck& reactions = {});

}  // namespace trammel
