// A YAML document as a plain tree of values with positions, read defensively.
//
// Built from yaml-cpp's events instead of its own nodes: those keep duplicate keys silently and share aliased
// subtrees. Here a duplicate key is an error, an alias is a copy, and size, depth and number of nodes are
// bounded, so that no file can exhaust the memory or the stack. yaml-cpp reads recursively but reports each
// level before it goes deeper, so refusing the event bounds the recursion too.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trammel::model {

struct YamlNode {
  enum class Kind : unsigned char { null, scalar, sequence, map };
  Kind kind = Kind::null;
  int line = 0;  // from 1; negative −k: from the k-th setting of the command line
  int column = 0;
  std::string text;                // scalars
  std::vector<YamlNode> children;  // sequences: items; maps: key, value, key, value, …

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }

  std::size_t entries() const { return children.size() / 2; }
  const YamlNode& key(std::size_t i) const { return children[2 * i]; }
  const YamlNode& value(std::size_t i) const { return children[2 * i + 1]; }
  YamlNode& value(std::size_t i) { return children[2 * i + 1]; }

  // The value of a key of a map; null if it is not there or this is no map.
  const YamlNode* find(const std::string& key) const;
  YamlNode* find(const std::string& key);
  std::vector<std::string> keys() const;
};

struct YamlError {
  int line = 0;
  int column = 0;
  std::string message;
  std::string remedy;
};

inline constexpr std::size_t kMaxModelBytes = 64u << 20;
inline constexpr std::size_t kMaxYamlNodes = 5'000'000;
inline constexpr std::size_t kMaxYamlDepth = 64;

// A root with errors is complete if they could be mended (duplicate keys, say); any other ends the reading.
struct YamlDocument {
  YamlNode root;
  std::vector<YamlError> errors;
  bool is_complete = false;
};
YamlDocument parse_yaml(const std::string& text);
bool is_utf8(const std::string& text);

}  // namespace trammel::model
