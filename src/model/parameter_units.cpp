#include "model/parameter_units.h"

#include "model/yaml/yaml_tree.h"

namespace trammel::model {

ParameterUnits parameter_units(const Mechanism& mechanism) {
  ParameterUnits units;
  const YamlNode root = parse_yaml(mechanism.text).root;
  const YamlNode* section = root.find("parameters");
  for (std::size_t k = 0; section != nullptr && section->is_map() && k < section->entries(); ++k) {
    const auto parsed = expressions::parse_quantity(section->value(k).text);
    if (!parsed || !std::holds_alternative<expressions::Quantity>(*parsed)) continue;
    if (const auto& unit = std::get<expressions::Quantity>(*parsed).dimension)
      units[section->key(k).text] = *unit;
  }
  return units;
}

std::string parameter_unit(const Mechanism& mechanism, const std::string& name) {
  const ParameterUnits units = parameter_units(mechanism);
  const auto known = units.find(name);
  return known == units.end() ? "" : expressions::to_string(known->second);
}

}  // namespace trammel::model
