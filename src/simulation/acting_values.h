// What the expressions of a model come to where a run ends: which of them has lost its finite value, which
// has grown beyond measure.
#pragma once

#include <string>

#include "trammel/simulation.h"

namespace trammel::simulation {

// What to do about something that is no longer finite.
inline constexpr const char* kLookWhy =
    "look whether it divides by zero, takes the root or logarithm of a negative number, or grows without "
    "bound";

// The state of a failed step is the last one that was right: what acts is looked at there and a little
// further along the motion. "force 'push': 'sqrt(A.y)' is no longer finite from about t = 1 s on"; empty:
// every expression has one.
std::string expression_not_finite(const Simulation& simulation);

// "force 'push': '10*exp(100*t)' is 5e+09": the expression that time alone has made largest since the start;
// empty: none has grown by that factor.
std::string expression_grown(const Simulation& simulation, double by);

// How an expression that has become much larger than at the start changes along the motion: it has a pole
// close before or after the state, or doubles again and again. "state 'z': 'z^2' is 1e+04 there and becomes
// infinite at about t = 1 s; …"; empty: none does.
std::string expression_with_pole(const Simulation& simulation, const State& state);
std::string expression_that_doubles(const Simulation& simulation);

}  // namespace trammel::simulation
