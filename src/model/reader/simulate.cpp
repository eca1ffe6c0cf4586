// `simulate:` and `outputs:`, the file's own plan.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "formulations/rows/row_parameters.h"
#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/sections.h"
#include "model/reader/values.h"
#include "simulation/plan_check.h"
#include "system/system.h"

namespace trammel {
namespace {

constexpr const char* kDefault = "default";

std::vector<std::string> or_automatic(std::vector<std::string> names) {
  names.emplace_back(kAutomatic);
  return names;
}

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

class PlanReader {
 public:
  PlanReader(ModelContext& context, const YamlNode& where, const YamlNode& node)
      : context_(context), fields_(context, where, node, "simulate"), plan_(context.mechanism.plan) {}

  void read() {
    positive(fields_, "duration", "s", plan_.duration);
    positive(fields_, "step", "s", plan_.step);
    if (const YamlNode* node = fields_.find("coordinates")) read_coordinates(*node);
    if (const YamlNode* node = fields_.find("open")) read_open(*node);
    choose(fields_, "formulation", or_automatic(known_formulations()), plan_.formulation);
    choose(fields_, "solver", known_solvers(), plan_.solver);
    if (const YamlNode* node = fields_.find("integrator")) read_integrator(*node);
    plan_.penalty = by_constraint("penalty", "1", plan_.penalty_of);
    positive(fields_, "constraint-scale", "1", plan_.constraint_scale);
    if (const YamlNode* node = fields_.find("projection")) read_projection(*node);
    if (const YamlNode* node = fields_.find("stabilization")) read_stabilization(*node);
    plan_.omega = by_constraint("omega", "rad/s", plan_.omega_of);
    plan_.mu = by_constraint("mu", "1", plan_.mu_of).value_or(plan_.mu);
    if (fields_.find("iterations")) read_iterations();
    if (const YamlNode* node = fields_.find("modular")) read_modular(*node);
    if (const YamlNode* node = fields_.find("independent")) read_independent(*node);
    whole(fields_, "order", plan_.algebraic_order);
    choose(fields_, "gyroscopic", known_gyroscopic(), plan_.gyroscopic);
    if (fields_.find("solve")) {
      std::string how = "whole";
      choose(fields_, "solve", {"whole", "schur"}, how);
      plan_.schur = how == "schur";
    }
    positive(fields_, "tolerance", "1", plan_.tolerance);
    if (plan_.tolerance > 0 && !fields_.has("step")) plan_.step = 0;
    positive(fields_, "convergence", "1", plan_.convergence);
    whole(fields_, "max-iterations", plan_.max_iterations);
    plan_.strict = fields_.flag("strict", plan_.strict);
    if (const YamlNode* node = fields_.find("stop-when"))
      context_.mechanism.stop_when = read_expression(context_, *node, "stop-when", "");
  }

 private:
  std::optional<double> positive(const YamlNode& node, const std::string& key, const char* unit) {
    const auto number = read_number(context_, node, key, unit);
    if (!number || *number > 0) return number;
    context_.error(node, fmt::format("{}: '{}' is not positive", key, node.text), "give a number above zero");
    return std::nullopt;
  }

  void positive(const Fields& fields, const std::string& key, const char* unit, double& value) {
    if (const YamlNode* node = fields.find(key)) value = positive(*node, key, unit).value_or(value);
  }

  void read_coordinates(const YamlNode& node) {
    choose(fields_, "coordinates", known_coordinates(), plan_.coordinates);
    const std::string problem = misfit(context_.mechanism, plan_.coordinates);
    if (!problem.empty()) context_.error(node, "coordinates: " + problem, "");
  }

  // Where relative coordinates open loops: joints or bodies by name.
  void read_open(const YamlNode& node) {
    if (!node.is_sequence())
      return context_.error(node, "open: a list of names is missing",
                            "write open: [C], with the joints to open");
    for (const YamlNode& name : node.children) {
      if (context_.mechanism.joint(name.text) || context_.mechanism.body(name.text))
        plan_.open.push_back(name.text);
      else
        context_.error(name, fmt::format("open: there is no joint or body named '{}'", name.text),
                       "name the joints, or bodies, at which loops shall be opened");
    }
  }

  // One number, or {default: 10, hinge: 20}: for all constraints, which is returned, and by what owns them.
  std::optional<double> by_constraint(const std::string& key, const char* unit,
                                      std::map<std::string, double>& of_owner) {
    const YamlNode* node = fields_.find(key);
    if (node == nullptr) return std::nullopt;
    const auto for_all = [&](const YamlNode& value) -> std::optional<double> {
      if (key == "penalty" && value.text == "automatic") return std::nullopt;
      return positive(value, key, unit);
    };
    if (!node->is_map()) return for_all(*node);
    std::optional<double> common;
    for (std::size_t i = 0; i < node->entries(); ++i) {
      const YamlNode &name = node->key(i), &value = node->value(i);
      if (name.text == kDefault)
        common = for_all(value);
      else if (!check_owner(name, key))
        continue;
      else if (key == "penalty" && value.text == "automatic")
        of_owner[name.text] = 0;
      else if (const auto number = positive(value, key, unit))
        of_owner[name.text] = *number;
    }
    return common;
  }

  bool check_owner(const YamlNode& name, const std::string& key) {
    const std::vector<std::string> known = constraint_names(context_.mechanism);
    if (context_.names_are_incomplete || std::find(known.begin(), known.end(), name.text) != known.end())
      return true;
    const std::string other = context_.meaning(name.text);
    context_.error(name,
                   fmt::format("{}: there is no body, joint, driver or constraint '{}'", key, name.text),
                   other.empty() ? suggest(name.text, known, "name one, or default")
                                 : fmt::format("'{}' is a {}", name.text, other));
    return false;
  }

  void inside(const Fields& fields, const std::string& key, double low, double high, double& value) {
    const YamlNode* node = fields.find(key);
    const auto number = node == nullptr ? std::nullopt : read_number(context_, *node, key, "1");
    if (!number) return;
    if (*number >= low && *number <= high) {
      value = *number;
    } else {
      context_.error(*node, fmt::format("{}: {} is outside {:.3g} to {:.3g}", key, *number, low, high),
                     "outside this range the rule is unstable or inconsistent");
    }
  }

  void whole(const Fields& fields, const std::string& key, int& value) {
    const YamlNode* node = fields.find(key);
    const auto number = node == nullptr ? std::nullopt : read_integer(context_, *node, key);
    if (!number) return;
    if (*number > 0) {
      value = *number;
    } else {
      context_.error(*node, fmt::format("{}: '{}' is not positive", key, node->text),
                     "give a whole number above zero");
    }
  }

  void choose(const Fields& fields, const std::string& key, const std::vector<std::string>& choices,
              std::string& value) {
    if (const YamlNode* node = fields.find(key))
      value = read_choice(context_, *node, key, choices).value_or(value);
  }

  // A name, or a name with its parameters: {newmark: {beta: 0.3, gamma: 0.6}}, {hht: -0.1}
  void read_integrator(const YamlNode& node) {
    if (!node.is_map()) {
      choose(fields_, "integrator", or_automatic(known_integrators()), plan_.integrator);
      return;
    }
    const Fields rule(context_, node, node, "integrator");
    const std::string name = first_key(node, {"newmark", "hht", "generalized-alpha"});
    if (name.empty()) return;
    if (node.entries() > 1) context_.error(node, "integrator: more than one rule", "keep one");
    plan_.integrator = name;
    if (name == "hht") return inside(rule, name, -1.0 / 3, 0, plan_.hht_alpha);
    if (name == "generalized-alpha") return inside(rule, name, 0, 1, plan_.spectral_radius);
    const YamlNode& parameters = *node.find(name);
    const Fields newmark(context_, parameters, parameters, "newmark");
    inside(newmark, "gamma", 0.5, 1, plan_.newmark_gamma);
    inside(newmark, "beta", 0.01, 1, plan_.newmark_beta);
  }

  // A rule that takes a and b from the step, or a and b themselves.
  void read_stabilization(const YamlNode& node) {
    plan_.stabilized = true;
    if (!node.is_map()) return choose(fields_, "stabilization", {"welch", "joli"}, plan_.stabilization);
    plan_.stabilization = "given";
    const Fields fields(context_, node, node, "stabilization");
    positive(fields, "a", "1/s", plan_.stabilization_a);
    positive(fields, "b", "1/s", plan_.stabilization_b);
  }

  void read_iterations() {
    const YamlNode& node = *fields_.find("iterations");
    const auto number = read_integer(context_, node, "iterations");
    if (!number) return;
    if (*number >= 0) {
      plan_.alf_iterations = *number;
    } else {
      context_.error(node, fmt::format("iterations: '{}' is negative", node.text),
                     "give 0, 1, 2, …, or leave it out");
    }
  }

  // automatic, published, a number, or numbers by joint: {default: 1.5, hinge: 0.4}
  void read_rho(const YamlNode& node) {
    ModularPlan& plan = plan_.modular;
    const auto for_all = [&](const YamlNode& value) {
      plan.rho = value.text;
      if (value.text == "automatic" || value.text == "published") return;
      plan.rho = "given";
      plan.rho_given = positive(value, "rho", "").value_or(1);
    };
    if (!node.is_map()) return for_all(node);
    for (std::size_t i = 0; i < node.entries(); ++i) {
      const YamlNode &name = node.key(i), &value = node.value(i);
      if (name.text == kDefault)
        for_all(value);
      else if (check_owner(name, "rho"))
        if (const auto number = positive(value, "rho", "")) plan.rho_of[name.text] = *number;
    }
  }

  void read_modular(const YamlNode& node) {
    const Fields fields(context_, node, node, "modular");
    ModularPlan& plan = plan_.modular;
    choose(fields, "uzawa", {"plain", "accelerated"}, plan.uzawa);
    if (const YamlNode* rho = fields.find("rho")) read_rho(*rho);
    choose(fields, "criterion", {"joint", "published"}, plan.criterion);
    positive(fields, "tolerance", "1", plan.tolerance);
    whole(fields, "sweeps", plan.max_sweeps);
    whole(fields, "threads", plan.threads);
    if (const YamlNode* start = fields.find("start"))
      if (const auto choice = read_choice(context_, *start, "start", {"warm", "cold"}))
        plan.warm_start = *choice == "warm";
  }

  void read_independent(const YamlNode& node) {
    const Fields fields(context_, node, node, "independent");
    choose(fields, "choice", known_independent_choices(), plan_.independent_choice);
    choose(fields, "integrate", known_independent_integrations(), plan_.independent_integrate);
    positive(fields, "tolerance", "1", plan_.hybrid_tolerance);
    if (const YamlNode* names = fields.find("coordinates"))
      plan_.independent_coordinates =
          read_words(context_, *names, "coordinates", 0).value_or(std::vector<std::string>());
  }

  void read_projection(const YamlNode& node) {
    const Fields fields(context_, node, node, "projection");
    choose(fields, "metric", {"tangent", "mass"}, plan_.projection_metric);
    whole(fields, "sweeps", plan_.projection_sweeps);
    whole(fields, "every", plan_.projection_every);
    if (fields.find("positions")) plan_.project_positions = fields.flag("positions", false);
    if (fields.find("velocities")) plan_.project_velocities = fields.flag("velocities", true);
    if (fields.find("accelerations")) plan_.project_accelerations = fields.flag("accelerations", true);
    choose(fields, "reactions", known_projection_reactions(), plan_.projection_reactions);
    choose(fields, "route", known_projection_routes(), plan_.projection_route);
  }

  ModelContext& context_;
  Fields fields_;
  Plan& plan_;
};

}  // namespace

void read_simulate(ModelContext& context, const YamlNode& root) {
  if (context.mechanism.generalized) context.mechanism.plan.coordinates = "generalized";
  const YamlNode* node = root.find("simulate");
  if (node == nullptr || node->is_null()) return;
  PlanReader(context, *node, *node).read();
}

void check_constraint_owners(ModelContext& context, const YamlNode& root) {
  const Plan& plan = context.mechanism.plan;
  if (plan.penalty_of.empty() && plan.omega_of.empty() && plan.mu_of.empty()) return;
  std::shared_ptr<const System> system;
  try {
    system = compile(context.mechanism, coordinates_of(plan));
  } catch (const std::invalid_argument&) {
    return;  // said when the model is to run
  }
  for (const char* key : {"penalty", "omega", "mu"}) {
    const YamlNode* node = root.find("simulate")->find(key);
    for (std::size_t i = 0; node != nullptr && node->is_map() && i < node->entries(); ++i) {
      const YamlNode& name = node->key(i);
      if (name.text == kDefault || owns_row(*system, name.text)) continue;
      const bool shared = context.points.count(name.text) > 0;
      context.error(name,
                    fmt::format("{}: '{}' has no constraint equation of its own{}", key, name.text,
                                shared ? ", as bodies that share a point need none" : ""),
                    name_an_owner(*system));
    }
  }
}

void read_outputs(ModelContext& context, const YamlNode& root) {
  const YamlNode* node = root.find("outputs");
  if (node == nullptr || node->is_null()) return;
  const Fields fields(context, *node, *node, "outputs");
  Plan& plan = context.mechanism.plan;
  if (const YamlNode* interval = fields.find("interval")) {
    plan.output_interval = read_number(context, *interval, "interval", "s").value_or(0);
    if (plan.output_interval < 0) {
      context.error(*interval, fmt::format("interval: '{}' is negative", interval->text),
                    "give the time between two rows");
    }
  }
  if (const YamlNode* axes = fields.find("axes")) {
    const std::string choice =
        read_choice(context, *axes, "axes", {"world", "joint", "both"}).value_or("world");
    plan.reaction_axes = choice == "joint"  ? ReactionAxes::joint
                         : choice == "both" ? ReactionAxes::both
                                            : ReactionAxes::world;
  }
  if (const YamlNode* reactions = fields.find("reactions"))
    plan.reactions =
        read_choice(context, *reactions, "reactions", known_reactions()).value_or(plan.reactions);
  for_each_entry(context, *node, "columns", [&](const YamlNode& key, const YamlNode& value) {
    if (!context.declare(key, key.text, "column")) return;
    context.mechanism.outputs[key.text] = read_expression(context, value, key.text, "");
  });
}

}  // namespace trammel
