// YamlSpans: where the values of a YAML text begin and end, in bytes.
#pragma once

#include <string>
#include <vector>

#include "model/yaml/yaml_tree.h"

namespace trammel::model {

class YamlSpans {
 public:
  explicit YamlSpans(const std::string& text);

  std::size_t begin(const YamlNode& node) const;
  // Behind the last character of a value. `in_flow`: it stands inside brackets. Throws std::invalid_argument
  // for what has no simple end: anchors, aliases and multi-line texts.
  std::size_t end(const YamlNode& node, bool in_flow) const;
  // Behind the value of an entry; of an empty one behind its colon.
  std::size_t entry_end(const YamlNode& map, std::size_t i, bool in_flow) const;
  bool is_flow(const YamlNode& node) const;
  std::size_t line_begin(std::size_t at) const;
  std::size_t line_end(std::size_t at) const;  // behind its newline

 private:
  std::size_t behind_brackets(std::size_t at) const;
  std::size_t behind_quotes(std::size_t at) const;
  std::size_t behind_plain(std::size_t at, bool in_flow) const;
  std::size_t behind_key(const YamlNode& key) const;

  const std::string& text_;
  std::vector<std::size_t> lines_;  // where each begins
};

}  // namespace trammel::model
