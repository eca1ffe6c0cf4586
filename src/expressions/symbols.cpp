#include "expressions/symbols.h"

#include <fmt/format.h>

#include <cassert>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "expressions/builtins.h"

namespace trammel::expressions {

int Symbols::variable(const std::string& name) {
  const auto [known, is_new] = slots_.try_emplace(name, size());
  if (is_new) variables_.push_back(name);
  return known->second;
}

void Symbols::constant(const std::string& name, double value) { constants_[name] = value; }

void Symbols::function(const std::string& name, Function1 f) {
  if (find_builtin(name) != nullptr)
    throw std::invalid_argument(
        fmt::format("'{}' is a built-in function: choose another name for yours", name));
  functions_.insert_or_assign(name, std::move(f));
}

void Symbols::definition(const std::string& name, std::string text) {
  definitions_.insert_or_assign(name, std::move(text));
}

std::vector<std::string> Symbols::names() const {
  std::vector<std::string> all = variables_;
  for (const auto& [name, value] : constants_) all.push_back(name);
  for (const auto& [name, text] : definitions_) all.push_back(name);
  all.emplace_back("pi");
  if (suggestions)
    for (std::string& name : suggestions()) all.push_back(std::move(name));
  return all;
}

std::vector<std::string> Symbols::function_names() const {
  std::vector<std::string> all;
  for (const Builtin& builtin : builtins()) all.emplace_back(builtin.name);
  for (const auto& [name, f] : functions_) all.push_back(name);
  return all;
}

std::optional<int> Symbols::find_variable(const std::string& name) const {
  if (const auto known = slots_.find(name); known != slots_.end()) return known->second;
  if (find_constant(name) || !resolve) return std::nullopt;
  const std::optional<int> slot = resolve(name);
  assert(!slot || (*slot >= 0 && *slot < size()));
  return slot;
}

std::optional<double> Symbols::find_constant(const std::string& name) const {
  if (const auto known = constants_.find(name); known != constants_.end()) return known->second;
  if (name == "pi") return std::numbers::pi;
  return std::nullopt;
}

std::optional<std::string> Symbols::find_definition(const std::string& name) const {
  if (const auto known = definitions_.find(name); known != definitions_.end()) return known->second;
  return expand ? expand(name) : std::nullopt;
}

const Function1* Symbols::find_function(const std::string& name) const {
  const auto known = functions_.find(name);
  return known == functions_.end() ? nullptr : &known->second;
}

}  // namespace trammel::expressions
