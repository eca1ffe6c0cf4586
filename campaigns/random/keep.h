// The most different of many mechanisms, kept as tests: tests/references/random holds their models and, in
// figures.json, what the oracle says of them at two times.
#pragma once

#include "generator.h"

namespace trammel::campaigns::random {

// Of the mechanisms, those that differ most from each other in kinds of parts, sizes, masses, loops and
// redundancy: each is the farthest from all chosen before.
std::vector<std::size_t> most_different(const std::vector<Specification>& all, std::size_t count);

// Writes models and figures into a folder.
void write_kept(const std::vector<Specification>& kept, const std::string& folder);

}  // namespace trammel::campaigns::random
