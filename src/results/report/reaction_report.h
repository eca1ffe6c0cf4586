// The reactions of a run: the largest, whether they are unique, and what joints carry beside them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trammel/run.h"

namespace trammel::results {

nlohmann::ordered_json peak_json(const RunSummary::Peak& peak, const Mechanism& mechanism);
nlohmann::ordered_json reactions_json(const ReactionSummary& reactions, const Mechanism& mechanism);
// What the joints of a machine carry beside the reactions written (docs/results.md), and a line of the first.
std::vector<std::string> not_in_reactions(const Mechanism& mechanism);
// What the forces of this joint lack, such as "tooth forces"; empty if they are complete.
std::string lacking_in(const Mechanism& mechanism, const std::string& joint);
std::string lacking_line(const Mechanism& mechanism);
std::string reaction_lines(const RunSummary& summary, const Mechanism& mechanism);

}  // namespace trammel::results
