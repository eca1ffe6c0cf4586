// What the names in an expression mean.
//
// A name is looked up as a variable, a constant, `pi`, by the resolve hook, and last as a definition: another
// text, which stands for the name, and which the expand hook may know.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expressions/function1.h"

namespace trammel::expressions {

class Symbols {
 public:
  // The slot of a variable; the same name always has the same slot. Dotted names ("hinge.angle") are allowed.
  int variable(const std::string& name);
  // Constants are folded while parsing. Declared again, the last value stands.
  void constant(const std::string& name, double value);
  // Throws std::invalid_argument if the name is that of a built-in function.
  void function(const std::string& name, Function1 f);
  // A name that stands for an expression.
  void definition(const std::string& name, std::string text);
  // Called for a name that is not known; may declare it with variable() and return its slot.
  std::function<std::optional<int>(const std::string&)> resolve;

  // Called for a name that nothing else knows; the text that it stands for.
  std::function<std::optional<std::string>(const std::string&)> expand;

  // Names that only `resolve` knows, to be offered in messages. Called when one is written, for they are
  // many.
  std::function<std::vector<std::string>()> suggestions;

  int size() const { return static_cast<int>(variables_.size()); }
  const std::string& name(int slot) const { return variables_[static_cast<std::size_t>(slot)]; }
  std::vector<std::string> names() const;           // variables, constants, definitions, pi, suggestions
  std::vector<std::string> function_names() const;  // built-in ones and the user's

  // Used by the parser; find_variable asks the hook too.
  std::optional<int> find_variable(const std::string& name) const;
  std::optional<double> find_constant(const std::string& name) const;
  const Function1* find_function(const std::string& name) const;
  std::optional<std::string> find_definition(const std::string& name) const;  // asks the hook too

 private:
  std::vector<std::string> variables_;
  std::map<std::string, int> slots_;
  std::map<std::string, double> constants_;
  std::map<std::string, Function1> functions_;
  std::map<std::string, std::string> definitions_;
};

}  // namespace trammel::expressions
