// How often a formulation changed its independent coordinates: in the State's memory, as the motion is.
#pragma once

#include "trammel/state.h"

namespace trammel::formulations {

inline constexpr MemorySlot kCoordinateChanges{"coordinate changes", Lifetime::run};

inline void count_coordinate_change(State& s) { s.remember(kCoordinateChanges, 1)[0] += 1; }
inline int coordinate_changes(const State& s) {
  const std::vector<double>* count = s.recall(kCoordinateChanges);
  return count ? static_cast<int>((*count)[0]) : 0;
}

}  // namespace trammel::formulations
