// SUNDIALS' CVODE: Adams–Moulton (order 1 to 12, fixed-point iteration) and BDF (order 1 to 5, Newton's
// method with a dense Jacobian by differences), variable in order and step.
//
// The history stays with the integrator for as long as each state is the one that the step before left. It
// starts anew from any other state or inputs, after prepare(), after a failure, and when the form has changed
// the state or its chart. So a resumed copy agrees to the tolerance only; call prepare() at every checkpoint
// to agree to the bit.
#pragma once

#include <memory>

#include "integrators/ode_integrator.h"

namespace trammel::integrators {

enum class CvodeMethod { adams, bdf };

// Defined in builds with SUNDIALS only.
std::unique_ptr<OdeIntegrator> make_cvode(CvodeMethod method, const OdeOptions& options);

}  // namespace trammel::integrators
