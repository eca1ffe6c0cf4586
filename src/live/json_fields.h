// JsonFields: the fields of a command or a part of it, each asked for by name and type. Whatever does not fit
// throws std::invalid_argument with words for a person.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::live {

using Json = nlohmann::json;

class JsonFields {
 public:
  // known: every field that it may have.
  JsonFields(const Json& json, std::string what, const std::vector<std::string>& known);

  bool has(const std::string& key) const { return json_.contains(key); }
  const Json& need(const std::string& key) const;
  double number(const std::string& key) const;
  double number(const std::string& key, double otherwise) const;
  std::optional<double> maybe_number(const std::string& key) const;
  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  Vec3 vector(const std::string& key) const;
  Vec3 vector(const std::string& key, const Vec3& otherwise) const;
  std::vector<double> numbers(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;  // numbers become texts

  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

 private:
  const Json& json_;
  std::string what_;
};

// A number or a text.
std::string formula_of(const Json& json);

}  // namespace trammel::live
