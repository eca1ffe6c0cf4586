// Supernodes: the symbolic part of the sparse Cholesky, done once.
//
// Neighbouring columns of the factor with the same rows form a supernode, stored as one dense panel
// (panel.h), or, where it is too wide for that, as several. When a supernode is done, each of its rows i
// below the diagonal block takes a share off the column of that unknown in a later supernode; a Target says
// where that column lies, so that the numeric factorization looks nothing up.   Ng & Peyton (1993),
// right-looking.
#pragma once

#include <vector>

#include "linalg/panel_solve.h"
#include "linalg/pattern.h"

namespace trammel::linalg {

struct Supernode {
  int first, width;            // unknowns first … first + width − 1
  int rows;                    // height of the panel, diagonal block included
  int panel;                   // where the panel starts in the factor's values
  int list;                    // where its rows start in `row` and in `target`
  int runs = 0, runs_end = 0;  // rows below the diagonal block, in `run`
};

// Neighbouring supernodes of the same width. In the chain of a mechanism they are all of one shape: as many
// rows below, of neighbours, that update neighbouring places.
struct Stretch {
  int width;
  bool chain;
  int begin, end;  // in `nodes`
};

// Where row i of a panel updates: rows i, i + 1, … of the panel go to consecutive places from `start` on
// when `relative` is −1, else to start + relative_row[relative], start + relative_row[relative + 1], …
struct Target {
  int start = 0, relative = -1;
};

struct Supernodes {
  std::vector<Supernode> nodes;
  std::vector<Stretch> stretches;
  std::vector<int> row;           // unknowns of each panel's rows
  std::vector<Target> target;     // one for each row; unused in the diagonal blocks
  std::vector<int> relative_row;  // rows within the target's panel
  std::vector<Run> run;           // the same rows below the diagonal blocks, in runs of neighbours
  int values = 0;                 // size of all panels together
  int tallest = 0;                // rows of the tallest panel
  int longest_row = 0;            // most entries in a row of the factor

  explicit Supernodes(const Pattern& pattern);
  // Place in the values of entry (max(i, j), min(i, j)), which must be in the factor.
  int place(int i, int j) const;

 private:
  std::vector<int> owner_;  // of each unknown: the supernode of its column
};

}  // namespace trammel::linalg
