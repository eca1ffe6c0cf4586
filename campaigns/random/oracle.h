// The oracle: the motion of a Specification by its own equations and its own rule, to compare with.
//
// Gragg's extrapolated midpoint rule (Hairer, Nørsett & Wanner, II.9) with error control; after each step
// positions and velocities are projected onto the constraints. Shares no code with src/.
#pragma once

#include <optional>

#include "equations.h"

namespace trammel::campaigns::random {

// How the constraints stand at one position.
struct Mobility {
  int rank = 0, position_rank = 0;  // of all rows, of those of positions
  double regular = 1;               // smallest singular value that counts over the largest
  double noise = 0;                 // largest that does not
};
Mobility mobility(const Equations& equations, const Phase& phase);

// What a joint or driver exerts: force and torque on a body, effort along a coordinate.
struct Load {
  double value[7] = {};  // force x y z, torque x y z, effort
  // How far redundant constraints can change it, of what they can change: 0 is unique.
  double freedom[7] = {};
};

struct OracleRow {
  Phase phase;
  std::vector<double> angle;                   // of planar bodies
  std::vector<double> coordinate[2], rate[2];  // by joint: angle, displacement; NaN: none
  std::vector<Load> loads;                     // by owner
  double kinetic = 0, potential = 0, work = 0;
};

struct OracleMotion {
  std::vector<OracleRow> rows;  // at the start and at spec.rows equal intervals
  double regular_until = 0;     // s: up to here the constraints keep their rank, with room to spare
  bool complete = false;        // to the end, regular
  std::string failure;
  int evaluations = 0;
};

OracleMotion simulate(const Equations& equations, double tolerance);

// Below this part of the largest singular value a position is next to a singular one.
inline constexpr double kRegular = 2e-3;
inline constexpr const char* kNextToSingular = "next to a singular position";

}  // namespace trammel::campaigns::random
