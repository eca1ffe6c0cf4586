// Fields that a person wrote as expressions of parameters, written so again: mass: 2*m0.
//
// An expression goes back to its path in the file if it still has the value that stands there.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "expressions/symbols.h"
#include "trammel/mechanism.h"

namespace trammel::model {

class KeptExpressions {
 public:
  explicit KeptExpressions(const Mechanism& mechanism);

  // The value at a path, with expressions for the numbers in it that have one.
  nlohmann::ordered_json restored(const std::string& path, nlohmann::ordered_json value) const;

 private:
  bool has_value(const std::string& text, double value) const;

  std::map<std::string, std::string> expressions_;
  expressions::Symbols constants_;
};

}  // namespace trammel::model
