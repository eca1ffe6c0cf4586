// What all factorizations here share: when a pivot is too small to trust.
//
// Cholesky. Rounding moves the pivot d_i by at most about r·eps·a_ii, r being the number of terms in its
// sum (Higham 2002, thm 10.3: Σ l_ik² d_k ≤ a_ii bounds every term). A pivot below 4·r·eps·a_ii may as
// well be zero or negative, so it is refused. Being relative to its own a_ii the test ignores units.
//
// LU with partial pivoting. |l| ≤ 1, so rounding moves the pivot of column j by about n·eps·max_i |a_ij|;
// again a test relative to that column, with the same factor 4.
#pragma once

#include <limits>

namespace trammel::linalg {

inline double pivot_tolerance(int terms) { return 4.0 * terms * std::numeric_limits<double>::epsilon(); }

}  // namespace trammel::linalg
