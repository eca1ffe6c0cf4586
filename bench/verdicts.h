// Verdicts: what the rows say about the goals that Trammel's speed has.
#pragma once

#include <string>
#include <vector>

#include "row.h"

namespace trammel::bench {

struct Verdict {
  std::string goal, measured;
  bool reached = false;
};

// Of the goals that the rows, compared, tell about.
std::vector<Verdict> verdicts(const std::vector<Row>& rows);

}  // namespace trammel::bench
