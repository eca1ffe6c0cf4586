// `subsystems:`, the groups of bodies that formulation modular solves by themselves.
#include <fmt/format.h>

#include "model/reader/entries.h"
#include "model/reader/fields.h"
#include "model/reader/sections.h"
#include "model/reader/values.h"
#include "simulation/method_table.h"

namespace trammel::model {
namespace {

void read_bodies(ModelContext& context, const YamlNode& node, Subsystem& subsystem) {
  const auto names = read_words(context, node, "bodies");
  if (!names) return;
  for (std::size_t i = 0; i < names->size(); ++i)
    if (context.find_body(node.is_sequence() ? node.children[i] : node, (*names)[i]))
      subsystem.bodies.push_back((*names)[i]);
}

// trapezoidal, central-differences, or {newmark: {beta: 0.3, gamma: 0.6}}
void read_rule(ModelContext& context, const YamlNode& node, Subsystem& subsystem) {
  if (!node.is_map()) {
    const auto rule =
        read_choice(context, node, "integrator", {"trapezoidal", "central-differences", "newmark"});
    if (rule && *rule == "central-differences") subsystem.newmark_beta = 0;
    return;
  }
  const Fields rule(context, node, node, "subsystem integrator");
  const YamlNode* newmark = rule.need("newmark", "write {newmark: {beta: …, gamma: …}}");
  if (newmark == nullptr) return;
  const Fields fields(context, *newmark, *newmark, "newmark");
  subsystem.newmark_beta = fields.number("beta", "1", subsystem.newmark_beta);
  subsystem.newmark_gamma = fields.number("gamma", "1", subsystem.newmark_gamma);
}

void read_subsystem(ModelContext& context, const YamlNode& key, const YamlNode& value) {
  Subsystem subsystem;
  subsystem.name = key.text;
  subsystem.where = {key.line, key.column};
  const Fields fields(context, key, value, "subsystem");
  if (const YamlNode* bodies = fields.need("bodies", "list the bodies that belong to it"))
    read_bodies(context, *bodies, subsystem);
  const auto choose = [&](const char* name, const std::vector<std::string>& choices, std::string& into) {
    if (const YamlNode* node = fields.find(name))
      into = read_choice(context, *node, name, choices).value_or(into);
  };
  choose("coordinates", simulation::known_inner_coordinates(), subsystem.coordinates);
  choose("formulation", simulation::known_inner_formulations(), subsystem.formulation);
  if (const YamlNode* rule = fields.find("integrator")) read_rule(context, *rule, subsystem);
  if (const YamlNode* substeps = fields.find("substeps"))
    subsystem.substeps = read_integer(context, *substeps, "substeps").value_or(subsystem.substeps);
  context.mechanism.subsystems.push_back(std::move(subsystem));
}

}  // namespace

void read_subsystems(ModelContext& context, const YamlNode& root) {
  for_each_entry(context, root, "subsystems", [&](const YamlNode& key, const YamlNode& value) {
    if (context.declare(key, key.text, "subsystem")) read_subsystem(context, key, value);
  });
}

}  // namespace trammel::model
