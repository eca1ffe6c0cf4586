// Counting: instructions per step, by valgrind's callgrind on this very program.
//
// Nothing but the steps is counted: collection is switched on at the entry of one function and off where it
// returns. A row is counted over the beginning of its motion, as far as a few hundredths of a second of the
// processor take it.
#pragma once

#include "search.h"

namespace trammel::bench {

// True when valgrind is there.
bool can_count();
// Fills instructions_per_step of the rows, all of one problem.
void count_instructions(std::vector<Row>& rows, double duration);
// The other side: makes the runs that a file lists, each through one call of the function that is counted.
int make_counted_runs(const std::string& list);

}  // namespace trammel::bench
