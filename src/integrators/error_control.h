// What the rules for OdeForm with error control share: their first step, their last word, and the way to a
// given time.
#pragma once

#include <span>

#include "integrators/ode_integrator.h"

namespace trammel::integrators {

// For what a rule says when it gives up.
struct Spoken {
  const char *name, *remedy;
};

// A step too small to resolve its stages.
bool too_small(double h, double t);
Report stuck(const Spoken& rule, const char* what, double t, double h);

// A step whose Euler error is small, from y and its rate; error: of that order in h. `trial` and
// `trial_rate` are room to work.
double first_step_size(forms::OdeForm& form, double t, std::span<const double> y,
                       std::span<const double> rate, double tolerance, int error_order,
                       std::span<double> trial, std::span<double> trial_rate, int& evaluations);

// As many steps of advance() as lead to h from here, at most 10⁶; `start` is room for the state before them.
[[nodiscard]] StepResult advance_by(OdeIntegrator& integrator, const Spoken& rule, forms::OdeForm& form,
                                    State& state, double h, State& start);

// The motion within a step that began at `before` passes y at t: what is wanted of the state there.
void within_step(forms::OdeForm& form, const State& before, double t, std::span<const double> y,
                 Wanted wanted, State& state, StepResult& result);

}  // namespace trammel::integrators
