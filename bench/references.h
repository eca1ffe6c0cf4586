// Reference motions of the problems that have neither a closed form nor published figures: two independent
// formulations in two kinds of coordinates, error-controlled as tightly as rounding allows, which must agree.
#pragma once

namespace trammel::bench {

// Writes them under bench/references and prints how well the two agree; the exit status.
int make_references();

}  // namespace trammel::bench
