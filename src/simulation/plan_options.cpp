#include "simulation/plan_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "simulation/plan_option_fields.h"

namespace trammel::simulation {
namespace {

const std::vector<PlanOption>& table() {
  static const std::vector<PlanOption> all = [] {
    std::vector<PlanOption> made = options_of_simulate();
    for (auto* part : {options_of_independent, options_of_modular, options_of_rules, options_of_projection,
                       options_of_outputs})
      for (PlanOption& option : part()) made.push_back(std::move(option));
    return made;
  }();
  return all;
}

std::string in_words(const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<int>(&value)) return fmt::format("{}", *whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* all = std::get_if<ByOwner>(&value)) return all->word;
  return "none";
}

}  // namespace

std::string_view PlanOption::name() const {
  const std::string_view all = key;
  return all.substr(all.rfind('.') + 1);
}

std::string_view PlanOption::group() const {
  const std::string_view all = key;
  const std::size_t dot = all.rfind('.');
  if (dot == std::string_view::npos) return "simulate";
  const std::string_view above = all.substr(0, dot);
  return above.substr(above.rfind('.') + 1);
}

std::string PlanOption::fallback() const { return otherwise ? otherwise : in_words(get(Plan())); }

std::span<const PlanOption> plan_options() { return table(); }

const PlanOption& plan_option(std::string_view key) {
  const auto& all = table();
  const auto found = std::find_if(all.begin(), all.end(), [&](const PlanOption& o) { return key == o.key; });
  if (found == all.end()) throw std::logic_error(fmt::format("no plan option '{}'", key));
  return *found;
}

std::vector<std::string> option_groups() {
  std::vector<std::string> groups;
  for (const PlanOption& option : table())
    if (std::find(groups.begin(), groups.end(), option.group()) == groups.end())
      groups.emplace_back(option.group());
  return groups;
}

std::vector<std::string> option_keys(std::string_view group) {
  std::vector<std::string> keys;
  for (const PlanOption& option : table())
    if (option.group() == group) keys.emplace_back(option.name());
  return keys;
}

}  // namespace trammel::simulation
