#include "model/yaml/yaml_flow.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace trammel {
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

}  // namespace

std::string yaml_text(const std::string& text) { return is_plain(text) ? text : nlohmann::json(text).dump(); }

std::string yaml_flow(const nlohmann::ordered_json& value) {
  if (value.is_string()) return yaml_text(value.get<std::string>());
  if (!value.is_structured()) return value.dump();
  std::string out;
  for (const auto& [key, item] : value.items()) {
    if (!out.empty()) out += ", ";
    if (value.is_object()) out += yaml_text(key) + ": ";
    out += yaml_flow(item);
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

}  // namespace trammel
