// Values as YAML: JSON in flow style, and whole model files; with plain words where these are clear.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/yaml/yaml_tree.h"

namespace trammel::model {

std::string yaml_flow(const nlohmann::ordered_json& value);
std::string yaml_text(const std::string& text);
// The same, with numbers, formulas and units as a person writes them: 2 (not 2.0), 2*L, 0.3 m.
std::string yaml_value(const nlohmann::ordered_json& value);

// A model file of a tree: a line for each entry of a section. It reads as the same tree; comments are gone.
std::string yaml_of(const YamlNode& root);

}  // namespace trammel::model
