// What rounding leaves of Φ where positions are closed, scaled to one.
//
// A position is known to half an ulp; a row sums products with two of them and more, and rounds each. So far
// from the origin no method closes constraints further.
#pragma once

#include "system/dynamics.h"

namespace trammel::formulations {

// The Terms are those of the state's positions. `far`: how far bodies are from the origin, by the length
// scale, where coordinates do not say it, as angles of joints.
double position_rounding(const system::Dynamics& system, const system::Terms& terms, const State& state,
                         double far = 0);

}  // namespace trammel::formulations
