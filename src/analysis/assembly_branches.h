// Assembly branches: the different positions in which the joints of a mechanism close, for the same values of
// its drivers and held freedoms.
//
// Bodies are thrown at random over the range of the mechanism and closed from there (projection/assembly.h);
// positions that differ are branches. That there are no others is not guaranteed: by Good and Turing (1953)
// the chance that the next start leads to an unseen branch is about that of a branch seen once,
//
//   (branches seen once)/(starts that closed).
#pragma once

#include <cstdint>

#include "analysis/driven_start.h"
#include "trammel/analyses.h"

namespace trammel::analysis {

struct AssemblyBranch {
  State state;
  std::vector<Pose> poses;
  double residual = 0;  // the largest that is left of Φ, scaled
  long hits = 0;        // starts that led here
  double distance = 0;  // m: the largest move of a point of a body from the first branch to this one
};

struct BranchSearch {
  std::vector<AssemblyBranch> branches;  // that of the model's own places first, then by distance from it
  long starts = 0, closed = 0;
  double unseen = 0;  // estimated chance that one more start finds an unseen branch
  bool interrupted = false;
};

// starts = kUntilSettled: at least kFewestStarts, and on until every branch was hit kEnoughHits times, so
// that a branch as rare as the rarest seen is missed with a chance of exp(−kEnoughHits); kMostStarts at most.
inline constexpr long kFewestStarts = 1000, kMostStarts = 10000, kEnoughHits = 8;
BranchSearch find_branches(const Simulation& simulation, long starts, std::uint64_t seed,
                           const GoOn& go_on = {});

// Whether bodies stand in the same places: rods may be turned about their axis, point masses anyhow.
bool same_positions(const Mechanism& mechanism, const std::vector<Pose>& a, const std::vector<Pose>& b,
                    double length_scale);

// A random place over the range of the mechanism, closed; false: it does not close from there.
class RandomStarts {
 public:
  RandomStarts(const Simulation& simulation, std::uint64_t seed);
  ~RandomStarts();
  bool next(State& s);

 private:
  void see_places();

  struct Dice;
  const system::System& system_;
  const Mechanism& mechanism_;
  State start_;
  std::vector<Pose> drawn_, poses_;
  Vec3 low_, high_;
  std::unique_ptr<Dice> dice_;
};

}  // namespace trammel::analysis
