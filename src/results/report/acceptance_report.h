// What acceptance() found, for a person, a program, or the documentation.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/acceptance.h"

namespace trammel::results {

// A model, or a kind of mechanism, and all that was asked of it.
struct Accepted {
  std::string name;
  std::string meaning;  // of a kind
  std::vector<analysis::Acceptance> cells;
};

std::string acceptance_text(const std::vector<Accepted>& subjects);
nlohmann::ordered_json acceptance_json(const std::vector<Accepted>& subjects);
// Tables with numbered reasons.
std::string acceptance_markdown(const std::vector<Accepted>& subjects);

}  // namespace trammel::results
