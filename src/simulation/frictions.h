// The dry frictions of a mechanism as its Systems watch them: relative speed, capacity, static capacity.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::simulation {

struct Friction {
  std::string name;
  std::string speed;           // an expression: rate1 − ratio·rate2
  std::string capacity, most;  // expressions: what it transmits while it slips, what it holds
  bool one_way = false;
  bool is_angle = true;
};

// In the order of Mechanism::forces.
std::vector<Friction> frictions_of(const Mechanism& mechanism);

}  // namespace trammel::simulation
