#include "model/yaml/yaml_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace trammel::model {
namespace {

[[noreturn]] void refuse_place(int line, const char* why) {
  throw std::invalid_argument(fmt::format("line {} of the text cannot be changed in place: {}", line, why));
}

}  // namespace

YamlSpans::YamlSpans(const std::string& text) : text_(text), lines_{0} {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) lines_.push_back(++at);
}

std::size_t YamlSpans::begin(const YamlNode& node) const {
  const auto line = static_cast<std::size_t>(node.line - 1);
  if (node.line < 1 || line >= lines_.size()) refuse_place(node.line, "it is not there");
  const std::size_t at = lines_[line] + static_cast<std::size_t>(node.column - 1);
  if (at > text_.size()) refuse_place(node.line, "it is not there");
  return at;
}

bool YamlSpans::is_flow(const YamlNode& node) const {
  if (!node.is_map() && !node.is_sequence()) return false;
  const std::size_t at = begin(node);
  return at < text_.size() && (text_[at] == '{' || text_[at] == '[');
}

std::size_t YamlSpans::end(const YamlNode& node, bool in_flow) const {
  const std::size_t at = begin(node);
  if (at >= text_.size()) refuse_place(node.line, "the value has no end");
  const char first = text_[at];
  if (std::string_view("&*!|>").find(first) != std::string_view::npos)
    refuse_place(node.line, "it has an anchor, an alias or a text of several lines");
  if (first == '"' || first == '\'') return behind_quotes(at);
  if (is_flow(node)) return behind_brackets(at);
  if (node.is_map() && node.entries() > 0) return entry_end(node, node.entries() - 1, in_flow);
  if (node.is_sequence() && !node.children.empty()) return end(node.children.back(), in_flow);
  return behind_plain(at, in_flow);
}

std::size_t YamlSpans::entry_end(const YamlNode& map, std::size_t i, bool in_flow) const {
  const YamlNode &key = map.key(i), &value = map.value(i);
  const std::size_t colon = behind_key(key);
  if (!value.is_null()) {
    // An alias has the place of what it stands for.
    if (begin(value) < colon || (i + 1 < map.entries() && begin(value) > begin(map.key(i + 1))))
      refuse_place(key.line, "its value is an alias");
    return end(value, in_flow || is_flow(value));
  }
  const std::size_t word = text_.find_first_not_of(' ', colon);
  if (word == std::string::npos || text_[word] == '\n' || text_[word] == '#' || text_[word] == ',' ||
      text_[word] == '}')
    return colon;
  return behind_plain(word, in_flow);
}

std::size_t YamlSpans::behind_key(const YamlNode& key) const {
  std::size_t at = begin(key);
  if (at < text_.size() && (text_[at] == '"' || text_[at] == '\'')) at = behind_quotes(at);
  const std::size_t colon = text_.find(':', at);
  if (colon == std::string::npos) refuse_place(key.line, "its key has no colon");
  return colon + 1;
}

std::size_t YamlSpans::behind_quotes(std::size_t at) const {
  const char quote = text_[at];
  for (++at; at < text_.size(); ++at) {
    if (quote == '"' && text_[at] == '\\')
      ++at;
    else if (quote == '\'' && text_.compare(at, 2, "''") == 0)
      ++at;
    else if (text_[at] == quote)
      return at + 1;
  }
  return text_.size();
}

std::size_t YamlSpans::behind_brackets(std::size_t at) const {
  int depth = 0;
  while (at < text_.size()) {
    const char c = text_[at];
    const char before = at > 0 ? text_[at - 1] : ' ';
    const bool starts_value = std::string_view(" ,:[{\n").find(before) != std::string_view::npos;
    if ((c == '"' || c == '\'') && starts_value) {
      at = behind_quotes(at);
      continue;
    }
    if (c == '#' && (before == ' ' || before == '\n')) {
      at = line_end(at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    ++at;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return text_.size();
}

std::size_t YamlSpans::behind_plain(std::size_t at, bool in_flow) const {
  std::size_t end = at;
  for (; at < text_.size() && text_[at] != '\n'; ++at) {
    if (in_flow && std::string_view(",}]").find(text_[at]) != std::string_view::npos) break;
    if (text_[at] == '#' && at > 0 && text_[at - 1] == ' ') break;
    if (text_[at] != ' ' && text_[at] != '\r') end = at + 1;
  }
  return end;
}

std::size_t YamlSpans::line_begin(std::size_t at) const {
  return *(std::upper_bound(lines_.begin(), lines_.end(), at) - 1);
}

std::size_t YamlSpans::line_end(std::size_t at) const {
  const auto next = std::upper_bound(lines_.begin(), lines_.end(), at);
  return next == lines_.end() ? text_.size() : *next;
}

}  // namespace trammel::model
