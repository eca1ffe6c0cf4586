#include "model/writer/plan_json.h"

#include <algorithm>
#include <array>

#include "simulation/method_table.h"
#include "simulation/plan_options.h"
#include "simulation/resolve.h"

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;

// A file names these even where they are the default.
constexpr std::array<std::string_view, 5> kAlways = {"duration", "step", "coordinates", "formulation",
                                                     "integrator"};
constexpr std::string_view kOutputs = "outputs.", kRule = "integrator.";

Json value_json(const simulation::ByOwner& value) {
  const Json common = value.common ? Json(*value.common) : value.word.empty() ? Json() : Json(value.word);
  if (value.of.empty()) return common;
  Json all = Json::object();
  if (!common.is_null()) all["default"] = common;
  for (const auto& [name, number] : value.of) all[name] = number == 0 ? Json(kAutomatic) : Json(number);
  return all;
}

Json value_json(const simulation::OptionValue& value) {
  return std::visit(
      [](const auto& one) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::monostate>)
          return nullptr;
        else if constexpr (std::is_same_v<std::decay_t<decltype(one)>, simulation::ByOwner>)
          return value_json(one);
        else
          return one;
      },
      value);
}

// "projection.sweeps" becomes {projection: {sweeps: …}}.
void put(Json& into, std::string_view key, const Json& value) {
  const std::size_t dot = key.find('.');
  Json& here = into[std::string(key.substr(0, dot))];
  if (dot == std::string_view::npos) {
    here = value;
    return;
  }
  if (!here.is_object()) here = Json::object();
  put(here, key.substr(dot + 1), value);
}

// A parameter of a rule that is not the plan's.
bool of_another_rule(std::string_view key, const Plan& plan) {
  if (!key.starts_with(kRule)) return false;
  key.remove_prefix(kRule.size());
  return key.substr(0, key.find('.')) != plan.integrator;
}

Json options_json(const Plan& plan, Written written, bool of_outputs) {
  const ResolvedPlan resolved = written == Written::complete ? simulation::resolve(plan) : ResolvedPlan();
  Json all = Json::object();
  for (const simulation::PlanOption& option : simulation::plan_options()) {
    std::string_view key = option.key;
    if (key.starts_with(kOutputs) != of_outputs || of_another_rule(key, plan)) continue;
    const simulation::OptionValue value = option.get(plan);
    const bool is_always =
        key.starts_with(kRule) || std::find(kAlways.begin(), kAlways.end(), key) != kAlways.end();
    const bool wanted = written == Written::complete ? simulation::reads(resolved, key)
                                                     : is_always || value != option.get(Plan());
    if (!wanted) continue;
    if (of_outputs) key.remove_prefix(kOutputs.size());
    if (const Json json = value_json(value); !json.is_null() && json != Json::array()) put(all, key, json);
  }
  return all;
}

}  // namespace

Json simulate_options(const Plan& plan, Written written) { return options_json(plan, written, false); }
Json output_options(const Plan& plan, Written written) { return options_json(plan, written, true); }

Json plan_json(const Plan& plan, const ResolvedPlan& resolved) {
  Json choices = Json::array();
  for (const auto& [option, value, reason] : resolved.choices)
    choices.push_back({{"option", option}, {"value", value}, {"reason", reason}});
  return {{"simulate", simulate_options(plan, Written::complete)},
          {"outputs", output_options(plan, Written::complete)},
          {"resolved",
           {{"coordinates", name_of(resolved.coordinates)},
            {"formulation", name_of(resolved.formulation)},
            {"integrator",
             simulation::is_own_rule(resolved.formulation) ? "its own" : name_of(resolved.integrator)},
            {"choices", choices}}}};
}

}  // namespace trammel::model
