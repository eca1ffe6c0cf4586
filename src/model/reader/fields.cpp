// Keys that fit, misspelt ones, missing ones.
#include "model/reader/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "expressions/nearest_name.h"
#include "model/reader/keys.h"

namespace trammel::model {
namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string with_article(const std::string& noun) {
  const bool is_plural_or_name = noun == "simulate" || noun == "outputs" || noun == "initial conditions" ||
                                 noun == "inertia" || noun == "newmark";
  if (is_plural_or_name) return noun;
  return (std::string("aeiou").find(noun[0]) != std::string::npos ? "an " : "a ") + noun;
}

// The kind that a name means, as people elsewhere call it or misspelt; empty: none.
std::string known_kind(const std::string& name, const std::vector<std::string>& kinds) {
  static constexpr std::pair<const char*, const char*> kOtherNames[] = {
      {"hinge", "revolute"},   {"pin", "revolute"},    {"rotational", "revolute"},
      {"slider", "prismatic"}, {"slide", "prismatic"}, {"translational", "prismatic"},
      {"ball", "spherical"},   {"weld", "fixed"},      {"rigid", "fixed"},
      {"cardan", "universal"}, {"hooke", "universal"}, {"slot", "point-on-line"},
      {"helical", "screw"},    {"motor", "torque"},    {"damper", "spring"}};
  for (const auto& [other, kind] : kOtherNames)
    if (name == other && contains(kinds, kind)) return kind;
  return expressions::nearest_name(name, kinds);
}

}  // namespace

Fields::Fields(ModelContext& context, const YamlNode& where, const YamlNode& map, const std::string& group)
    : context_(context), where_(where), map_(map), group_(group) {
  const KeyGroup& keys = key_group(group);
  if (!map.is_map()) {
    has_unknown_ = true;
    context.error(map.is_null() ? where : map,
                  fmt::format("expected the keys of {}, found {}", with_article(group), describe(map)),
                  fmt::format("write {{{}: …}}", keys.keys.front()));
    return;
  }
  for (std::size_t i = 0; i < map.entries(); ++i) {
    const YamlNode& key = map.key(i);
    if (contains(keys.keys, key.text)) continue;
    has_unknown_ = true;
    const std::vector<std::string> family = family_keys(keys.family);
    const std::string list = fmt::format("{} has: {}", with_article(group), fmt::join(keys.keys, ", "));
    if (contains(family, key.text)) {
      context.error(key, fmt::format("'{}' does not belong to {}", key.text, with_article(group)), list);
      continue;
    }
    std::string nearest = expressions::nearest_name(key.text, keys.keys);
    if (nearest.empty()) nearest = expressions::nearest_name(key.text, family);
    context.error(key, fmt::format("unknown key '{}'", key.text),
                  nearest.empty() ? list : fmt::format("did you mean '{}'?", nearest));
  }
}

const YamlNode* Fields::need(const std::string& key, const std::string& remedy) const {
  const YamlNode* node = find(key);
  if (node == nullptr && !has_unknown_) {
    context_.error(where_, fmt::format("{} needs the key '{}'", with_article(group_), key),
                   remedy.empty() ? fmt::format("add `{}:`", key) : remedy);
  }
  return node;
}

void Fields::refuse(const std::string& key, const std::string& message, const std::string& remedy) const {
  for (std::size_t i = 0; map_.is_map() && i < map_.entries(); ++i) {
    if (map_.key(i).text == key) context_.error(map_.key(i), fmt::format("{}: {}", key, message), remedy);
  }
}

double Fields::number(const std::string& key, const char* unit, double fallback) const {
  const YamlNode* node = find(key);
  return node == nullptr ? fallback : read_number(context_, *node, key, unit).value_or(fallback);
}

double Fields::need_number(const std::string& key, const char* unit, const std::string& remedy) const {
  return need(key, remedy) == nullptr ? 0 : number(key, unit, 0);
}

bool Fields::flag(const std::string& key, bool fallback) const {
  const YamlNode* node = find(key);
  return node == nullptr ? fallback : read_bool(context_, *node, key).value_or(fallback);
}

std::string first_key(const YamlNode& map, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (map.find(key) != nullptr) return key;
  }
  return {};
}

void report_no_kind(ModelContext& context, const YamlNode& where, const YamlNode& map,
                    const std::string& what, const std::vector<std::string>& kinds) {
  const std::string list = fmt::format("a {} is one of: {}", what, fmt::join(kinds, ", "));
  for (std::size_t i = 0; map.is_map() && i < map.entries(); ++i) {
    const std::string nearest = known_kind(map.key(i).text, kinds);
    if (nearest.empty()) continue;
    context.error(map.key(i), fmt::format("unknown key '{}'", map.key(i).text),
                  fmt::format("did you mean '{}'?", nearest));
    return;
  }
  context.error(where, fmt::format("the {} '{}' has no kind", what, where.text), list);
}

}  // namespace trammel::model
