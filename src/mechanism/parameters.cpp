// A parameter that changes after the model was read.
//
// The model is built again from its source, with the old and with the new value. If nothing else has changed
// since it was read, the second is the new mechanism; otherwise every number and formula that differs between
// the two goes over, and the other changes stay.
#include <fmt/format.h>

#include <stdexcept>

#include "expressions/nearest_name.h"
#include "mechanism/numbers.h"
#include "trammel/mechanism.h"

namespace trammel {
namespace {

[[noreturn]] void refuse_unknown(const Mechanism& mechanism, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [parameter, value] : mechanism.parameters) known.push_back(parameter);
  throw std::invalid_argument(
      fmt::format("there is no parameter '{}'; {}", name,
                  known.empty() ? "the model has none" : expressions::choice_advice(name, known)));
}

}  // namespace

void Mechanism::set_parameter(const std::string& parameter, double value) {
  set_parameters({{parameter, value}});
}

void Mechanism::set_parameters(const std::map<std::string, double>& values) {
  for (const auto& [parameter, value] : values)
    if (!parameters.contains(parameter)) refuse_unknown(*this, parameter);
  if (!source) {
    for (const auto& [parameter, value] : values) parameters[parameter] = value;
    return;
  }
  std::map<std::string, double> changed = changed_parameters;
  for (const auto& [parameter, value] : values) changed[parameter] = value;
  const Mechanism before = source->with(changed_parameters);
  Mechanism after = source->with(changed);
  if (*this == before) {
    *this = std::move(after);
    return;
  }
  if (plan == before.plan) plan = after.plan;
  mechanism::adopt_differences(*this, before, std::move(after));
  changed_parameters = std::move(changed);
}

}  // namespace trammel
