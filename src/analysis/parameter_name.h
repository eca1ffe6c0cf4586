// What is said of a parameter that a model does not have.
#pragma once

#include <string>
#include <vector>

#include "expressions/nearest_name.h"
#include "trammel/mechanism.h"

namespace trammel::analysis {

inline std::string no_parameter(const Mechanism& mechanism, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [one, value] : mechanism.parameters) known.push_back(one);
  return "there is no parameter '" + name + "'; " +
         (known.empty() ? "this model has none" : expressions::choice_advice(name, known));
}

}  // namespace trammel::analysis
