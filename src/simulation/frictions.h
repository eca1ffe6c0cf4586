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
  // In proportion to the joint's load: capacities are these times the force across the axis; 0: they are not.
  double per_load = 0, most_per_load = 0;
  std::string joint;  // the first
  int axis = 2;       // of its axes
  bool is_loaded() const { return most_per_load != 0; }
};

// The input that stands for a friction's load in the Systems of a run.
std::string load_input(const std::string& friction);
// The mechanism with these inputs, and capacities written with them.
void write_loads(Mechanism& mechanism);

// In the order of Mechanism::forces.
std::vector<Friction> frictions_of(const Mechanism& mechanism);

}  // namespace trammel::simulation
