// `simulate:` and `outputs:`, the file's own plan. Which options there are is in simulation/plan_options.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "formulations/rows/row_parameters.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/sections.h"
#include "model/reader/values.h"
#include "simulation/plan_check.h"
#include "simulation/plan_options.h"
#include "simulation/resolve.h"
#include "system/system.h"

namespace trammel::model {
namespace {

constexpr const char* kDefault = "default";

// What may own constraints, in the order of the file's sections.
std::vector<std::string> constraint_names(const Mechanism& mechanism) {
  std::vector<std::string> names;
  const auto add = [&](const auto& list) {
    for (const auto& one : list) names.push_back(one.name);
  };
  add(mechanism.bodies);
  add(mechanism.joints);
  add(mechanism.drivers);
  if (mechanism.generalized) add(mechanism.generalized->constraints);
  return names;
}

// Where an option stands in the file; null: it is not given.
const YamlNode* place_of(const YamlNode& root, const simulation::PlanOption& option) {
  std::string_view key = option.key;
  const YamlNode* node = key.starts_with("outputs.") ? &root : root.find("simulate");
  while (node != nullptr && !key.empty()) {
    const std::size_t dot = std::min(key.find('.'), key.size());
    node = node->find(std::string(key.substr(0, dot)));
    key.remove_prefix(std::min(dot + 1, key.size()));
  }
  return node;
}

// One option of the plan, read as its type asks.
class OptionReader {
 public:
  OptionReader(ModelContext& context, const simulation::PlanOption& option)
      : context_(context), option_(option), label_(option.name()) {}

  void read(const YamlNode& node) {
    if (const auto value = value_of(node)) option_.set(context_.mechanism.plan, *value);
  }

 private:
  std::optional<simulation::OptionValue> value_of(const YamlNode& node) {
    switch (option_.type) {
      case simulation::OptionType::number:
        return number(node);
      case simulation::OptionType::whole:
        return whole(node);
      case simulation::OptionType::flag:
        return read_bool(context_, node, label_);
      case simulation::OptionType::choice:
        return read_choice(context_, node, label_, option_.choices);
      case simulation::OptionType::names:
        return read_words(context_, node, label_);
      case simulation::OptionType::by_owner:
        return by_owner(node);
      default:
        return std::nullopt;
    }
  }

  std::optional<double> number(const YamlNode& node) {
    const auto number = read_number(context_, node, label_, option_.unit);
    return number && is_within(node, *number) ? number : std::nullopt;
  }

  std::optional<int> whole(const YamlNode& node) {
    const auto number = read_integer(context_, node, label_);
    return number && is_within(node, *number) ? number : std::nullopt;
  }

  bool is_within(const YamlNode& node, double number) {
    const simulation::OptionRange& range = option_.range;
    if (number > range.low || (number == range.low && !range.above))
      if (number <= range.high) return true;
    const bool is_whole = option_.type == simulation::OptionType::whole;
    if (std::isfinite(range.high)) {
      context_.error(node,
                     fmt::format("{}: {} is outside {:.3g} to {:.3g}", label_, number, range.low, range.high),
                     is_whole ? "give a number of this range"
                              : "outside this range the rule is unstable or inconsistent");
    } else if (range.above || range.low > 0) {
      context_.error(node, fmt::format("{}: '{}' is not positive", label_, node.text),
                     is_whole ? "give a whole number above zero" : "give a number above zero");
    } else {
      context_.error(node, fmt::format("{}: '{}' is negative", label_, node.text),
                     is_whole ? "give 0, 1, 2, …, or leave it out" : "give zero or more");
    }
    return false;
  }

  bool is_word(const YamlNode& node) const {
    return std::find(option_.choices.begin(), option_.choices.end(), node.text) != option_.choices.end();
  }

  // One value, or {default: 10, hinge: 20}: for all constraints or joints, and by name.
  std::optional<simulation::ByOwner> by_owner(const YamlNode& node) {
    simulation::ByOwner value;
    if (!node.is_map()) {
      for_all(node, value);
      return value;
    }
    for (std::size_t i = 0; i < node.entries(); ++i) {
      const YamlNode &name = node.key(i), &own = node.value(i);
      if (name.text == kDefault)
        for_all(own, value);
      else if (!check_owner(name))
        continue;
      else if (is_word(own) && own.text == kAutomatic)
        value.of[name.text] = 0;
      else if (const auto one = number(own))
        value.of[name.text] = *one;
    }
    return value;
  }

  void for_all(const YamlNode& node, simulation::ByOwner& value) {
    if (is_word(node))
      value.word = node.text;
    else
      value.common = number(node);
  }

  bool check_owner(const YamlNode& name) {
    const std::vector<std::string> known = constraint_names(context_.mechanism);
    if (context_.names_are_incomplete || std::find(known.begin(), known.end(), name.text) != known.end())
      return true;
    const std::string other = context_.meaning(name.text);
    context_.error(name,
                   fmt::format("{}: there is no body, joint, driver or constraint '{}'", label_, name.text),
                   other.empty() ? suggest(name.text, known, "name one, or default")
                                 : fmt::format("'{}' is a {}", name.text, other));
    return false;
  }

  ModelContext& context_;
  const simulation::PlanOption& option_;
  std::string label_;
};

// The maps below `simulate:`, each with its own keys.
void check_groups(ModelContext& context, const YamlNode& simulate) {
  for (const char* group : {"projection", "independent", "modular"})
    if (const YamlNode* node = simulate.find(group)) Fields(context, *node, *node, group);
}

// Names that must exist in the model: where relative coordinates open loops.
void check_open(ModelContext& context, const YamlNode& node) {
  for (const YamlNode& name : node.children)
    if (!context.mechanism.joint(name.text) && !context.mechanism.body(name.text))
      context.error(name, fmt::format("open: there is no joint or body named '{}'", name.text),
                    "name joints or bodies of the model, at which its loops are opened");
}

// {newmark: {beta: 0.3, gamma: 0.6}}, {hht: -0.1}: the key names the rule, what is below it is options of its
// own.
void read_rule(ModelContext& context, const YamlNode& node) {
  const Fields rule(context, node, node, "integrator");
  const std::string name = first_key(node, simulation::option_keys("integrator"));
  if (name.empty()) return;
  if (node.entries() > 1) context.error(node, "integrator: more than one rule", "keep one");
  context.mechanism.plan.integrator = name;
  if (const YamlNode* newmark = node.find("newmark")) Fields(context, *newmark, *newmark, "newmark");
}

void read_given(ModelContext& context, const YamlNode& root, const std::string& section) {
  Plan& plan = context.mechanism.plan;
  for (const simulation::PlanOption& option : simulation::plan_options()) {
    if (std::string_view(option.key).starts_with("outputs.") != (section == "outputs")) continue;
    const YamlNode* node = place_of(root, option);
    if (node == nullptr) continue;
    const std::string_view key = option.key;
    if (key == "integrator" && node->is_map()) {
      read_rule(context, *node);
    } else if (key == "stabilization" && node->is_map()) {
      Fields(context, *node, *node, "stabilization");
      option.set(plan, std::string("given"));
    } else if (key == "open" && !node->is_sequence()) {
      context.error(*node, "open: a list of names is missing", "write open: [C], with the joints to open");
    } else {
      OptionReader(context, option).read(*node);
    }
    if (key == "open") check_open(context, *node);
    if (key == "coordinates")
      if (const std::string problem = simulation::misfit(context.mechanism, plan.coordinates);
          !problem.empty())
        context.error(*node, "coordinates: " + problem, "");
  }
}

}  // namespace

void read_simulate(ModelContext& context, const YamlNode& root) {
  Plan& plan = context.mechanism.plan;
  if (context.mechanism.generalized) plan.coordinates = name_of(CoordinatesKind::generalized);
  const YamlNode* node = root.find("simulate");
  if (node == nullptr || node->is_null()) return;
  const Fields fields(context, *node, *node, "simulate");
  check_groups(context, *node);
  read_given(context, root, "simulate");
  if (const YamlNode* condition = fields.find("stop-when"))
    context.mechanism.stop_when =
        read_expression(context, *condition, "stop-when", "", mechanism::Scope::outputs);
}

void check_unread_options(ModelContext& context, const YamlNode& root) {
  const ResolvedPlan plan = simulation::resolve(context.mechanism.plan);
  std::string above;  // an option that is not read; what is below it is not reported again
  for (const simulation::PlanOption& option : simulation::plan_options()) {
    const YamlNode* node = place_of(root, option);
    if (node == nullptr || option.type == simulation::OptionType::group || node->text == kAutomatic) continue;
    if (std::string_view(option.key) == "integrator" && simulation::is_own_rule(plan.formulation))
      context.error(*node,
                    fmt::format("integrator: {} is its own integration rule", name_of(plan.formulation)),
                    "leave it out");
    else if (!simulation::reads(plan, option.key) &&
             (above.empty() || !std::string_view(option.key).starts_with(above))) {
      const simulation::Unread why = simulation::why_unread(plan, option.key);
      context.error(*node, why.message, why.remedy);
      above = std::string(option.key) + ".";
    }
  }
}

void check_constraint_owners(ModelContext& context, const YamlNode& root) {
  const Plan& plan = context.mechanism.plan;
  if (plan.penalty_of.empty() && plan.omega_of.empty() && plan.mu_of.empty()) return;
  std::shared_ptr<const system::System> system;
  try {
    system = system::compile(context.mechanism, system::coordinates_of(simulation::resolve(plan)));
  } catch (const std::invalid_argument&) {
    return;  // said when the model is to run
  }
  for (const char* key : {"penalty", "omega", "mu"}) {
    const YamlNode* node = root.find("simulate")->find(key);
    for (std::size_t i = 0; node != nullptr && node->is_map() && i < node->entries(); ++i) {
      const YamlNode& name = node->key(i);
      if (name.text == kDefault || formulations::owns_row(*system, name.text)) continue;
      const bool shared = context.points.count(name.text) > 0;
      context.error(name,
                    fmt::format("{}: '{}' has no constraint equation of its own{}", key, name.text,
                                shared ? ", as bodies that share a point need none" : ""),
                    formulations::name_an_owner(*system));
    }
  }
}

void read_outputs(ModelContext& context, const YamlNode& root) {
  const YamlNode* node = root.find("outputs");
  if (node == nullptr || node->is_null()) return;
  const Fields fields(context, *node, *node, "outputs");
  read_given(context, root, "outputs");
  for_each_entry(context, *node, "columns", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "column")) return;
    const std::size_t before = context.expressions.size();
    context.mechanism.outputs[key.text] =
        read_expression(context, value, key.text, "", mechanism::Scope::outputs);
    if (context.expressions.size() > before) context.expressions.back().definition = key.text;
  });
}

}  // namespace trammel::model
