// The named entries of a section, one after the other, with `for:` expanded.
//
//   "B{i}": {for: {i: 0..N}, at: [i, 0]}
//
// stands for B0, B1, …, BN. In the key and in every text of the entry `{i}`, `{i+1}`, … are replaced by whole
// numbers; in expressions `i` is a name. Instances are made one at a time: a large N costs no memory here.
#pragma once

#include <functional>
#include <string>

#include "model/reader/context.h"

namespace trammel::model {

inline constexpr std::size_t kMaxInstances = 1'000'000;

// Calls read(key, value) for each entry; key.text is the entry's name.
void for_each_entry(ModelContext& context, const YamlNode& root, const std::string& section,
                    const std::function<void(const YamlNode& key, const YamlNode& value)>& read);

}  // namespace trammel::model
