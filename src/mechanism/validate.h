// What is wrong with a mechanism, whether it came from a file or was built in C++: everything at once.
//
// compile() may rely on a mechanism without issues: every name it uses exists, every number is finite and in
// range, every expression parses.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel {

struct Issue {
  Source where;
  std::string field;  // the key it is about, as the model file calls it; empty: the whole entry
  std::string message;
  std::string remedy;
  bool of_whole = false;  // follows from all entries together: false alarm if one of them could not be read
};

std::vector<Issue> validate(const Mechanism&);

// Bodies that a joint, driver, force or constraint touches.
std::unordered_set<std::string> connected_bodies(const Mechanism&);

}  // namespace trammel
