// What the oracle says of a mechanism, under the names of the columns that a run of Trammel writes
// (docs/results.md).
#pragma once

#include <map>

#include "oracle.h"

namespace trammel::campaigns::random {

struct ReferenceColumn {
  std::vector<double> values;  // by row
  double known = 0;            // how far the oracle's coarser run is away
  double freedom = 0;          // of a reaction: how far redundant constraints can change it, in any row
  double least_freedom = 0;
};

struct ReferenceTable {
  std::vector<double> times;
  std::map<std::string, ReferenceColumn> columns;
  int freedoms = 0, position_freedoms = 0, redundant = 0;
};

// coarse: the same at a coarser tolerance, which tells how well the motion is known.
ReferenceTable reference_table(const Equations& equations, const OracleMotion& motion,
                               const OracleMotion& coarse);

}  // namespace trammel::campaigns::random
