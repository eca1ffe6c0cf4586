// The rate at the end of a step, kept in the State: the next step begins with it.
#pragma once

#include <span>

#include "forms/ode_form.h"

namespace trammel::integrators {

// ẏ at y, which is the state's: from its memory, or else from the form, which counts.
[[nodiscard]] Report first_stage(forms::OdeForm& form, const State& state, std::span<const double> y,
                                 std::span<double> y_dot, int& evaluations);
// Into a state that a step has led to.
void remember_first_stage(std::span<const double> y, std::span<const double> y_dot, State& state);
// The same where the form knows the rate at the state that it has just accepted.
void remember_first_stage(const forms::OdeForm& form, forms::Kept kept, std::size_t size, State& state);
void forget_first_stage(State& state);

}  // namespace trammel::integrators
