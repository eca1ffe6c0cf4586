#include "model/reader/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "expressions/nearest_name.h"
#include "model/reader/keys.h"

namespace trammel::model {
namespace {

// Sections of named entries that are maps with the keys of the family of the same name.
constexpr std::array kSections = {"points", "bodies", "joints", "drivers", "forces", "stops"};

bool is_section(const std::string& key) { return std::ranges::find(kSections, key) != kSections.end(); }

bool is_one_of(const std::string& key, const std::vector<std::string>& keys) {
  return std::ranges::find(keys, key) != keys.end();
}

void make_map(YamlNode& node) {
  if (node.is_null()) node.kind = YamlNode::Kind::map;
}

// Moves the entries first … last − 1 of a map to the end of another.
void move_entries(YamlNode& from, std::size_t first, std::size_t last, YamlNode& to) {
  make_map(to);
  const auto begin = from.children.begin() + static_cast<std::ptrdiff_t>(2 * first),
             end = from.children.begin() + static_cast<std::ptrdiff_t>(2 * last);
  std::move(begin, end, std::back_inserter(to.children));
  from.children.erase(begin, end);
}

// Entries of a section that stand at the left edge, as if they were sections.
void mend_entries_at_edge(ModelContext& context, YamlNode& root) {
  const std::vector<std::string>& known = key_group("model").keys;
  const auto is_lost = [&](std::size_t i) {
    const YamlNode& key = root.key(i);
    return !is_one_of(key.text, known) && !root.value(i).is_null() &&
           expressions::nearest_name(key.text, known).empty();
  };
  for (std::size_t i = 1; i < root.entries(); ++i) {
    const std::string section = root.key(i - 1).text;
    YamlNode& above = root.value(i - 1);
    if (!is_section(section) || !(above.is_map() || above.is_null()) || !is_lost(i)) continue;
    std::size_t end = i + 1;
    while (end < root.entries() && is_lost(end)) ++end;
    if (root.key(i).line <= root.key(i - 1).line) continue;  // not a line of its own
    const std::string more =
        end - i == 1
            ? ""
            : fmt::format(" and {} below it", end - i == 2 ? "the one" : std::to_string(end - i - 1));
    context.error(root.key(i),
                  fmt::format("'{}'{} at the left edge, and so not in `{}:` above", root.key(i).text,
                              end - i == 1 ? " stands" : more + " stand", section),
                  fmt::format("indent the entries of `{}:`, by two spaces say", section));
    YamlNode entries = std::move(above);
    move_entries(root, i, end, entries);
    root.value(i - 1) = std::move(entries);
  }
}

// Keys of an entry that stand below it with its own indentation, as if they were entries.
void mend_keys_beside_entry(ModelContext& context, const std::string& section, YamlNode& entries) {
  const std::vector<std::string> keys = family_keys(section);
  bool reported = false;
  for (std::size_t i = 0; i + 1 < entries.entries(); ++i) {
    std::size_t end = i + 1;
    while (end < entries.entries() && is_one_of(entries.key(end).text, keys)) ++end;
    if (!entries.value(i).is_null() || end == i + 1) continue;
    if (!reported)
      context.error(entries.key(i + 1),
                    fmt::format("'{}' has the indentation of '{}', and so is not a part of it",
                                entries.key(i + 1).text, entries.key(i).text),
                    fmt::format("indent the keys of '{}' deeper than its name", entries.key(i).text));
    reported = true;
    YamlNode entry = entries.value(i);
    move_entries(entries, i + 1, end, entry);
    entries.value(i) = std::move(entry);
  }
  if (!reported) return;
  // What else is empty has lost its keys in the same way.
  for (std::size_t i = 0; i < entries.entries();) {
    if (!entries.value(i).is_null()) {
      ++i;
      continue;
    }
    YamlNode dropped;
    move_entries(entries, i, i + 1, dropped);
    context.names_are_incomplete = true;
  }
}

// A section that is indented, as if it were an entry of the section above.
void mend_indented_section(ModelContext& context, const std::string& section, YamlNode& entries,
                           YamlNode& root) {
  const std::vector<std::string> keys = family_keys(section);
  for (std::size_t i = 0; i < entries.entries(); ++i) {
    const YamlNode& key = entries.key(i);
    const YamlNode& value = entries.value(i);
    if (!is_section(key.text) || root.find(key.text) != nullptr || !value.is_map()) continue;
    if (std::ranges::any_of(value.keys(), [&](const std::string& k) { return is_one_of(k, keys); })) continue;
    context.error(key, fmt::format("`{}:` is indented, and so an entry of `{}:`", key.text, section),
                  "start it at the left edge, and its entries two spaces from there");
    YamlNode moved;
    move_entries(entries, i, i + 1, moved);
    root.children.insert(root.children.end(), moved.children.begin(), moved.children.end());
    return;  // `entries` may have moved with the root's children
  }
}

}  // namespace

void mend_layout(ModelContext& context, YamlNode& root) {
  mend_entries_at_edge(context, root);
  for (const char* section : kSections) {
    if (YamlNode* entries = root.find(section); entries != nullptr && entries->is_map()) {
      mend_keys_beside_entry(context, section, *entries);
      mend_indented_section(context, section, *entries, root);
    }
  }
}

}  // namespace trammel::model
