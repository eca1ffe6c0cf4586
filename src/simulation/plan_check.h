// What a Plan may not say: everything that does not fit, each a sentence for a person.
#pragma once

#include <string>
#include <vector>

#include "simulation/method_table.h"
#include "trammel/mechanism.h"
#include "trammel/validate.h"  // check_plan()

namespace trammel::simulation {

// Why a mechanism cannot take these coordinates; empty: it can.
std::string misfit(const Mechanism& mechanism, const std::string& coordinates);
// Whether it can.
bool suits(const Mechanism& mechanism, CoordinatesKind coordinates);

// Formulation modular: with a coarser tolerance the forces of the last step pass the test at once, and stay.
inline constexpr double kCoarsestWarmStart = 1e-4;

// A smaller tolerance of a step is rounding.
inline constexpr double kLeastTolerance = 1e-14;

// A run without an output interval of its own keeps about this many rows.
inline constexpr double kRows = 1000;
// True when the plan's tolerance chooses the steps.
bool controls_error(const Plan& plan);
bool controls_error(const ResolvedPlan& plan);
// Why the plan's methods do not read an option, and what to do instead.
struct Unread {
  std::string message, remedy;
};
Unread why_unread(const ResolvedPlan& plan, std::string_view option);
// What takes the steps: "augmented-lagrangian with rk4", or a formulation that has its own rule.
std::string stepping_rule(const ResolvedPlan& plan);
// The times that a run lands on are multiples of this: the step, or the output interval where the tolerance
// alone chooses steps.
double landing_interval(const Plan& plan);
double landing_interval(const ResolvedPlan& plan);
// Every how many of them a row is written.
long output_stride(const ResolvedPlan& plan);

}  // namespace trammel::simulation
