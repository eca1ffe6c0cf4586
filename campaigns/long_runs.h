// Long runs: ten million steps of motions that are known in closed form.
//
// Rows are compared with the closed form while the run goes on. The time of row n must be n·interval to the
// bit. The true error must be within three times the one that the run states, which a second run found, as
// long as that is below a third of the range: until then the run knows the phase. By steps of one size
// without projections the motion must lag behind in proportion to time, as that of a symmetric rule does,
// whose frequency is wrong by a constant part. Constraints must stay as closed as at the start, and memory
// must not grow after the first hundredth of the run by more than the rows that are kept.
#pragma once

#include <string>

namespace trammel::campaigns {

// Prints a line for each run whose name contains `only`, of about so many steps; true if all of this holds.
bool check_long_runs(long steps, const std::string& only);

}  // namespace trammel::campaigns
