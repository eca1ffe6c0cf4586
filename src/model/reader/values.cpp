// Numbers with units and expressions, vectors, words.
#include "model/reader/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>

#include "expressions/nearest_name.h"
#include "model/yaml/yaml_mistakes.h"

namespace trammel::model {
namespace {

// Shorter than this a direction has no meaning.
constexpr double kZeroDirection = 1e-12;

// The square of a larger number is not finite.
constexpr double kLargest = 1e150;

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

bool is_not_finite_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      word += static_cast<char>(std::tolower(c));
    else if (c != '+' && c != '-' && c != '.')
      return false;
  }
  return word == "inf" || word == "infinity" || word == "nan";
}

bool fits(const expressions::Dimension& given, const char* unit) {
  const auto expected = expressions::parse_quantity(fmt::format("1 {}", unit));
  return expected &&
         expressions::compatible(
             given, std::get<expressions::Quantity>(*expected).dimension.value_or(expressions::Dimension{}));
}

// Whether a quantity's dimension fits the field; reports if not.
bool check_unit(ModelContext& context, const YamlNode& node, const std::string& label,
                const expressions::Dimension& given, const char* unit) {
  if (*unit == '\0') return true;
  const std::string expected = unit == std::string("1") ? "a pure number" : unit;
  if (unit == std::string("1") ? expressions::compatible(given, {}) : fits(given, unit)) return true;
  context.error(node,
                fmt::format("{}: '{}' is in {}, but {} is expected", label, node.text,
                            expressions::to_string(given), expected),
                unit == std::string("1") ? "leave the unit out" : fmt::format("give it in {}", unit));
  return false;
}

// The dimension of a text that is nothing but a parameter given with a unit.
std::optional<expressions::Dimension> parameter_dimension(const ModelContext& context,
                                                          const std::string& text) {
  const auto found = context.parameter_dimensions.find(text);
  if (found == context.parameter_dimensions.end()) return std::nullopt;
  return found->second;
}

std::optional<double> evaluate_constant(ModelContext& context, const YamlNode& node,
                                        const std::string& label) {
  const std::string text = replace_loop_variables(context, node.text);
  if (is_identifier(text) && !context.constants.find_constant(text)) {
    context.error(node, fmt::format("{}: '{}' is neither a number nor a parameter", label, text),
                  suggest(text, context.constants.names(), "give a number, or a parameter"));
    return std::nullopt;
  }
  const auto parsed = expressions::Expression::parse(text, context.constants);
  if (const auto* wrong = std::get_if<expressions::ExpressionError>(&parsed)) {
    context.error(Source{node.line, node.column}, text == node.text, label, *wrong);
    return std::nullopt;
  }
  const auto& expression = std::get<expressions::Expression>(parsed);
  std::vector<double> scratch(static_cast<std::size_t>(expression.scratch_size()));
  return expression.value({}, scratch);
}

// "5 N*mu" with a parameter mu: not an unknown unit, but a unit in an expression.
expressions::ExpressionError explain_mixed(const ModelContext& context, const std::string& text,
                                           const expressions::ExpressionError& wrong) {
  std::size_t end = wrong.column;
  while (end < text.size() && is_name_part(text[end])) ++end;
  const std::string word = text.substr(wrong.column, end - wrong.column);
  const std::string_view quantity =
      expressions::leading_quantity(std::string_view(text).substr(0, wrong.column));
  const bool is_unknown = wrong.message.starts_with("unknown unit");
  if (!is_unknown || quantity.empty() || !context.constants.find_constant(word)) return wrong;
  return {expressions::mixed_units(quantity), wrong.column};
}

// Angles without a unit are radians. A multiple of 5 beyond two turns is more likely meant in degrees. A
// note, not an error: the number has a meaning, and with its unit it is not noted.
void note_degrees(ModelContext& context, const YamlNode& node, const std::string& label, double value) {
  constexpr double kLeast = 15, kMultiple = 5;
  if (std::abs(value) < kLeast || std::fmod(value, kMultiple) != 0) return;
  context.note(node,
               fmt::format("{}: {} without a unit is {} rad ({:.4g} turns)", label, node.text, node.text,
                           value / (2 * std::numbers::pi)),
               fmt::format("write {} deg if degrees are meant, {} rad if not", node.text, node.text));
}

bool expect_scalar(ModelContext& context, const YamlNode& node, const std::string& label, const char* what) {
  if (node.is_scalar()) return true;
  context.error(node, fmt::format("{}: expected {}, found {}", label, what, describe(node)),
                fmt::format("give {}", what));
  return false;
}

// "[0.4, 0.3]" of [0,4, 0,3], [0.4; 0.3], [0.4 0.3] and (0.4, 0.3); empty: the list has no such mistake.
std::string meant_list(const YamlNode& node, std::size_t count) {
  std::vector<std::string> items;
  if (node.is_scalar() || (node.is_sequence() && node.children.size() == 1 && node.children[0].is_scalar())) {
    std::string text = node.is_scalar() ? node.text : node.children[0].text;
    const bool is_list = node.is_sequence() || text.find(',') != std::string::npos;
    std::ranges::replace_if(
        text, [](char c) { return c == ';' || c == ',' || c == '(' || c == ')'; }, ' ');
    std::istringstream words(text);
    for (std::string word; is_list && words >> word;) items.push_back(word);
  }
  for (std::size_t i = 0; node.is_sequence() && node.children.size() > count && i < node.children.size();
       ++i) {
    const YamlNode& item = node.children[i];
    const std::string number =
        i + 1 < node.children.size() ? with_decimal_point(item, node.children[i + 1]) : "";
    if (!item.is_scalar()) return {};
    items.push_back(number.empty() ? item.text : number);
    if (!number.empty()) ++i;
  }
  return items.size() == count && count > 1 ? fmt::format("[{}]", fmt::join(items, ", ")) : "";
}

std::string list_remedy(const YamlNode& node, std::size_t count) {
  if (const std::string meant = meant_list(node, count); !meant.empty())
    return node.is_sequence() && node.children.size() > 1
               ? fmt::format("if these are decimal commas, write {}", meant)
               : fmt::format("write {}", meant);
  return fmt::format("write {}", count == 2 ? "[a, b]" : count == 3 ? "[a, b, c]" : "a list in brackets");
}

bool expect_list(ModelContext& context, const YamlNode& node, const std::string& label, std::size_t count,
                 const std::string& what) {
  if (node.is_sequence() && (count == 0 || node.children.size() == count)) return true;
  const std::string found =
      node.is_sequence() ? fmt::format("{} of them", node.children.size()) : describe(node);
  context.error(node, fmt::format("{}: expected {}, found {}", label, what, found), list_remedy(node, count));
  return false;
}

}  // namespace

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return fmt::format("'{}'", node.text);
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
  }
  return {};
}

std::string replace_loop_variables(const ModelContext& context, const std::string& text) {
  if (context.loop.empty()) return text;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_part(text[end])) ++end;
    if (end == at) {
      result += text[at++];
      continue;
    }
    std::string word = text.substr(at, end - at);
    for (const auto& [name, value] : context.loop) {
      if (word == name) word = value < 0 ? fmt::format("({:.17g})", value) : fmt::format("{:.17g}", value);
    }
    result += word;
    at = end;
  }
  return result;
}

std::optional<double> read_number(ModelContext& context, const YamlNode& node, const std::string& label,
                                  const char* unit) {
  if (!expect_scalar(context, node, label, "a number")) return std::nullopt;
  std::optional<double> value;
  if (is_not_finite_word(node.text)) {
    value = INFINITY;
  } else if (const auto quantity = expressions::parse_quantity(node.text)) {
    if (const auto* wrong = std::get_if<expressions::ExpressionError>(&*quantity)) {
      context.error(Source{node.line, node.column}, true, label, explain_mixed(context, node.text, *wrong));
      return std::nullopt;
    }
    const auto& given = std::get<expressions::Quantity>(*quantity);
    if (given.dimension && !check_unit(context, node, label, *given.dimension, unit)) return std::nullopt;
    // 1 Hz is a turn a second, and an angle of one radian as a dimension: nobody knows which is meant.
    if (std::string_view(unit) == "rad/s" && node.text.find("Hz") != std::string::npos) {
      context.error(node, fmt::format("{}: '{}' is a frequency, not an angular speed", label, node.text),
                    "write rpm, rad/s, or 2*pi times the frequency");
      return std::nullopt;
    }
    if (!given.dimension && std::string_view(unit) == "rad") note_degrees(context, node, label, given.value);
    value = given.value;
  } else {
    const auto dimension = parameter_dimension(context, node.text);
    if (dimension && !check_unit(context, node, label, *dimension, unit)) return std::nullopt;
    value = evaluate_constant(context, node, label);
  }
  if (value && !std::isfinite(*value)) {
    context.error(node, fmt::format("{}: '{}' is not a finite number", label, node.text),
                  "give a finite number");
    return std::nullopt;
  }
  if (value && std::abs(*value) > kLargest) {
    context.error(node, fmt::format("{}: '{}' is too large", label, node.text),
                  fmt::format("give a number below {:g}", kLargest));
    return std::nullopt;
  }
  return value;
}

std::optional<int> read_integer(ModelContext& context, const YamlNode& node, const std::string& label) {
  const auto value = read_number(context, node, label, "1");
  if (!value) return std::nullopt;
  // 1e9: well inside int, far outside sense
  if (*value != std::floor(*value) || std::abs(*value) > 1e9) {
    context.error(node, fmt::format("{}: '{}' is not a whole number", label, node.text),
                  "give a whole number");
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

std::optional<bool> read_bool(ModelContext& context, const YamlNode& node, const std::string& label) {
  const auto word = read_choice(context, node, label, {"true", "false"});
  if (!word) return std::nullopt;
  return *word == "true";
}

std::optional<std::string> read_word(ModelContext& context, const YamlNode& node, const std::string& label) {
  if (!expect_scalar(context, node, label, "a word")) return std::nullopt;
  return node.text;
}

std::optional<std::string> read_choice(ModelContext& context, const YamlNode& node, const std::string& label,
                                       const std::vector<std::string>& choices) {
  // The words of a switch: files may have either pair.
  static const std::map<std::string, std::string> kSame = {
      {"true", "on"}, {"false", "off"}, {"on", "true"}, {"off", "false"}};
  auto word = read_word(context, node, label);
  if (!word || std::find(choices.begin(), choices.end(), *word) != choices.end()) return word;
  if (const auto same = kSame.find(*word);
      same != kSame.end() && std::find(choices.begin(), choices.end(), same->second) != choices.end())
    return same->second;
  context.error(node, fmt::format("{}: there is no '{}'", label, *word),
                expressions::choice_advice(*word, choices));
  return std::nullopt;
}

std::optional<std::vector<double>> read_numbers(ModelContext& context, const YamlNode& node,
                                                const std::string& label, std::size_t count,
                                                const std::vector<const char*>& units) {
  if (!expect_list(context, node, label, count, fmt::format("{} numbers", count))) return std::nullopt;
  std::vector<double> numbers;
  bool is_complete = true;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const char* unit = units[std::min(i, units.size() - 1)];
    const auto number = read_number(context, node.children[i], label, unit);
    is_complete = is_complete && number.has_value();
    numbers.push_back(number.value_or(0));
  }
  if (!is_complete) return std::nullopt;
  return numbers;
}

std::optional<Vec3> read_vector(ModelContext& context, const YamlNode& node, const std::string& label,
                                const char* unit) {
  const std::size_t count = context.mechanism.is_planar ? 2 : 3;
  const std::string what = context.mechanism.is_planar ? "two components (the mechanism is planar)"
                                                       : "three components (the mechanism is spatial)";
  if (!expect_list(context, node, label, count, what)) return std::nullopt;
  const auto numbers = read_numbers(context, node, label, count, {unit});
  if (!numbers) return std::nullopt;
  return Vec3((*numbers)[0], (*numbers)[1], count == 3 ? (*numbers)[2] : 0);
}

std::optional<Vec3> read_direction(ModelContext& context, const YamlNode& node, const std::string& label) {
  const auto vector = read_vector(context, node, label, "1");
  if (!vector) return std::nullopt;
  if (vector->norm() < kZeroDirection) {
    context.error(node, fmt::format("{}: a direction must not be zero", label),
                  "give a vector along it, of any length");
    return std::nullopt;
  }
  return vector->normalized();
}

std::optional<std::vector<std::string>> read_words(ModelContext& context, const YamlNode& node,
                                                   const std::string& label, std::size_t count) {
  const std::string what = count == 0 ? "a list of names" : fmt::format("{} names", count);
  if (!expect_list(context, node, label, count, what)) return std::nullopt;
  std::vector<std::string> words;
  bool is_complete = true;
  for (const YamlNode& item : node.children) {
    const auto word = read_word(context, item, label);
    is_complete = is_complete && word.has_value();
    words.push_back(word.value_or(""));
  }
  if (!is_complete) return std::nullopt;
  return words;
}

std::string read_expression(ModelContext& context, const YamlNode& node, const std::string& label,
                            const char* unit, mechanism::Scope scope) {
  if (!expect_scalar(context, node, label, "a number or an expression")) return "0";
  // a number, with or without a unit, becomes its SI value
  if (expressions::parse_quantity(node.text)) {
    return fmt::format("{:.17g}", read_number(context, node, label, unit).value_or(0));
  }
  const auto dimension = parameter_dimension(context, node.text);
  if (dimension && !check_unit(context, node, label, *dimension, unit)) return "0";
  std::string text = replace_loop_variables(context, node.text);
  context.expressions.push_back(
      {context.entry, {node.line, node.column}, text == node.text, context.instance, scope, label, text, ""});
  return text;
}

}  // namespace trammel::model
