// Changes of a YAML text in place: what is not changed keeps its lines, comments and order.
//
// A value is found by its path of keys (numbers in sequences), and only its characters are replaced; a new
// entry becomes a line after the others of its map, or goes before the bracket of a map in flow style; an
// entry that goes takes its line with it. The changed text is read again and compared with the tree that
// the change asks for, so that no text is given back that says something else.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace trammel::model {

struct YamlChange {
  std::vector<std::string> path;
  std::optional<nlohmann::ordered_json> value;  // none: the entry goes
};

// Throws std::invalid_argument where it cannot be done: the path leads through something that is no map, what
// should go is not there, or the text uses anchors or multi-line texts there.
std::string change_yaml(std::string text, const YamlChange& change);

}  // namespace trammel::model
