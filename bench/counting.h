// Counting: instructions per step, by valgrind's callgrind on this very program.
//
// Nothing but the steps is counted. A row is counted over the beginning of its motion, as far as a few
// hundredths of a second of the processor take it.
#pragma once

#include "search.h"

namespace trammel::bench {

// True when valgrind is there.
bool can_count();
// Fills instructions_per_step of the rows.
void count_instructions(std::vector<Row>& rows, double duration);
// The other side: makes the runs that a file lists, under callgrind.
int make_counted_runs(const std::string& list);

}  // namespace trammel::bench
