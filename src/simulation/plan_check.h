// What exists and what fits: the names a Plan may use, refused by name with advice.
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanism.h"
#include "trammel/validate.h"  // check_plan()

namespace trammel {

const std::vector<std::string>& known_coordinates();
// Why a mechanism cannot take these coordinates; empty: it can.
std::string misfit(const Mechanism& mechanism, const std::string& coordinates);
const std::vector<std::string>& known_formulations();
const std::vector<std::string>& known_integrators();
const std::vector<std::string>& residual_integrators();  // of index 3
const std::vector<std::string>& ode_integrators();       // of formulations that give accelerations
const std::vector<std::string>& known_solvers();
const std::vector<std::string>& known_independent_choices();
const std::vector<std::string>& known_independent_integrations();
const std::vector<std::string>& known_projection_reactions();
const std::vector<std::string>& known_projection_routes();
const std::vector<std::string>& known_reactions();
const std::vector<std::string>& known_gyroscopic();
// A formulation and integration rule in one, which takes no integrator.
bool is_own_rule(const std::string& formulation);

const std::vector<std::string>& known_inner_formulations();  // of subsystems
// Formulation modular: with a coarser tolerance the forces of the last step pass the test at once, and stay.
inline constexpr double kCoarsestWarmStart = 1e-4;

// A run without an output interval of its own keeps about this many rows.
inline constexpr double kRows = 1000;
// True when the plan's tolerance chooses the steps.
bool controls_error(const Plan& plan);
// What takes the steps: "augmented-lagrangian with rk4", or a formulation that has its own rule.
std::string stepping_rule(const Plan& plan);
// The times that a run lands on are multiples of this: the step, or the output interval where the tolerance
// alone chooses steps.
double landing_interval(const Plan& plan);

}  // namespace trammel
