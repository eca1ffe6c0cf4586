// A dotted path into the tree, and the value there replaced.
//
// Every step of the path must exist, but for a section or a fixed key that the file leaves at its default:
// whether that key exists is for the reader to say, as for any other.
#include "model/reader/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/reader/keys.h"

namespace trammel::model {
namespace {

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> steps;
  std::size_t start = 0;
  while (true) {
    const std::size_t dot = path.find('.', start);
    steps.push_back(path.substr(start, dot - start));
    if (dot == std::string::npos) return steps;
    start = dot + 1;
  }
}

void mark_all(YamlNode& node, int line) {
  node.line = line;
  node.column = 0;
  for (YamlNode& child : node.children) mark_all(child, line);
}

YamlNode& append(YamlNode& map, const std::string& name, int line) {
  YamlNode key;
  key.kind = YamlNode::Kind::scalar;
  key.text = name;
  key.line = line;
  map.kind = YamlNode::Kind::map;
  map.children.push_back(std::move(key));
  map.children.emplace_back();
  map.children.back().line = line;
  return map.children.back();
}

// Sections whose keys are names of the person's own: a new one would be silently useless.
bool has_own_names(const std::vector<std::string>& steps, std::size_t depth) {
  return depth == 1 && steps[0] != "simulate" && steps[0] != "outputs";
}

// The size of all steps, unless a tolerance of the file makes it a limit.
void remove_fixed_step(YamlNode& root) {
  YamlNode* simulate = root.find("simulate");
  if (simulate == nullptr || !simulate->is_map() || simulate->find("tolerance") != nullptr) return;
  for (std::size_t i = 0; i < simulate->entries(); ++i) {
    if (simulate->key(i).text != "step") continue;
    const auto key = simulate->children.begin() + static_cast<std::ptrdiff_t>(2 * i);
    simulate->children.erase(key, key + 2);
    return;
  }
}

YamlNode* walk(ModelContext& context, YamlNode& root, const std::vector<std::string>& steps, int line) {
  YamlNode* node = &root;
  std::string path;
  for (std::size_t depth = 0; depth < steps.size(); ++depth) {
    const std::string& step = steps[depth];
    if (!node->is_map() && !node->is_null()) {
      context.error(line, 0, fmt::format("'{}' has no keys", path), fmt::format("set it whole: {}=…", path));
      return nullptr;
    }
    YamlNode* next = node->find(step);
    const bool is_model_key = depth == 0 && std::ranges::count(key_group("model").keys, step) > 0;
    const bool may_append = is_model_key || (depth > 0 && !has_own_names(steps, depth));
    if (next == nullptr && !may_append) {
      const auto known = depth == 0 ? key_group("model").keys : node->keys();
      context.error(line, 0, fmt::format("there is no '{}' in {}", step, path.empty() ? "the model" : path),
                    suggest(step, known, "name something that the file has"));
      return nullptr;
    }
    node = next != nullptr ? next : &append(*node, step, line);
    path += (depth == 0 ? "" : ".") + step;
  }
  return node;
}

bool is_set(const std::vector<std::string>& settings, const std::string& path) {
  return std::ranges::any_of(settings, [&](const std::string& s) { return setting_path(s) == path; });
}

}  // namespace

std::string setting_path(const std::string& setting) {
  const std::string path = setting.substr(0, setting.find('='));
  return path.starts_with("--") ? "simulate." + path.substr(2) : path;
}

void apply_settings(ModelContext& context, YamlNode& root, const std::vector<std::string>& settings) {
  if (is_set(settings, "simulate.tolerance") && !is_set(settings, "simulate.step")) remove_fixed_step(root);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const int line = -static_cast<int>(i) - 1;
    const std::size_t equals = settings[i].find('=');
    if (equals == std::string::npos || equals == 0) {
      context.error(line, 0, "a setting has the form path=value", "write --set bodies.crank.mass=2");
      continue;
    }
    if (!is_utf8(settings[i])) {
      context.error(line, 0, "this is not UTF-8 text", "name a key of the model file");
      continue;
    }
    YamlDocument value = parse_yaml(settings[i].substr(equals + 1));
    for (const YamlError& error : value.errors) context.error(line, 0, error.message, error.remedy);
    if (!value.errors.empty()) continue;
    if (value.root.is_null()) {
      context.error(line, 0, "the value is empty", "write one behind the '='");
      continue;
    }
    YamlNode* node = walk(context, root, split(setting_path(settings[i])), line);
    if (node == nullptr) continue;
    mark_all(value.root, line);
    *node = std::move(value.root);
  }
}

}  // namespace trammel::model
