#include "mutate_model.h"

#include <map>

#include "mechanism/force_kinds.h"
#include "mechanism/joint_kinds.h"
#include "messages.h"
#include "model/reader/keys.h"
#include "model/yaml/yaml_flow.h"
#include "model/yaml/yaml_tree.h"
#include "simulation/plan_options.h"
#include "trammel/methods.h"
#include "tree_mutator.h"

namespace trammel::fuzz {
namespace {

// An entry with the keys of a kind: places, axes and numbers where one may be.
Tree entry_of(const std::vector<mechanism::KindField>& fields) {
  Tree entry;
  for (const mechanism::KindField& field : fields) {
    if (!field.required && entry.size() > 3) continue;
    const std::string type = field.type;
    if (type.find("number") != std::string::npos || type.find("expression") != std::string::npos)
      entry[field.key] = 1;
    else if (type.find("axis") != std::string::npos || type.find("vector") != std::string::npos)
      entry[field.key] = {0, 0, 1};
    else
      entry[field.key] = {"ground", "A"};
  }
  return entry;
}

Vocabulary model_vocabulary() {
  Vocabulary v;
  for (const model::KeyGroup& group : model::key_groups()) v.key_groups.push_back(group.keys);
  for (const auto& kind : mechanism::joint_kinds())
    if (!kind.fields.empty()) v.parts.push_back(entry_of(kind.fields));
  for (const auto& kind : mechanism::force_kinds())
    if (!kind.fields.empty()) v.parts.push_back(entry_of(kind.fields));
  for (const simulation::PlanOption& option : simulation::plan_options())
    v.words.insert(v.words.end(), option.choices.begin(), option.choices.end());
  v.words.insert(v.words.end(), kFormulationNames.begin(), kFormulationNames.end());
  v.words.insert(v.words.end(), kIntegratorNames.begin(), kIntegratorNames.end());
  v.words.insert(v.words.end(), kCoordinatesNames.begin(), kCoordinatesNames.end());
  v.words.insert(v.words.end(), {"ground", "true", "1..3", "N{i}", "world", "body", "xy"});
  for (const char* part :
       {R"({"rod": ["O", "A"], "mass": 1})", R"({"point": "A", "mass": 1})",
        R"({"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0], "carries": ["A"]})",
        R"({"angle": "A", "equals": "t"})", R"({"position": "A", "equals": ["t", null]})",
        R"({"joint": "A", "lower": -1, "upper": 1})", R"({"spline": [[0, 0], [1, 1], [2, 0]]})",
        R"({"at": [1, 0], "on": "ground"})", R"({"derivative": "t", "initial": 0})",
        R"({"velocity": [1, 0, 0], "angular-velocity": 1})", R"({"for": {"i": "1..3"}})"})
    v.parts.push_back(Tree::parse(part));
  return v;
}

const Vocabulary& vocabulary() {
  static const Vocabulary kVocabulary = model_vocabulary();
  return kVocabulary;
}

Tree tree_of(const model::YamlNode& node) {
  if (node.is_scalar()) return node.text;
  if (node.is_null()) return nullptr;
  Tree tree = node.is_map() ? Tree::object() : Tree::array();
  for (std::size_t i = 0; node.is_map() && i < node.entries(); ++i)
    tree[node.key(i).text] = tree_of(node.value(i));
  if (node.is_sequence())
    for (const model::YamlNode& child : node.children) tree.push_back(tree_of(child));
  return tree;
}

Tree parsed(const std::string& text) {
  const model::YamlDocument document = model::parse_yaml(text);
  return document.is_complete && document.root.is_map() ? tree_of(document.root) : Tree();
}

// Numbers stand without quotes, as people write them.
std::string yaml_of(const Tree& tree) {
  std::string out;
  for (const auto& [key, section] : tree.items()) {
    out += model::yaml_text(key) + ":";
    if (!section.is_object() || section.empty()) {
      out += " " + model::yaml_flow(section) + "\n";
      continue;
    }
    out += "\n";
    for (const auto& [name, entry] : section.items())
      out += "  " + model::yaml_text(name) + ": " + model::yaml_flow(entry) + "\n";
  }
  return out;
}

// The way to something in the tree, or to a key that could stand there.
std::string path_in(const Tree& tree, TreeMutator& mutator) {
  std::string path;
  const Tree* at = &tree;
  while (at->is_object() && !at->empty() && (path.empty() || mutator.below(4) != 0)) {
    const std::string dot = path.empty() ? "" : ".";
    if (mutator.below(5) == 0) return path + dot + mutator.key_for(*at);
    auto child = at->begin();
    std::advance(child, static_cast<std::ptrdiff_t>(mutator.below(at->size())));
    path += dot + child.key();
    at = &child.value();
  }
  return path;
}

}  // namespace

std::string mutated_settings(const std::string& text, const std::string& model, unsigned seed) try {
  static std::map<std::string, Tree> trees;  // models are few, settings many
  if (!trees.contains(model)) trees[model] = parsed(model);
  TreeMutator mutator(vocabulary(), seed);
  std::vector<std::string> lines = lines_of(text);
  const std::size_t k = mutator.below(lines.size() + 1);
  const std::string setting = path_in(trees[model], mutator) + "=" + model::yaml_flow(mutator.value());
  if (k == lines.size())
    lines.push_back(setting);
  else if (mutator.below(4) == 0)
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(k));
  else
    lines[k] = setting;
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
} catch (const Tree::exception&) {
  return text;
}

std::string mutated_model(const std::string& text, unsigned seed) try {
  Tree tree = parsed(text);
  if (!tree.is_object()) return text;
  TreeMutator(vocabulary(), seed).mutate(tree);
  return tree.is_object() ? yaml_of(tree) : text;
} catch (const Tree::exception&) {  // texts that JSON cannot say
  return text;
}

std::string crossed_models(const std::string& text, const std::string& other, unsigned seed) try {
  Tree tree = parsed(text);
  const Tree from = parsed(other);
  if (!tree.is_object() || !from.is_object()) return text;
  TreeMutator(vocabulary(), seed).cross(tree, from);
  return tree.is_object() ? yaml_of(tree) : text;
} catch (const Tree::exception&) {
  return text;
}

}  // namespace trammel::fuzz
