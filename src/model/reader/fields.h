// The keys of one map of the model file: which are there, which do not belong, which are missing.
#pragma once

#include <string>
#include <vector>

#include "model/reader/context.h"
#include "model/reader/values.h"

namespace trammel::model {

class Fields {
 public:
  // `group` names the keys that may stand here (model_keys.h); others are reported, with the nearest.
  Fields(ModelContext& context, const YamlNode& where, const YamlNode& map, const std::string& group);

  const YamlNode* find(const std::string& key) const { return map_.find(key); }
  bool has(const std::string& key) const { return find(key) != nullptr; }
  // Reports a key that is missing, unless the map has a key that may be the misspelt one.
  const YamlNode* need(const std::string& key, const std::string& remedy = "") const;
  // A key that belongs here in general but not in this case.
  void refuse(const std::string& key, const std::string& message, const std::string& remedy) const;

  double number(const std::string& key, const char* unit, double fallback) const;
  double need_number(const std::string& key, const char* unit, const std::string& remedy = "") const;
  bool flag(const std::string& key, bool fallback) const;

 private:
  ModelContext& context_;
  const YamlNode& where_;
  const YamlNode& map_;
  std::string group_;
  bool has_unknown_ = false;
};

// The first of these keys that a map has; empty if none.
std::string first_key(const YamlNode& map, const std::vector<std::string>& keys);

// Reports keys that no kind of the family has, and that none of the kinds' own keys is there.
void report_no_kind(ModelContext& context, const YamlNode& where, const YamlNode& map,
                    const std::string& what, const std::vector<std::string>& kinds);

}  // namespace trammel::model
