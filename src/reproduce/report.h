// What reproduce() found, for a terminal, for programs, and as a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reproduce/reproduce.h"

namespace trammel::reproduce {

std::string reproduction_text(const std::vector<PaperResult>& results);
// [{paper, item, where, published, ours, verdict, note, …}], one for each row.
nlohmann::ordered_json reproduction_json(const std::vector<PaperResult>& results);
// One HTML page that needs neither network nor script.
std::string validation_page(const std::vector<PaperResult>& results);

}  // namespace trammel::reproduce
