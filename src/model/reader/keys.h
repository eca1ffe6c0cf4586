// Every key of the model file, in one place: what the reader accepts and the schema must list.
#pragma once

#include <string>
#include <vector>

namespace trammel::model {

struct KeyGroup {
  std::string name;    // what has these keys: "rod", "revolute joint"
  std::string family;  // the section, for keys that fit another kind of the same section: "bodies"
  std::vector<std::string> keys;
};

const std::vector<KeyGroup>& key_groups();
const KeyGroup& key_group(const std::string& name);
// All keys of a family.
std::vector<std::string> family_keys(const std::string& family);

}  // namespace trammel::model
