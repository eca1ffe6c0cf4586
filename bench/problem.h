// Problem: one mechanism of the benchmark, the motion it must make, and how long.
//
// Every code is judged by the same numbers: the poses of the bodies at the times of the reference (judge.h).
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::bench {

struct Sample {
  double t;  // s
  Vec3 at;   // m, of the monitored point
};

struct Problem {
  std::string name;                   // "n-four-bar-40"
  std::string model;                  // file under the source folder
  std::vector<std::string> settings;  // as after --set
  double duration;                    // s
  double step;                        // s, of the comparison with the yardstick
  std::string body;                   // the monitored point is on it,
  Vec3 point;                         // m, here in its axes
  double length;                      // m that counts as one
  double kinetic_energy;              // J, the largest of the motion
  std::string reference;  // file under the source folder; empty: the row of four-bars' own equation
  std::vector<std::string> columns;  // of that file: x, y, z; empty name: zero
  int bodies = 0;                    // of a family, for its growth; 0: no family
  bool judged = true;                // false: there is no reference, only its steps are timed
};

// Those that are judged, then those that are only timed for their growth.
const std::vector<Problem>& judged_problems();
const std::vector<Problem>& growing_problems();

Mechanism mechanism_of(const Problem& problem);
// From t = 0 to the duration. Throws std::runtime_error when the file cannot be read.
std::vector<Sample> reference_of(const Problem& problem);

}  // namespace trammel::bench
