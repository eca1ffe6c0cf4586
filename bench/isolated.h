// isolated(): work in a process of its own, so that a code that crashes, hangs or ends the program costs no
// more than its row.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "row.h"

namespace trammel::bench {

using Emit = std::function<void(const Row&)>;

struct IsolatedResult {
  std::vector<Row> rows;  // in the order in which they were emitted
  std::string failure;    // how the process ended, if not well
};

IsolatedResult isolated(double seconds, const std::function<void(const Emit&)>& work);

}  // namespace trammel::bench
