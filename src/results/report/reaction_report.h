// The reactions of a run: the largest, whether they are unique, and what joints carry beside them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "trammel/run.h"

namespace trammel::results {

nlohmann::ordered_json peak_json(const RunSummary::Peak& peak);
nlohmann::ordered_json reactions_json(const ReactionSummary& reactions, const Mechanism& mechanism);
std::string reaction_lines(const RunSummary& summary, const Mechanism& mechanism);

}  // namespace trammel::results
