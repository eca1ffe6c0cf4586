// The tables of joint and force kinds as `trammel describe` prints them: for a person, as Markdown for
// docs/model-format.md, and as the part of docs/trammel.schema.json that the tables own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trammel::model {

std::string joints_text();
std::string joints_markdown();
nlohmann::ordered_json joints_schema();

std::string forces_text();
std::string forces_markdown();
nlohmann::ordered_json forces_schema();

}  // namespace trammel::model
