// Events of yaml-cpp into a YamlNode tree, with bounds.
#include "model/yaml/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "model/yaml/yaml_mistakes.h"

namespace trammel::model {
namespace {

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const SourceLines& source) : source_(source) {}
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node = make(YamlNode::Kind::null, mark);
    // yaml-cpp marks an empty value where the next one starts: better its key
    if (!stack_.empty() && stack_.back().node.is_map() && stack_.back().node.children.size() % 2 == 1) {
      node.line = stack_.back().node.children.back().line;
      node.column = stack_.back().node.children.back().column;
    }
    add(std::move(node), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    // yaml-cpp reads \N and \_ as one byte each, which is no UTF-8 character.
    if (!is_utf8(value)) fail(mark, "this text has an escape \\N or \\_", "write the character itself");
    if (tag == "!")
      if (const auto open = unclosed_quote(source_, mark.line + 1, mark.column + 1)) throw YamlError(*open);
    YamlNode node = make(YamlNode::Kind::scalar, mark);
    node.text = value;
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(mark, "this alias stands inside the very value it names", "write the value out");
    }
    count(mark, found->second.second);
    add(found->second.first, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override {
    mend_keys(stack_.back().node, errors);
    refuse_bad_keys(stack_.back().node);
    close();
  }

  // Where yaml-cpp stopped; a bracket never closed is better shown than the end of the file.
  YamlError explain(const YAML::Exception& error) const {
    if (!stack_.empty() && error.msg.find("flow not found") != std::string::npos) {
      const YamlNode& open = stack_.back().node;
      return {open.line, open.column, "this bracket is not closed, or a comma is missing after it",
              "check brackets and commas"};
    }
    return explain_syntax(source_, error.mark.line + 1, error.mark.column + 1, error.msg);
  }

  YamlNode root;
  std::vector<YamlError> errors;  // that do not end the reading

 private:
  struct Level {
    YamlNode node;
    YAML::anchor_t anchor;
    std::size_t first;  // number of nodes before it
  };

  [[noreturn]] static void fail(const YAML::Mark& mark, std::string message, std::string remedy) {
    throw YamlError{mark.line + 1, mark.column + 1, std::move(message), std::move(remedy)};
  }

  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    // "?" and "!" are what yaml-cpp calls plain and quoted text
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail(mark, fmt::format("the YAML tag '{}' has no meaning here", tag), "remove it");
    }
  }

  // Refuses merge keys; reports keys that appear again and keeps the first of each.
  void refuse_bad_keys(YamlNode& map) {
    std::unordered_map<std::string, int> seen;  // with the line
    bool indented = true;                       // as far as is known
    std::size_t kept = 0;
    for (std::size_t i = 0; i < map.children.size(); i += 2) {
      const YamlNode& key = map.children[i];
      if (!key.is_scalar()) {
        throw YamlError{key.line, key.column, "a key must be a word", "quote it if it is meant as text"};
      }
      if (key.text == "<<") {
        throw YamlError{key.line, key.column, "merge keys are not supported", "repeat the entries"};
      }
      const auto [first, is_new] = seen.emplace(key.text, key.line);
      if (!is_new) {
        report_again(map, i, first->second, indented);
        continue;
      }
      if (kept != i)
        std::swap_ranges(map.children.begin() + static_cast<std::ptrdiff_t>(i),
                         map.children.begin() + static_cast<std::ptrdiff_t>(i) + 2,
                         map.children.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += 2;
    }
    map.children.resize(kept);
  }

  // A key that appears again right below a key without a value: its whole block lacks indentation, which is
  // reported once.
  void report_again(const YamlNode& map, std::size_t i, int first, bool& indented) {
    const YamlNode& key = map.children[i];
    const bool below_empty = i > 1 && map.children[i - 1].is_null();
    if (indented)
      errors.push_back(
          {key.line, key.column, fmt::format("'{}' appears twice, first in line {}", key.text, first),
           below_empty ? fmt::format("if it belongs to '{}', indent it deeper", map.children[i - 2].text)
                       : "rename or remove one of them"});
    indented = indented && !below_empty;
  }

  void count(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > kMaxYamlNodes) {
      fail(mark,
           fmt::format("the file holds more than {} values once its aliases are expanded", kMaxYamlNodes),
           "use `for:` to repeat entries");
    }
  }

  YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) {
    count(mark, 1);
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_tag(mark, tag);
    if (stack_.size() >= kMaxYamlDepth) {
      fail(mark, fmt::format("nested more than {} levels deep", kMaxYamlDepth), "close the brackets before");
    }
    const std::size_t first = nodes_;
    stack_.push_back({make(kind, mark), anchor, first});
  }

  void close() {
    Level level = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(level.node), level.anchor, nodes_ - level.first);
  }

  void add(YamlNode node, YAML::anchor_t anchor, std::size_t size = 1) {
    if (anchor != 0) anchors_[anchor] = {node, size};
    if (stack_.empty()) {
      root = std::move(node);
    } else {
      stack_.back().node.children.push_back(std::move(node));
    }
  }

  const SourceLines& source_;
  std::vector<Level> stack_;
  std::map<YAML::anchor_t, std::pair<YamlNode, std::size_t>> anchors_;
  std::size_t nodes_ = 0;
};

// The length of the UTF-8 character at the start of the text; 0 if it is none.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  // Longer than need be, half of a surrogate pair, beyond the last character.
  const unsigned second = byte(at + 1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90))
    return 0;
  return length;
}

void refuse_bytes(const std::string& text) {
  if (text.size() > kMaxModelBytes) {
    throw YamlError{1, 1, fmt::format("the file is larger than {} MB", kMaxModelBytes >> 20),
                    "use `for:` to repeat entries"};
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw YamlError{1, 1, "this file is UTF-16 text", "save it as UTF-8"};
  if (text.find('\0') != std::string::npos) {
    throw YamlError{1, 1, "this is a binary file, not text", "give a model file in YAML"};
  }
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) throw YamlError{line, 1, "this line is not UTF-8 text", "save the file as UTF-8"};
    if (text[at] == '\n') ++line;
    at += length;
  }
}

}  // namespace

const YamlNode* YamlNode::find(const std::string& name) const {
  if (!is_map()) return nullptr;
  for (std::size_t i = 0; i < entries(); ++i) {
    if (key(i).text == name) return &value(i);
  }
  return nullptr;
}

YamlNode* YamlNode::find(const std::string& name) {
  return const_cast<YamlNode*>(std::as_const(*this).find(name));
}

std::vector<std::string> YamlNode::keys() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; is_map() && i < entries(); ++i) names.push_back(key(i).text);
  return names;
}

bool is_utf8(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

YamlDocument parse_yaml(const std::string& text) {
  YamlDocument document;
  const SourceLines source(text);
  TreeBuilder builder(source);
  try {
    refuse_bytes(text);
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    TreeBuilder second(source);
    if (parser.HandleNextDocument(second)) {
      throw YamlError{second.root.line, second.root.column, "a second YAML document starts here",
                      "keep one model in a file"};
    }
    document.root = std::move(builder.root);
    document.is_complete = true;
  } catch (const YamlError& error) {
    builder.errors.push_back(error);
  } catch (const YAML::Exception& error) {
    builder.errors.push_back(builder.explain(error));
  }
  document.errors = std::move(builder.errors);
  return document;
}

}  // namespace trammel::model
