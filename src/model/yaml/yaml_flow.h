// JSON values as YAML in flow style, with plain words where these are clear.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trammel {

std::string yaml_flow(const nlohmann::ordered_json& value);
std::string yaml_text(const std::string& text);

}  // namespace trammel
