// The uncontrolled bicycle: eigenvalues of straight upright running at a speed.
#pragma once

#include <complex>
#include <vector>

#include "reproduce/figures.h"

namespace trammel::reproduce {

// In 1/s, the most negative real part first.
std::vector<std::complex<double>> bicycle_eigenvalues(const Item& item, double speed);

}  // namespace trammel::reproduce
