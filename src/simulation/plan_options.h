// The table of plan options: key, type, unit, range, default and meaning of each, and its value in a Plan.
//
// The model reader and writer, results files, the JSON Schema, help texts and docs/model-format.md come from
// it. A new option is a field of Plan, one entry here, and its key in the entries of the methods that read it
// (simulation/method_table.cpp).
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trammel/plan.h"

namespace trammel::simulation {

enum class OptionType {
  number,
  whole,        // number
  flag,         // true or false
  choice,       // one of a few names
  names,        // a list
  by_owner,     // a number or a word for all, or {default: …, NAME: …}
  expression,   // of the mechanism, not of the Plan
  expressions,  // by name, likewise
  group         // has options below it: "projection" has "projection.sweeps"
};

// For all constraints or joints, and for those that are named instead.
struct ByOwner {
  std::string word;  // instead of a number for all
  std::optional<double> common;
  std::map<std::string, double> of;  // 0: automatic
  bool operator==(const ByOwner&) const = default;
};

// Nothing: left to Trammel, or there is none.
using OptionValue =
    std::variant<std::monostate, bool, int, double, std::string, std::vector<std::string>, ByOwner>;

struct OptionRange {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool above = false;  // low itself is outside
};

struct PlanOption {
  const char* key;  // below `simulate:`, "projection.sweeps", or "outputs.interval"
  OptionType type;
  const char* unit;  // SI; "1" or empty: none
  const char* meaning;
  OptionRange range = {};
  std::vector<std::string> choices = {};  // also the words that stand for a number
  const char* otherwise = nullptr;        // what happens if it is not given, where the default is no value
  OptionValue (*get)(const Plan&) = nullptr;
  void (*set)(Plan&, const OptionValue&) = nullptr;

  std::string_view name() const;   // last part of the key
  std::string_view group() const;  // what has this key: "simulate", "projection", "newmark", "outputs"
  std::string fallback() const;    // the default in words
};

std::span<const PlanOption> plan_options();
// Throws std::logic_error where there is none of that key.
const PlanOption& plan_option(std::string_view key);

// Names of the groups, the ones that hold others first; and the keys of one.
std::vector<std::string> option_groups();
std::vector<std::string> option_keys(std::string_view group);

}  // namespace trammel::simulation
