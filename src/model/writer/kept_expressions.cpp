#include "model/writer/kept_expressions.h"

#include "expressions/expression.h"
#include "mechanism/functions.h"

namespace trammel::model {

KeptExpressions::KeptExpressions(const Mechanism& mechanism) {
  if (mechanism.source) expressions_ = mechanism.source->expressions();
  // a parameter that was set by itself no longer follows the others
  for (const auto& [name, value] : mechanism.changed_parameters) expressions_.erase("parameters." + name);
  for (const auto& [name, value] : mechanism.parameters) constants_.constant(name, value);
  for (const TableFunction& f : mechanism.functions) constants_.function(f.name, mechanism::function_of(f));
}

nlohmann::ordered_json KeptExpressions::restored(const std::string& path,
                                                 nlohmann::ordered_json value) const {
  if (expressions_.empty()) return value;
  if (value.is_object()) {
    for (auto& [key, child] : value.items()) child = restored(path + "." + key, std::move(child));
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      value[i] = restored(path + "." + std::to_string(i), std::move(value[i]));
  } else if (value.is_number()) {
    const auto found = expressions_.find(path);
    if (found != expressions_.end() && has_value(found->second, value.get<double>())) return found->second;
  }
  return value;
}

bool KeptExpressions::has_value(const std::string& text, double value) const {
  const auto parsed = expressions::Expression::parse(text, constants_);
  const auto* expression = std::get_if<expressions::Expression>(&parsed);
  if (expression == nullptr) return false;
  std::vector<double> scratch(static_cast<std::size_t>(expression->scratch_size()));
  return expression->value({}, scratch) == value;
}

}  // namespace trammel::model
