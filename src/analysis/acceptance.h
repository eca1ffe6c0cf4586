// acceptance(): which coordinates, formulations and integrators a mechanism takes, and why not the others.
//
// Each is asked for as a run asks: by check_plan(), Simulation's constructor and its assembly. What is known
// is known_coordinates(), known_formulations() and known_integrators(); there is no other list.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"

namespace trammel::analysis {

struct Acceptance {
  std::string coordinates, formulation, integrator;
  std::string reason;    // why it is refused, a sentence for a person; empty: it runs
  bool misfits = false;  // refused whatever the mechanism is: the rule does not go with the formulation, …
  bool accepted() const { return reason.empty(); }
};

// Every combination, in the order of the lists. A formulation that is its own rule has one, with the
// integrator that a plan has where none is given.
std::vector<Acceptance> acceptance(const Mechanism& mechanism, const Plan& plan);

// The plan with another method. What belongs to a step of fixed size gets one.
Plan with_method(const Plan& plan, const std::string& coordinates, const std::string& formulation,
                 const std::string& integrator);

// Why the mechanism cannot be run by this plan; empty: it can.
std::string refusal(const Mechanism& mechanism, const Plan& plan);

}  // namespace trammel::analysis
