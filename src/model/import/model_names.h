// Names that a model file allows, each once: letters, digits and _, starting with a letter.
#pragma once

#include <set>
#include <string>

namespace trammel::model {

class ModelNames {
 public:
  // The name as it may stand in a model; where it is taken, with the suffix ("_joint"), or with a number.
  std::string take(const std::string& wanted, const std::string& suffix);

 private:
  std::set<std::string> taken_;
};

// Characters that a name cannot have become _.
std::string as_identifier(const std::string& text);

}  // namespace trammel::model
