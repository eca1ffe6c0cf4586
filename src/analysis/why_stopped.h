// Why a prescribed motion cannot go on, in words: a driver that jumps or has no value, drivers that
// contradict each other, a start in a singular position, or a dead position.
#pragma once

#include <string>
#include <vector>

#include "trammel/simulation.h"

namespace trammel::analysis {

struct Stop {
  State at;
  double interval = 0;            // s, of rows; negative where the motion goes back
  std::string place;              // where that is, as "t = 1 s"
  std::vector<std::string> held;  // drivers that hold freedoms which nothing drives
};
std::string why_stopped(const Simulation& simulation, const Stop& stop);

}  // namespace trammel::analysis
