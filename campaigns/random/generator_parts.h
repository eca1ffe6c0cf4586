// Parts of the generator: bodies with their joints, then couplers, drivers, forces and velocities.
#pragma once

#include "dice.h"
#include "generator.h"

namespace trammel::campaigns::random {

// Regular enough to start; the ranks.
bool is_regular(const Specification& spec, Mobility& found);

bool draw_parts(Specification& spec, Dice& dice);
void draw_structure(Specification& spec, Dice& dice);
void draw_couplers(Specification& spec, Dice& dice);
void draw_drivers(Specification& spec, Dice& dice);
void draw_forces(Specification& spec, Dice& dice);
void draw_velocities(Specification& spec, Dice& dice);

// Adds a joint where it takes away as many freedoms as it has equations, or, if it may be redundant, any
// number, and leaves at least `freedoms`. False: the mechanism is as before.
bool try_joint(Specification& spec, const JointSpec& joint, bool may_be_redundant, int freedoms);
int freedoms_of(const Specification& spec);

// Joints with one coordinate, an angle if asked for so; with cylindrical ones, which have both.
std::vector<int> joints_with(const Specification& spec, bool angle, bool displacement, bool cylindrical);

}  // namespace trammel::campaigns::random
