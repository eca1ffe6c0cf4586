// The parts of validate(): each appends its issues.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "mechanism/validate.h"

namespace trammel::mechanism {

using Issues = std::vector<Issue>;

// Bodies and joints by name: Mechanism's own lookups are linear.
struct MechanismIndex {
  explicit MechanismIndex(const Mechanism& mechanism);
  // Ground counts as a body.
  bool has_body(const std::string& name) const { return name == kGround || bodies.count(name) > 0; }
  std::unordered_map<std::string, const Body*> bodies;
  std::unordered_map<std::string, const Joint*> joints;
};

void validate_names(const Mechanism&, Issues&);
void validate_bodies(const Mechanism&, Issues&);
void validate_joints(const Mechanism&, const MechanismIndex&, Issues&);
void validate_velocity_joint(const Mechanism&, const MechanismIndex&, const Joint&,
                             Issues&);  // of velocities
void validate_stops(const Mechanism&, const MechanismIndex&, Issues&);
void validate_subsystems(const Mechanism&, const MechanismIndex&, Issues&);
void validate_forces(const Mechanism&, const MechanismIndex&, Issues&);
void validate_own_constraints(const Mechanism&, const MechanismIndex&, Issues&);  // from C++
void validate_expressions(const Mechanism&, Issues&);  // drivers', forces', states' and outputs'
void validate_connections(const Mechanism&, Issues&);
void validate_generalized(const Mechanism&, Issues&);  // a person's own coordinates

}  // namespace trammel::mechanism
