#include "model/yaml/yaml_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trammel::model {
namespace {

constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

bool is_digit_character(char c) { return c >= '0' && c <= '9'; }

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit_character(c) || c == '_' || c == '-';
}

std::string_view without_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_comment(std::string_view line) {
  return without_blanks(line.substr(0, std::min(line.find(" #"), line.size())));
}

int indentation(std::string_view line) {
  return static_cast<int>(std::min(line.find_first_not_of(' '), line.size()));
}

// A character in the indentation that is no plain space.
std::optional<YamlError> wrong_space(const SourceLines& source, int number) {
  const std::string_view line = source.line(number);
  const std::string_view rest = line.substr(static_cast<std::size_t>(indentation(line)));
  if (rest.starts_with('\t'))
    return YamlError{number, 1, "this line is indented with a tab, which YAML does not allow", "use spaces"};
  if (rest.starts_with(kNoBreakSpace))
    return YamlError{number, 1, "this line is indented with a no-break space, which YAML does not allow",
                     "use plain spaces"};
  return std::nullopt;
}

// A line that the parser took for the continuation of the one above: no ": " in it.
std::optional<YamlError> without_colon(const SourceLines& source, int number) {
  const std::string_view line = source.line(number), code = without_comment(line);
  if (code.empty() || code.ends_with(':') || code.find(": ") != std::string_view::npos) return std::nullopt;
  const int column = indentation(line) + 1;
  const std::size_t colon = code.find(':');
  if (colon != std::string_view::npos)
    return YamlError{number, column + static_cast<int>(colon), "a space is missing after the colon",
                     fmt::format("write `{}: {}`", code.substr(0, colon), code.substr(colon + 1))};
  const std::size_t equals = code.find('=');
  const bool is_word = std::all_of(code.begin(), code.end(), is_word_character);
  return YamlError{number, column, fmt::format("'{}' has no colon", code),
                   is_word ? fmt::format("write `{}:`", code)
                   : equals != std::string_view::npos
                       ? fmt::format("write `{}: {}`", without_blanks(code.substr(0, equals)),
                                     without_blanks(code.substr(equals + 1)))
                       : "write `key: value`"};
}

std::string spaces(int count) { return fmt::format("{} space{}", count, count == 1 ? "" : "s"); }

// A line whose indentation fits no line above.
std::optional<YamlError> wrong_indentation(const SourceLines& source, int number) {
  const int above = source.above(number);
  if (above == 0) return std::nullopt;
  const int here = indentation(source.line(number)), there = indentation(source.line(above));
  if (here == there) return std::nullopt;
  return YamlError{
      number, here + 1,
      fmt::format("this line is indented by {}, which fits no entry above it: line {} is indented by {}",
                  spaces(here), above, spaces(there)),
      "give the entries of one map the same indentation"};
}

// "1" of "-1", "12" of "a + 12".
bool ends_with_digit(const YamlNode& node) {
  return node.is_scalar() && !node.text.empty() && is_digit_character(node.text.back());
}

// Whether the second stands right behind the first and a comma: one pair of brackets, no space between.
bool is_adjacent(const YamlNode& first, const YamlNode& second) {
  return first.is_scalar() && second.is_scalar() && first.line == second.line && first.line > 0 &&
         first.column + static_cast<int>(first.text.size()) + 1 == second.column;
}

// "1000 kg" of 1 and "000 kg", where the comma may be one of thousands; empty: it cannot.
std::string as_thousands(const std::string& whole, const std::string& rest) {
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits == 3 && whole != "0" ? whole + rest : "";
}

YamlError decimal_comma(const YamlNode& value, const YamlNode& key) {
  const std::string thousands = as_thousands(value.text, key.text);
  return {value.line, value.column,
          fmt::format("'{},{}' has a decimal comma; here a comma ends the value", value.text, key.text),
          fmt::format("write {}.{}{}", value.text, key.text, thousands.empty() ? "" : ", or " + thousands)};
}

// "mass:1 kg" or "mass=1 kg" as key and value; false: it is neither.
bool split_key(const YamlNode& key, YamlNode& name, YamlNode& value) {
  const std::size_t sign = key.text.find_first_of(":=");
  if (sign == 0 || sign == std::string::npos || sign + 1 == key.text.size()) return false;
  if (!std::all_of(key.text.begin(), key.text.begin() + static_cast<std::ptrdiff_t>(sign), is_word_character))
    return false;
  name = value = key;
  name.text = key.text.substr(0, sign);
  value.text = without_blanks(std::string_view(key.text).substr(sign + 1));
  value.column += static_cast<int>(sign) + 1;
  return !value.text.empty();
}

}  // namespace

SourceLines::SourceLines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines_.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view SourceLines::line(int number) const {
  if (number < 1 || number > static_cast<int>(lines_.size())) return {};
  return lines_[static_cast<std::size_t>(number) - 1];
}

int SourceLines::above(int number) const {
  for (--number; number > 0; --number) {
    const std::string_view text = without_blanks(line(number));
    if (!text.empty() && text.front() != '#') return number;
  }
  return 0;
}

YamlError explain_syntax(const SourceLines& source, int line, int column, const std::string& said) {
  for (const int number : {line, source.above(line)})
    if (const auto space = wrong_space(source, number)) return *space;
  const std::string_view text = source.line(line);
  const std::size_t at = std::min(static_cast<std::size_t>(column - 1), text.size());
  const std::string_view before = text.substr(0, at), rest = text.substr(at);
  if (rest.starts_with("//") || rest.starts_with("%") || rest.starts_with("/*"))
    return {line, column,
            fmt::format("'{}' does not start a comment", rest.substr(0, rest[0] == '%' ? 1 : 2)),
            "write # instead"};
  const bool starts_line = static_cast<int>(at) == indentation(text);
  if (said.find("illegal map value") != std::string::npos) {
    if (const std::size_t colon = before.find(": "); colon != std::string_view::npos)
      return {line, static_cast<int>(colon) + 3, "this text has a colon and a space in it",
              fmt::format("put it in quotes: {}: \"{}\"", without_blanks(before.substr(0, colon)),
                          without_comment(text.substr(colon + 2)))};
    if (const auto colon = without_colon(source, source.above(line))) return *colon;
  }
  if (said.find("end of map not found") != std::string::npos && starts_line)
    if (const auto indented = wrong_indentation(source, line)) return *indented;
  const std::string_view code = without_blanks(before);
  if (!starts_line && (code.ends_with('}') || code.ends_with(']') || code.ends_with('"')))
    return {line, column,
            fmt::format("'{}' stands after the closing {}", without_comment(rest),
                        code.ends_with('"') ? "quote" : "bracket"),
            "remove it, or start a comment with #"};
  return {line, column, "not valid YAML: " + said, "check indentation, brackets and quotes"};
}

std::optional<YamlError> unclosed_quote(const SourceLines& source, int line, int column) {
  const auto start = static_cast<std::size_t>(column - 1);
  const std::string_view first = source.line(line);
  if (start >= first.size() || (first[start] != '"' && first[start] != '\'')) return std::nullopt;
  const char quote = first[start];
  for (int number = line; number <= source.count(); ++number) {
    const std::string_view text = source.line(number);
    for (std::size_t at = number == line ? start + 1 : 0; at < text.size(); ++at) {
      const bool doubled = quote == '\'' && text.substr(at, 2) == "''";
      if (doubled || (quote == '"' && text[at] == '\\'))
        ++at;
      else if (text[at] == quote)
        return std::nullopt;
    }
  }
  return YamlError{line, column, "this quote is not closed",
                   fmt::format("add {} at the end of the text", quote)};
}

std::string with_decimal_point(const YamlNode& first, const YamlNode& second) {
  if (!is_adjacent(first, second) || !ends_with_digit(first) || second.text.empty()) return {};
  if (!is_digit_character(second.text.front()) || first.text.find('.') != std::string::npos) return {};
  return fmt::format("{}.{}", first.text, second.text);
}

void mend_keys(YamlNode& map, std::vector<YamlError>& errors) {
  std::vector<YamlNode> mended;
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
    YamlNode key = std::move(map.children[i]), value = std::move(map.children[i + 1]);
    if (key.is_scalar() && value.is_null()) {
      if (!mended.empty() && !with_decimal_point(mended.back(), key).empty()) {
        errors.push_back(decimal_comma(mended.back(), key));
        mended.back().text += "." + key.text;
        continue;
      }
      if (YamlNode name, rest; split_key(key, name, rest)) {
        const bool colon = key.text[name.text.size()] == ':';
        errors.push_back({key.line, key.column,
                          colon ? fmt::format("a space is missing after the colon of '{}'", key.text)
                                : fmt::format("'{}' has = in place of a colon", key.text),
                          fmt::format("write {}: {}", name.text, rest.text)});
        key = std::move(name);
        value = std::move(rest);
      }
    }
    mended.push_back(std::move(key));
    mended.push_back(std::move(value));
  }
  map.children = std::move(mended);
}

}  // namespace trammel::model
