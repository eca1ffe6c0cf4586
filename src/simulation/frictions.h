// The dry frictions of a mechanism as its Systems watch them: relative speed, capacity, static capacity.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::simulation {

// What a friction in proportion to its load reads of its joint: the forces with which the surfaces press on
// each other.
//
//   guide, journal   F⊥, the force across the axis; with a length l between two ends, where it has the moment
//   M
//                    about the middle: ½F⊥ ± M × a/l at these ends, a along the axis
//   thread           (F/cos λ − τ sin λ/r)/cos α, across its flanks: F along the axis, λ the lead angle at
//                    the mean radius r, τ the friction's own torque, tan α = tan(flank angle) cos λ
struct FrictionContact {
  std::string joint;
  std::string first;         // the joint's first body
  int axis = 2;              // of the joint's axes
  double length = 0;         // m; 0: moments do not count
  double thread_radius = 0;  // m; 0: it is no thread
  double lead_angle = 0, flank_cosine = 1;
};

struct Friction {
  std::string name;
  std::string speed;           // an expression: rate1 − ratio·rate2
  std::string capacity, most;  // expressions: what it transmits while it slips, what it holds
  bool one_way = false;
  bool is_angle = true;
  // In proportion to the joint's load: capacities are these times the sum of the forces of the contact; 0:
  // they are not.
  double per_load = 0, most_per_load = 0;
  FrictionContact contact;
  bool is_loaded() const { return most_per_load != 0; }
};

// The input that stands for a friction's load in the Systems of a run.
std::string load_input(const std::string& friction);
// The mechanism with these inputs, and capacities written with them.
void write_loads(Mechanism& mechanism);

// In the order of Mechanism::forces.
std::vector<Friction> frictions_of(const Mechanism& mechanism);

}  // namespace trammel::simulation
