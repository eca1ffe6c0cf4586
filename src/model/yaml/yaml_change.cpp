#include "model/yaml/yaml_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <utility>

#include "model/yaml/yaml_flow.h"
#include "model/yaml/yaml_spans.h"

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;
using Path = std::vector<std::string>;

// The order of sections in which a person reads a model: a new one goes behind those before it.
constexpr std::array kSections = {"trammel",   "name",       "plane",    "gravity", "parameters",
                                  "functions", "define",     "points",   "bodies",  "joints",
                                  "drivers",   "stops",      "forces",   "states",  "inputs",
                                  "initial",   "subsystems", "simulate", "outputs"};

std::size_t section_rank(const std::string& section) {
  return static_cast<std::size_t>(std::find(kSections.begin(), kSections.end(), section) - kSections.begin());
}

[[noreturn]] void refuse_change(const Path& path, const char* why) {
  throw std::invalid_argument(fmt::format("{}: {}", fmt::join(path, "."), why));
}

YamlNode node_of(const Json& value) {
  YamlNode node;
  if (value.is_null()) return node;
  node.kind = value.is_object()  ? YamlNode::Kind::map
              : value.is_array() ? YamlNode::Kind::sequence
                                 : YamlNode::Kind::scalar;
  if (node.is_scalar()) node.text = value.is_string() ? value.get<std::string>() : yaml_value(value);
  for (const auto& [key, item] : value.items()) {
    if (!value.is_structured()) break;
    if (value.is_object()) node.children.push_back(node_of(Json(key)));
    node.children.push_back(node_of(item));
  }
  return node;
}

bool same_node(const YamlNode& a, const YamlNode& b) {
  const auto empty = [](const YamlNode& n) { return n.is_null() || (n.is_scalar() && n.text.empty()); };
  if (a.kind != b.kind) return empty(a) && empty(b);
  return a.text == b.text && std::ranges::equal(a.children, b.children, same_node);
}

// A number in any spelling is the same number.
bool says(const YamlNode& node, const Json& value) {
  if (same_node(node, node_of(value))) return true;
  if (!node.is_scalar() || !value.is_number()) return false;
  char* end = nullptr;
  const double read = std::strtod(node.text.c_str(), &end);
  return end != node.text.c_str() && *end == '\0' && read == value.get<double>();
}

// The child that a word of a path names; null: none.
const YamlNode* child_of(const YamlNode& node, const std::string& word) {
  if (node.is_map()) return node.find(word);
  if (!node.is_sequence()) return nullptr;
  char* end = nullptr;
  const unsigned long k = std::strtoul(word.c_str(), &end, 10);
  return *end == '\0' && !word.empty() && k < node.children.size() ? &node.children[k] : nullptr;
}
YamlNode* child_of(YamlNode& node, const std::string& word) {
  return const_cast<YamlNode*>(child_of(std::as_const(node), word));
}

// What a change does to the tree.
void change_tree(YamlNode& node, std::span<const std::string> path, const std::optional<Json>& value) {
  if (path.empty()) {
    node = node_of(*value);
    return;
  }
  YamlNode* next = child_of(node, path[0]);
  if (next == nullptr) {
    node.kind = YamlNode::Kind::map;
    node.text.clear();
    node.children.push_back(node_of(Json(path[0])));
    node.children.emplace_back();
    next = &node.children.back();
  }
  if (path.size() > 1 || value) return change_tree(*next, path.subspan(1), value);
  const auto at = next - node.children.data();
  node.children.erase(node.children.begin() + at - 1, node.children.begin() + at + 1);
}

// Single changes, none of a map as a whole, that make the tree say the value.
void split_change(const YamlNode& node, const Json& value, const Path& path, std::vector<YamlChange>& out) {
  const auto below = [&](const std::string& word) {
    Path longer = path;
    longer.push_back(word);
    return longer;
  };
  if (says(node, value)) return;
  if (node.is_map() && value.is_object() && !value.empty()) {
    for (const std::string& key : node.keys())
      if (!value.contains(key)) out.push_back({below(key), std::nullopt});
    for (const auto& [key, item] : value.items())
      if (const YamlNode* old = node.find(key))
        split_change(*old, item, below(key), out);
      else
        out.push_back({below(key), item});
    return;
  }
  if (node.is_sequence() && value.is_array() && node.children.size() == value.size()) {
    for (std::size_t k = 0; k < value.size(); ++k)
      split_change(node.children[k], value[k], below(std::to_string(k)), out);
    return;
  }
  out.push_back({path, value});
}

// One change of a text that has been read.
class YamlPen {
 public:
  YamlPen(std::string text, YamlNode root) : text_(std::move(text)), root_(std::move(root)), spans_(text_) {}

  std::string write(const YamlChange& change) {
    std::vector<const YamlNode*> maps = {&root_};
    bool in_flow = spans_.is_flow(root_);
    const YamlNode* old = nullptr;
    for (;;) {
      if (maps.back()->is_scalar()) refuse_change(change.path, "this is a single value, which has no parts");
      old = child_of(*maps.back(), change.path[maps.size() - 1]);
      if (old == nullptr || maps.size() == change.path.size()) break;
      in_flow = in_flow || spans_.is_flow(*old);
      maps.push_back(old);
    }
    const YamlNode& map = *maps.back();
    if (!change.value) {
      if (old == nullptr || !map.is_map()) refuse_change(change.path, "there is no such entry");
      return remove(maps, old);
    }
    if (old != nullptr) return replace(map, *old, *change.value, in_flow);
    if (map.is_sequence()) refuse_change(change.path, "this is a list, which has no such key");
    Json value = *change.value;
    for (std::size_t k = change.path.size(); k-- > maps.size();)
      value = Json::object({{change.path[k], value}});
    return insert(map, change.path[maps.size() - 1], value, in_flow, maps.size() - 1);
  }

 private:
  static std::size_t index_of(const YamlNode& map, const YamlNode& value) {
    return static_cast<std::size_t>(&value - map.children.data()) / 2;
  }

  std::string with(std::size_t begin, std::size_t end, const std::string& put) const {
    return text_.substr(0, begin) + put + text_.substr(end);
  }

  std::string replace(const YamlNode& map, const YamlNode& old, const Json& value, bool in_flow) const {
    if (!map.is_map()) return with(spans_.begin(old), spans_.end(old, in_flow), yaml_value(value));
    const std::size_t i = index_of(map, old), end = spans_.entry_end(map, i, in_flow);
    const bool is_block = (old.is_map() || old.is_sequence()) && !spans_.is_flow(old);
    if (!old.is_null() && !is_block) return with(spans_.begin(old), end, yaml_value(value));
    // From the colon on.
    const YamlNode& key = map.key(i);
    const std::size_t colon = text_.find(':', spans_.begin(key) + key.text.size());
    return with(colon + 1, end, " " + yaml_value(value));
  }

  // The only entry of a map goes with the map's own entry.
  std::string remove(std::vector<const YamlNode*> maps, const YamlNode* old) const {
    while (maps.back()->entries() == 1 && maps.size() > 1 && maps[maps.size() - 2]->is_map()) {
      old = maps.back();
      maps.pop_back();
    }
    const YamlNode& map = *maps.back();
    const std::size_t i = index_of(map, *old);
    if (!spans_.is_flow(map)) {
      const std::size_t begin = spans_.line_begin(spans_.begin(map.key(i)));
      return with(begin, spans_.line_end(spans_.entry_end(map, i, false) - 1), "");
    }
    if (i + 1 < map.entries()) return with(spans_.begin(map.key(i)), spans_.begin(map.key(i + 1)), "");
    const std::size_t begin = i == 0 ? spans_.begin(map.key(0)) : spans_.entry_end(map, i - 1, true);
    return with(begin, spans_.entry_end(map, i, true), "");
  }

  std::string insert(const YamlNode& map, const std::string& key, const Json& value, bool in_flow,
                     std::size_t depth) const {
    const std::string entry = yaml_text(key) + ": " + yaml_value(value);
    if (depth == 0 && !in_flow) return insert_section(key, value);
    if (depth == 1 && map.children.empty()) return insert_first(map, entry);
    if (map.is_null()) refuse_change({key}, "the entry that should hold it is empty");
    if (spans_.is_flow(map)) {
      const std::size_t last =
          map.entries() > 0 ? spans_.entry_end(map, map.entries() - 1, true) : spans_.begin(map) + 1;
      return with(last, last, (map.entries() > 0 ? ", " : "") + entry);
    }
    const std::size_t at = spans_.line_end(spans_.end(map, in_flow) - 1);
    const std::string indent(static_cast<std::size_t>(map.key(0).column - 1), ' ');
    return with(at, at, newline_before(at) + indent + entry + "\n");
  }

  std::string newline_before(std::size_t at) const { return at > 0 && text_[at - 1] != '\n' ? "\n" : ""; }

  // Into a section that is there and empty: `bodies: {}`.
  std::string insert_first(const YamlNode& section, const std::string& entry) const {
    for (std::size_t i = 0; i < root_.entries(); ++i)
      if (&root_.value(i) == &section) {
        const std::size_t colon = text_.find(':', spans_.begin(root_.key(i))) + 1;
        return with(colon, spans_.entry_end(root_, i, false), "\n  " + entry);
      }
    refuse_change({entry}, "its section is not there");
  }

  std::string insert_section(const std::string& key, const Json& value) const {
    std::size_t at = 0;
    bool found = false;
    for (std::size_t i = 0; i < root_.entries(); ++i)
      if (section_rank(root_.key(i).text) < section_rank(key)) {
        at = spans_.line_end(spans_.entry_end(root_, i, false) - 1);
        found = true;
      }
    if (!found && root_.entries() > 0) at = spans_.line_begin(spans_.begin(root_.key(0)));
    std::string lines = yaml_text(key) + ":";
    const bool by_line =
        value.is_object() && !value.empty() && section_rank(key) >= section_rank("parameters");
    if (!by_line) lines += " " + yaml_value(value) + "\n";
    if (by_line) {
      lines += "\n";
      for (const auto& [name, item] : value.items())
        lines += "  " + yaml_text(name) + ": " + yaml_value(item) + "\n";
    }
    return with(at, at, newline_before(at) + lines);
  }

  std::string text_;
  YamlNode root_;
  YamlSpans spans_;
};

YamlNode read_tree(const std::string& text) {
  YamlDocument document = parse_yaml(text);
  if (!document.is_complete || !document.errors.empty())
    throw std::invalid_argument("the text is not valid YAML: " + document.errors.at(0).message);
  if (!document.root.is_map()) throw std::invalid_argument("the text is not a map of keys");
  return std::move(document.root);
}

// Maps that a removal leaves without entries are gone too; new entries may stand anywhere in their map.
bool same_map(const YamlNode& a, const YamlNode& b) {
  if (!a.is_map() || !b.is_map()) return same_node(a, b);
  if (a.entries() != b.entries()) return false;
  for (std::size_t i = 0; i < a.entries(); ++i) {
    const YamlNode* other = b.find(a.key(i).text);
    if (other == nullptr || !same_map(a.value(i), *other)) return false;
  }
  return true;
}

void drop_empty(YamlNode& node) {
  if (!node.is_map()) return;
  for (std::size_t i = node.entries(); i-- > 0;) {
    drop_empty(node.value(i));
    if (node.value(i).is_map() && node.value(i).children.empty())
      node.children.erase(node.children.begin() + static_cast<std::ptrdiff_t>(2 * i),
                          node.children.begin() + static_cast<std::ptrdiff_t>(2 * i) + 2);
  }
}

}  // namespace

std::string change_yaml(std::string text, const YamlChange& change) {
  if (change.path.empty()) throw std::invalid_argument("a change needs a path");
  const YamlNode root = read_tree(text);
  std::vector<YamlChange> single;
  const YamlNode* old = &root;
  for (const std::string& word : change.path)
    if (old != nullptr) old = child_of(*old, word);
  if (change.value && old != nullptr)
    split_change(*old, *change.value, change.path, single);
  else
    single.push_back(change);
  for (const YamlChange& one : single) {
    YamlNode wanted = read_tree(text);
    std::string next = YamlPen(text, wanted).write(one);
    change_tree(wanted, one.path, one.value);
    YamlNode found = read_tree(next);
    drop_empty(wanted);
    drop_empty(found);
    if (!same_map(wanted, found)) refuse_change(one.path, "the text cannot be changed in place there");
    text = std::move(next);
  }
  return text;
}

}  // namespace trammel::model
