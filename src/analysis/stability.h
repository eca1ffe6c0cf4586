// Stability: the eigenvalues of one step of a formulation with its integrator, about a position of rest.
//
// An eigenvalue of modulus above one grows by that factor in each step. Those of motion belong to movements
// that the joints allow and tell what the rule does to them; those of violation tell what becomes of an error
// in Φ, Φ̇ or Φ̈. Eigenvalues closer to each other than their uncertainty are one, with its multiplicity; one
// of modulus one with fewer eigenvectors than its multiplicity grows as a power of the number of steps: a
// free motion, or drift.
//
// The uncertainty (analysis/spectrum.h) says how far the estimated error of the map (analysis/step_map.h) can
// move an eigenvalue: by about itself for a simple one, by about its k-th root for a Jordan block of k.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "analysis/step_map.h"
#include "trammel/mechanism.h"

namespace trammel::analysis {

struct Mode {
  std::complex<double> value;
  double uncertainty = 0;
  int multiplicity = 1;
  int eigenvectors = 1;
  bool violates = false;          // the constraints; else it is motion
  Level level = Level::position;  // violation: the lowest derivative of Φ that is not zero

  double modulus() const { return std::abs(value); }
  bool grows() const { return modulus() - uncertainty > 1; }
  bool decays() const { return modulus() + uncertainty < 1; }
  bool neutral() const { return !grows() && !decays(); }
  // As a power of the number of steps.
  bool creeps() const { return neutral() && eigenvectors < multiplicity; }
  // A movement without force goes on: that is as it should be.
  bool free() const { return creeps() && !violates && std::abs(value - 1.0) <= uncertainty; }
};

struct Stability {
  Report report;    // refused: no position of rest, or no fixed step; else what went wrong with the numbers
  double step = 0;  // s
  int steps = 1;    // that the map spans: projections every so many steps
  double spectral_radius = 0;
  double uncertainty = 0;   // of the spectral radius
  double map_error = 0;     // estimated error of the map's entries
  std::vector<Mode> modes;  // largest modulus first
};

// With the plan's own step. Throws std::invalid_argument when the plan does not fit the mechanism.
Stability stability(const Mechanism& mechanism, const Plan& plan);

}  // namespace trammel::analysis
