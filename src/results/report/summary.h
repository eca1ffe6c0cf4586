// What a run tells: as JSON with stable keys for programs, and as a few lines for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/mobility.h"
#include "trammel/run.h"

namespace trammel::results {

std::string to_string(RunStatus status);

nlohmann::ordered_json violation_json(const Violation& violation);
// creation: date, command, settings, model_file, as in the results.
nlohmann::ordered_json summary_json(const Simulation& simulation, const analysis::Mobility& mobility,
                                    const RunSummary& summary,
                                    const nlohmann::json& creation = nlohmann::json::object());

// "3 of 1000 steps and 2 rows": what met only the weaker criterion.
std::string marked_text(const RunSummary&);
// "'ratio' is not a finite number from t = 0.5 s on (501 rows)": columns with missing values, if there are
// any.
std::string missing_text(const RunSummary&);
std::string summary_text(const Simulation& simulation, const analysis::Mobility& mobility,
                         const RunSummary& summary);

}  // namespace trammel::results
