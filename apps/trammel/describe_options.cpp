// `trammel describe options`: the table of plan options, simulation/plan_options.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "describe.h"
#include "simulation/method_table.h"
#include "simulation/plan_options.h"

namespace trammel::app {
namespace {

using Json = nlohmann::ordered_json;

bool has_unit(const simulation::PlanOption& option) {
  const std::string_view unit = option.unit;
  return !unit.empty() && unit != "1";
}

// "above 0", "1 to 1024"
std::string range_text(const simulation::OptionRange& range) {
  if (std::isfinite(range.low) && std::isfinite(range.high))
    return fmt::format("{:.4g} to {:.4g}", range.low, range.high);
  if (!std::isfinite(range.low)) return {};
  return fmt::format("{} {:g}", range.above ? "above" : "from", range.low);
}

// What may stand there, in words: "number above 0, s".
std::string value_text(const simulation::PlanOption& option, const char* quote) {
  const auto choices = [&] {
    std::vector<std::string> quoted;
    for (const std::string& choice : option.choices) quoted.push_back(quote + choice + quote);
    return fmt::format("{}", fmt::join(quoted, ", "));
  };
  const std::string range = range_text(option.range);
  const std::string number = fmt::format("number{}{}{}", range.empty() ? "" : " ", range,
                                         has_unit(option) ? fmt::format(", {}", option.unit) : "");
  switch (option.type) {
    case simulation::OptionType::number:
      return number;
    case simulation::OptionType::whole:
      return fmt::format("whole number{}{}", range.empty() ? "" : " ", range);
    case simulation::OptionType::flag:
      return "true or false";
    case simulation::OptionType::choice:
      return choices();
    case simulation::OptionType::names:
      return "list of names";
    case simulation::OptionType::by_owner:
      return fmt::format("{}{}{}; or by name", choices(), option.choices.empty() ? "" : ", or ", number);
    case simulation::OptionType::expression:
      return "expression";
    case simulation::OptionType::expressions:
      return "expressions by name";
    case simulation::OptionType::group:
      return "options of its own";
  }
  return {};
}

std::string fallback_text(const simulation::PlanOption& option) {
  return option.type == simulation::OptionType::group ? "" : option.fallback();
}

// Where a group stands in the file: "simulate.integrator.newmark".
std::string path_of(const std::string& group) {
  for (const simulation::PlanOption& option : simulation::plan_options()) {
    if (option.group() != group) continue;
    const std::string_view key = option.key;
    const std::size_t dot = key.rfind('.');
    if (dot == std::string_view::npos) return "simulate";
    const std::string above(key.substr(0, dot));
    return above == "outputs" ? above : "simulate." + above;
  }
  return group;
}

std::string readers_text(const simulation::PlanOption& option, const char* quote) {
  std::vector<std::string> quoted;
  for (const std::string& name : simulation::readers_of(option.key)) quoted.push_back(quote + name + quote);
  return fmt::format("{}", fmt::join(quoted, ", "));
}

template <class Visit>
void for_each_group(Visit visit) {
  for (const std::string& group : simulation::option_groups()) {
    std::vector<const simulation::PlanOption*> options;
    for (const simulation::PlanOption& option : simulation::plan_options())
      if (option.group() == group) options.push_back(&option);
    visit(group, options);
  }
}

// A table cell: bars would end it.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

Json value_schema(const simulation::PlanOption& option) {
  const auto reference = [](std::string_view name) {
    return Json{{"$ref", fmt::format("#/definitions/{}", name)}};
  };
  const auto described = [&](std::string_view name) {
    return Json{{"allOf", Json::array({reference(name)})}};
  };
  switch (option.type) {
    case simulation::OptionType::number:
      return described("number");
    case simulation::OptionType::whole: {
      Json json = {{"type", {"integer", "string"}}};
      if (std::isfinite(option.range.low)) json["minimum"] = static_cast<int>(option.range.low);
      if (std::isfinite(option.range.high)) json["maximum"] = static_cast<int>(option.range.high);
      return json;
    }
    case simulation::OptionType::flag:
      return {{"type", "boolean"}};
    case simulation::OptionType::choice:
      return {{"enum", option.choices}};
    case simulation::OptionType::names:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case simulation::OptionType::by_owner: {
      Json any = Json::array();
      if (!option.choices.empty()) any.push_back({{"enum", option.choices}});
      any.push_back(reference("number"));
      any.push_back(reference("by constraint"));
      return {{"anyOf", any}};
    }
    case simulation::OptionType::expression:
      return described("expression");
    case simulation::OptionType::expressions:
      return {{"type", "object"},
              {"patternProperties",
               {{"^[A-Za-z_{][A-Za-z0-9_{}+*/() -]*$", {{"$ref", "#/definitions/expression"}}}}},
              {"additionalProperties", false}};
    case simulation::OptionType::group:
      return described(option.name());
  }
  return {};
}

// `integrator` and `stabilization` are a name, or a map of what is below them.
bool has_options_below(const simulation::PlanOption& option) {
  return option.type == simulation::OptionType::choice && !simulation::option_keys(option.name()).empty();
}

Json property(const simulation::PlanOption& option) {
  Json json = value_schema(option);
  if (has_options_below(option))
    json = {{"anyOf", {json, {{"$ref", fmt::format("#/definitions/{}", option.name())}}}}};
  std::string text = option.meaning;
  if (has_unit(option)) text += fmt::format("; {}", option.unit);
  if (const std::string readers = readers_text(option, ""); !readers.empty()) text += ". Read by " + readers;
  if (option.otherwise != nullptr) text += fmt::format(". Default: {}", option.otherwise);
  json["description"] = text + ".";
  if (option.otherwise != nullptr) return json;
  const simulation::OptionValue value = option.get(Plan());
  if (const auto* number = std::get_if<double>(&value)) json["default"] = *number;
  if (const auto* whole = std::get_if<int>(&value)) json["default"] = *whole;
  if (const auto* flag = std::get_if<bool>(&value)) json["default"] = *flag;
  if (const auto* word = std::get_if<std::string>(&value)) json["default"] = *word;
  if (const auto* all = std::get_if<simulation::ByOwner>(&value)) json["default"] = all->word;
  return json;
}

}  // namespace

std::string options_text() {
  std::string out;
  for_each_group([&](const std::string& group, const std::vector<const simulation::PlanOption*>& options) {
    out += fmt::format("{}{}:\n", out.empty() ? "" : "\n", path_of(group));
    for (const simulation::PlanOption* option : options) {
      out += fmt::format("  {:<20}{}\n", option->name(), value_text(*option, ""));
      out += fmt::format("  {:<20}  {}\n", "", option->meaning);
      if (const std::string text = fallback_text(*option); !text.empty())
        out += fmt::format("  {:<20}  default: {}\n", "", text);
      if (const std::string readers = readers_text(*option, ""); !readers.empty())
        out += fmt::format("  {:<20}  read by: {}\n", "", readers);
    }
  });
  return out;
}

std::string options_markdown() {
  std::string out;
  for_each_group([&](const std::string& group, const std::vector<const simulation::PlanOption*>& options) {
    out += fmt::format(
        "{}**`{}`**\n\n| key | value | meaning | default | read by |\n| --- | --- | --- | --- | --- |\n",
        out.empty() ? "" : "\n", path_of(group));
    for (const simulation::PlanOption* option : options)
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", option->name(), cell(value_text(*option, "`")),
                         cell(option->meaning), cell(fallback_text(*option)), readers_text(*option, "`"));
  });
  return out;
}

nlohmann::ordered_json options_schema() {
  Json all = Json::object();
  for_each_group([&](const std::string& group, const std::vector<const simulation::PlanOption*>& options) {
    Json properties = Json::object();
    for (const simulation::PlanOption* option : options)
      properties[std::string(option->name())] = property(*option);
    all[group] = {{"description", fmt::format("Keys of {}.", path_of(group))},
                  {"type", "object"},
                  {"properties", properties},
                  {"additionalProperties", false}};
    if (group == "integrator") all[group]["maxProperties"] = 1;
  });
  return {{"definitions", all}};
}

}  // namespace trammel::app
