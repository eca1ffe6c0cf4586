#include "sweep/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "model/yaml/yaml_flow.h"
#include "model/yaml/yaml_tree.h"

namespace trammel::sweep {
namespace {

using model::YamlNode;

YamlNode root_of(const Mechanism& mechanism) { return model::parse_yaml(mechanism.text).root; }

YamlNode scalar(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  return node;
}

// The value at a dotted path; null: there is none, and `errors` says so.
YamlNode* find_path(YamlNode& root, const std::string& path, std::vector<std::string>& errors) {
  YamlNode* at = &root;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('.', from), path.size());
    const std::string step = path.substr(from, to - from);
    YamlNode* next = nullptr;
    if (at->is_sequence()) {
      std::size_t index = 0;
      const auto read = std::from_chars(step.data(), step.data() + step.size(), index);
      if (read.ec == std::errc() && read.ptr == step.data() + step.size() && index < at->children.size())
        next = &at->children[index];
    } else {
      next = at->find(step);
    }
    if (next == nullptr) {
      errors.push_back(fmt::format("there is no '{}' in the model: '{}' is not there; {}", path, step,
                                   expressions::choice_advice(step, at->keys())));
      return nullptr;
    }
    at = next;
    from = to + 1;
  }
  if (at->is_scalar()) return at;
  errors.push_back(fmt::format("'{}' is not a number of the model; name one of its values", path));
  return nullptr;
}

std::vector<std::string> texts_of(const YamlNode& node, const std::string& key) {
  std::vector<std::string> texts;
  if (node.is_scalar()) return {node.text};
  if (!node.is_sequence())
    throw std::invalid_argument(fmt::format("sweep: {} is no list; write {}: [a, b]", key, key));
  for (const YamlNode& item : node.children) {
    if (!item.is_scalar())
      throw std::invalid_argument(
          fmt::format("sweep: {} has an entry that is no text; write {}: [a, b]", key, key));
    texts.push_back(item.text);
  }
  return texts;
}

// {L: 0.2:0.4:50, m: [1, 2]} → "L=0.2:0.4:50", "m=1,2".
std::vector<std::string> assignments(const YamlNode& node, const std::string& key, char sign) {
  if (!node.is_map()) return texts_of(node, key);
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < node.entries(); ++k) {
    std::string value;
    for (const std::string& item : texts_of(node.value(k), key + "." + node.key(k).text))
      value += (value.empty() ? "" : ", ") + item;
    texts.push_back(node.key(k).text + sign + value);
  }
  return texts;
}

std::uint64_t whole_number(const YamlNode& node, const std::string& key) {
  std::uint64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto read = std::from_chars(node.text.data(), end, value);
  if (!node.is_scalar() || read.ec != std::errc() || read.ptr != end)
    throw std::invalid_argument(fmt::format("sweep: {} is '{}'; give a whole number", key, node.text));
  return value;
}

}  // namespace

std::vector<std::string> varied_names(const SweepSpec& spec, const std::string& table) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& text, char sign) {
    std::string name = text.substr(0, text.find(sign));
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name.starts_with("parameters.")) name.erase(0, std::string_view("parameters.").size());
    names.push_back(name);
  };
  for (const std::string& text : spec.vary) add(text, '=');
  if (!spec.table.empty()) {
    try {
      for (const std::string& name : read_run_table(table, spec.table).names) names.push_back(name);
    } catch (const std::invalid_argument&) {
      names.clear();
    }
  }
  for (const std::string& text : spec.sample) add(text, '~');
  return names;
}

Mechanism with_path_parameters(const Mechanism& mechanism, const std::vector<std::string>& names,
                               PathParameters& paths, std::vector<std::string>& errors) {
  const auto is_path = [](const std::string& name) { return name.find('.') != std::string::npos; };
  if (std::ranges::none_of(names, is_path)) return mechanism;
  YamlNode root = root_of(mechanism);
  if (!root.is_map()) {
    errors.emplace_back("values are varied by their path only in models that were read from a file");
    return mechanism;
  }
  const std::size_t before = errors.size();
  for (const std::string& path : names) {
    if (!is_path(path) || paths.contains(path)) continue;
    YamlNode* value = find_path(root, path, errors);
    if (value == nullptr) continue;
    std::string name = path;
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    while (mechanism.parameters.contains(name)) name += '_';
    YamlNode kept = scalar(value->text);
    value->text = name;
    paths[path] = name;
    YamlNode* section = root.find("parameters");
    if (section == nullptr) {
      root.children.push_back(scalar("parameters"));
      root.children.emplace_back();
      section = &root.children.back();
      section->kind = YamlNode::Kind::map;
    }
    section->children.push_back(scalar(name));
    section->children.push_back(std::move(kept));
  }
  if (errors.size() > before) return mechanism;
  ModelInput changed = read_model_text(model::yaml_of(root), "", {}, UnreadOptions::allowed);
  for (const InputError& error : changed.errors)
    errors.push_back(fmt::format("a value that is varied by its path cannot be a parameter: {}; {}",
                                 error.message, error.remedy));
  if (changed.mechanism.name.empty()) changed.mechanism.name = mechanism.name;
  return std::move(changed.mechanism);
}

}  // namespace trammel::sweep

namespace trammel {

SweepSpec sweep_section(const Mechanism& mechanism) {
  using sweep::assignments;
  SweepSpec spec;
  const model::YamlNode root = sweep::root_of(mechanism);
  const model::YamlNode* section = root.find("sweep");
  if (section == nullptr) return spec;
  for (std::size_t k = 0; k < section->entries(); ++k) {
    const std::string& key = section->key(k).text;
    const model::YamlNode& value = section->value(k);
    if (key == "vary") spec.vary = assignments(value, key, '=');
    if (key == "sample") spec.sample = assignments(value, key, '~');
    if (key == "observe") spec.observe = assignments(value, key, '=');
    if (key == "table") spec.table = value.text;
    if (key == "design") spec.design = value.text;
    if (key == "runs") spec.runs = sweep::whole_number(value, key);
    if (key == "seed") spec.seed = sweep::whole_number(value, key);
    if (key == "verify") spec.verify = value.text == "on" || value.text == "true" || value.text == "yes";
  }
  return spec;
}

}  // namespace trammel
