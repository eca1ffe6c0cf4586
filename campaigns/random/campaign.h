// Random mechanisms against an independent oracle: motion, reactions, mobility and energies of each, in the
// default plan and in two drawn from all coordinates, formulations and integrators (docs/reliability.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trammel::campaigns::random {

struct Options {
  std::uint64_t count = 10000, seed = 1;
  std::vector<std::uint64_t> seeds;    // these instead
  std::string explained;               // a file of disagreements whose reason is known; empty: none is
  int plans = 2;                       // drawn for each, besides the default plan
  bool shrink = false;                 // failures, to small models
  bool verbose = false;                // a line for each mechanism
  std::string out = "results/random";  // where models of failures are written
  std::string keep;                    // a folder for the most different mechanisms; empty: none are kept
  std::size_t kept = 100;
};

// Prints what disagrees and a summary; true: nothing does, or the reason is known.
bool run_random(const Options& options);

}  // namespace trammel::campaigns::random
