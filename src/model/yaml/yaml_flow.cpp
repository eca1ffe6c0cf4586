#include "model/yaml/yaml_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace trammel::model {
namespace {

bool is_plain(const std::string& text) {
  // What YAML takes for something else than a text.
  static constexpr std::array kTaken = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::find(kTaken.begin(), kTaken.end(), lower) != kTaken.end()) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
  });
}

// Numbers, units and formulas that no YAML reader takes for anything else.
bool is_clear(const std::string& text) {
  if (is_plain(text)) return true;
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  // A single word may be one that YAML takes for something else.
  const bool is_formula = !text.empty() && is_letter(static_cast<unsigned char>(text[0])) &&
                          !std::all_of(text.begin(), text.end(), is_letter);
  const bool begins =
      is_formula || digit(0) || (!text.empty() && (text[0] == '-' || text[0] == '.') && digit(1));
  return begins && text.back() != ' ' && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 ||
                  std::string_view("_.+-*/^() ").find(static_cast<char>(c)) != std::string_view::npos;
         });
}

std::string scalar(const std::string& text) { return is_clear(text) ? text : nlohmann::json(text).dump(); }

std::string flow(const YamlNode& node) {
  if (node.is_null()) return "null";
  if (node.is_scalar()) return scalar(node.text);
  std::string out;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const bool is_value = node.is_map() && i % 2 == 1;
    out += (i == 0 ? "" : is_value ? ": " : ", ") + flow(node.children[i]);
  }
  return node.is_map() ? "{" + out + "}" : "[" + out + "]";
}

}  // namespace

std::string yaml_of(const YamlNode& root) {
  std::string out;
  for (std::size_t i = 0; i < root.entries(); ++i) {
    const YamlNode& section = root.value(i);
    out += scalar(root.key(i).text) + ":";
    if (!section.is_map() || section.children.empty()) {
      out += " " + flow(section) + "\n";
      continue;
    }
    out += "\n";
    for (std::size_t k = 0; k < section.entries(); ++k)
      out += "  " + scalar(section.key(k).text) + ": " + flow(section.value(k)) + "\n";
  }
  return out;
}

std::string yaml_text(const std::string& text) { return is_plain(text) ? text : nlohmann::json(text).dump(); }

namespace {

// `leaf` writes what has no parts.
template <class Leaf>
std::string in_flow(const nlohmann::ordered_json& value, const Leaf& leaf) {
  if (!value.is_structured()) return leaf(value);
  std::string out;
  for (const auto& [key, item] : value.items()) {
    if (!out.empty()) out += ", ";
    if (value.is_object()) out += yaml_text(key) + ": ";
    out += in_flow(item, leaf);
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

}  // namespace

std::string yaml_flow(const nlohmann::ordered_json& value) {
  return in_flow(value, [](const nlohmann::ordered_json& leaf) {
    return leaf.is_string() ? yaml_text(leaf.get<std::string>()) : leaf.dump();
  });
}

std::string yaml_value(const nlohmann::ordered_json& value) {
  return in_flow(value, [](const nlohmann::ordered_json& leaf) {
    if (leaf.is_string()) return scalar(leaf.get<std::string>());
    // 2, not 2.0
    return leaf.is_number_float() ? fmt::format("{}", leaf.get<double>()) : leaf.dump();
  });
}

}  // namespace trammel::model
