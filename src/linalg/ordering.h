// The order in which a sparse Cholesky eliminates the unknowns: natural, or approximate minimum degree
// (Amestoy, Davis & Duff 1996; SuiteSparse AMD, or Eigen's), whichever costs fewer operations. Chains that
// are numbered from end to end are best left as they are; natural wins a tie. Neighbours that are coupled
// with the same unknowns, as the coordinates of a point, stay together (Ashcraft 1995, compressed graphs).
#pragma once

#include <vector>

#include "linalg/pattern.h"

namespace trammel::linalg {

// The matrix with its unknowns renumbered: order[new] = old.
Pattern permuted(const Pattern& pattern, const std::vector<int>& order);

// Rows of each column of the Cholesky factor, the diagonal first, ascending.
std::vector<std::vector<int>> factor_columns(const Pattern& pattern);

// order[new] = old.
std::vector<int> elimination_order(const Pattern& pattern);

}  // namespace trammel::linalg
