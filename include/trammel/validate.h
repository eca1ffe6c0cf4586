// What is wrong with a mechanism, whether it came from a file or was built in C++: everything at once.
#pragma once

#include <string>
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

// Empty: the mechanism is sound. Simulation's constructor asks too, and throws if it is not.
std::vector<Issue> validate(const Mechanism& mechanism);

// Everything that is wrong with a plan, each a sentence for a person; empty: it can run.
std::vector<std::string> check_plan(const Plan& plan);

// Options that differ from their default although the plan's method does not read them, each a sentence that
// names the methods that do. A model file that gives such an option is refused; a run of a Plan made in C++
// goes on without it, and summary_text() says so.
std::vector<std::string> unread_options(const Plan& plan);

}  // namespace trammel
