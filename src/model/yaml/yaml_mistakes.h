// Common mistakes in YAML, said in words for a person who does not know YAML's grammar.
//
//   mass: 1,5 kg    in brackets a comma ends a value: the key '5 kg' follows
//   mass:1 kg       without a space the colon belongs to the word
//   name: "arm      a quote that is never closed takes the rest of the file
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/yaml/yaml_tree.h"

namespace trammel::model {

// The text of a file by lines.
class SourceLines {
 public:
  explicit SourceLines(std::string_view text);
  int count() const { return static_cast<int>(lines_.size()); }
  // From 1; empty outside the file.
  std::string_view line(int number) const;
  // The last line above this one that is neither blank nor a comment; 0: none.
  int above(int number) const;

 private:
  std::vector<std::string_view> lines_;
};

// Why the parser stopped at a place with these words.
YamlError explain_syntax(const SourceLines& source, int line, int column, const std::string& said);

// A quote that opens at this place and is never closed.
std::optional<YamlError> unclosed_quote(const SourceLines& source, int line, int column);

// Keys without a value that are part of the value before, or a key and a value run together: each is reported
// and mended, so that it makes no other errors.
void mend_keys(YamlNode& map, std::vector<YamlError>& errors);

// "0.4" of the items 0 and 4 of [0,4, 1]: two items without a space between them; empty: they are not.
std::string with_decimal_point(const YamlNode& first, const YamlNode& second);

}  // namespace trammel::model
