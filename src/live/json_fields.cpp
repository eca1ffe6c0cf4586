#include "live/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trammel::live {

JsonFields::JsonFields(const Json& json, std::string what, const std::vector<std::string>& known)
    : json_(json), what_(std::move(what)) {
  if (!json.is_object())
    throw std::invalid_argument(fmt::format("{}: expected an object with fields", what_));
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw std::invalid_argument(
          fmt::format("{}: unknown field '{}'; known are: {}", what_, key, fmt::join(known, ", ")));
}

void JsonFields::refuse(const std::string& key, const std::string& expected) const {
  std::string found = json_.at(key).dump(-1, ' ', true, Json::error_handler_t::replace);
  if (found.size() > 60) found = found.substr(0, 60) + "…";
  throw std::invalid_argument(fmt::format("{}: {}: expected {}, found {}", what_, key, expected, found));
}

const Json& JsonFields::need(const std::string& key) const {
  if (!has(key)) throw std::invalid_argument(fmt::format("{}: the field '{}' is missing", what_, key));
  return json_.at(key);
}

double JsonFields::number(const std::string& key) const {
  const Json& value = need(key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(key, "a number");
  return value.get<double>();
}

double JsonFields::number(const std::string& key, double otherwise) const {
  return has(key) ? number(key) : otherwise;
}

std::optional<double> JsonFields::maybe_number(const std::string& key) const {
  return has(key) ? std::optional(number(key)) : std::nullopt;
}

std::string JsonFields::text(const std::string& key) const {
  if (!need(key).is_string()) refuse(key, "a text");
  return need(key).get<std::string>();
}

std::string JsonFields::text(const std::string& key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

bool JsonFields::flag(const std::string& key, bool otherwise) const {
  if (!has(key)) return otherwise;
  if (!need(key).is_boolean()) refuse(key, "true or false");
  return need(key).get<bool>();
}

std::vector<double> JsonFields::numbers(const std::string& key) const {
  const Json& value = need(key);
  std::vector<double> all;
  if (!value.is_array()) refuse(key, "a list of numbers");
  for (const Json& one : value) {
    if (!one.is_number() || !std::isfinite(one.get<double>())) refuse(key, "a list of numbers");
    all.push_back(one.get<double>());
  }
  return all;
}

Vec3 JsonFields::vector(const std::string& key) const {
  const std::vector<double> x = numbers(key);
  if (x.size() != 2 && x.size() != 3) refuse(key, "[x, y, z]");
  return {x[0], x[1], x.size() == 3 ? x[2] : 0.0};
}

Vec3 JsonFields::vector(const std::string& key, const Vec3& otherwise) const {
  return has(key) ? vector(key) : otherwise;
}

std::vector<std::string> JsonFields::texts(const std::string& key) const {
  const Json& value = need(key);
  std::vector<std::string> all;
  if (!value.is_array()) refuse(key, "a list of texts");
  for (const Json& one : value) {
    if (!one.is_string() && !one.is_number()) refuse(key, "a list of texts");
    all.push_back(formula_of(one));
  }
  return all;
}

std::string formula_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : fmt::format("{:.17g}", json.get<double>());
}

}  // namespace trammel::live
