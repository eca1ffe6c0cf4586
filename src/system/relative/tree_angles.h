// TreeAngles: the angles that a State keeps with their turns, where each is a sum of the tree's own
// coordinates:
//
//   θ = θ₀ + Σ ± q_j        the hinge that a tree is made of; in the plane, any angle between bodies
//
// There is nothing to measure then: coordinates of hinges do not jump.
#pragma once

#include <string>
#include <vector>

#include "trammel/state.h"

namespace trammel::system {

struct TreeAngle {
  struct Term {
    std::size_t q, v;
    double sign;
  };
  std::string name;
  double offset = 0;
  std::vector<Term> terms;
};

// Takes the angles of an accepted step of size h; the name of one that turned more than half a turn in it.
std::string accept_angles(const std::vector<TreeAngle>& angles, double h, State& s);

}  // namespace trammel::system
