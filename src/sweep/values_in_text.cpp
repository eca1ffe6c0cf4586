#include "sweep/values_in_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "expressions/units.h"
#include "model/yaml/yaml_change.h"
#include "model/yaml/yaml_tree.h"
#include "results/files/model_text.h"
#include "trammel/model.h"

namespace trammel::sweep {
namespace {

using Path = std::vector<std::string>;

Path path_of(const std::string& name) {
  if (name.find('.') == std::string::npos) return {"parameters", name};
  Path path;
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t to = std::min(name.find('.', from), name.size());
    path.push_back(name.substr(from, to - from));
    from = to + 1;
  }
  return path;
}

// The scalar at a path; empty: there is none.
std::string text_at(const std::string& text, const Path& path) {
  const model::YamlDocument document = model::parse_yaml(text);
  const model::YamlNode* at = &document.root;
  for (const std::string& step : path) {
    if (at->is_sequence()) {
      const std::size_t index = std::strtoul(step.c_str(), nullptr, 10);
      at = index < at->children.size() ? &at->children[index] : nullptr;
    } else {
      at = at->find(step);
    }
    if (at == nullptr) return {};
  }
  return at->is_scalar() ? at->text : std::string();
}

std::optional<expressions::Quantity> quantity_of(const std::string& text) {
  const auto parsed = expressions::parse_quantity(text);
  if (!parsed || !std::holds_alternative<expressions::Quantity>(*parsed)) return std::nullopt;
  return std::get<expressions::Quantity>(*parsed);
}

// The value in the unit that the text has now, if it is then read as the same number; else in SI units.
std::string in_unit_of(const std::string& now, double value) {
  const auto old = quantity_of(now);
  if (!old || !old->dimension) return fmt::format("{}", value);
  double number = 0;
  const char* end = now.data() + now.size();
  const char* unit = std::from_chars(now.data(), end, number).ptr;
  while (unit != end && *unit == ' ') ++unit;
  const double scaled = value / (old->value / number);
  for (const double tried : {scaled, std::nextafter(scaled, INFINITY), std::nextafter(scaled, -INFINITY)}) {
    const std::string text = fmt::format("{} {}", tried, std::string_view(unit, end));
    if (const auto read = quantity_of(text); read && read->value == value) return text;
  }
  const std::string si = expressions::to_string(*old->dimension);
  return si == "1" ? fmt::format("{}", value) : fmt::format("{} {}", value, si);
}

}  // namespace

std::string text_with_values(const Mechanism& given, const Variants& variants,
                             const std::vector<double>& values) {
  try {
    std::string text = results::model_text(given);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Path path = path_of(variants.names()[k]);
      text = model::change_yaml(text, {path, in_unit_of(text_at(text, path), values[k])});
    }
    const Mechanism read = read_model_text(text, "", {}, UnreadOptions::allowed).value();
    bool says = true;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto at = read.parameters.find(variants.names()[k]);
      says = says && (at == read.parameters.end() || at->second == values[k]);
    }
    if (says) return text;
  } catch (const std::invalid_argument&) {
    // Its text uses anchors there, or is none.
  }
  return write_model(variants.model(values));
}

}  // namespace trammel::sweep
