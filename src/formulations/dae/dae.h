// The mixed system of differential and algebraic equations itself, by SUNDIALS' IDA: BDF of order 1 to 5,
// variable in order and step, Newton's method with our sparse Jacobian and KLU. Equations: dae_equations.h
//
// The plan's tolerance is the local error of q, v and x, relative to max(|y|, scale). λ and μ stand outside
// the error and convergence tests: in a system of index 2 they follow from q and v with one order of h less,
// and would hold the step down at tight tolerances (Petzold & Lötstedt 1986). They are linear in the
// equations, so that no error of theirs is carried on. Each step() ends with the v̇ and λ that belong to its q
// and v.
//
// The history stays for as long as each state is the one that the step before left. It starts anew from any
// other state or inputs, after prepare() and after a failure. So a resumed copy agrees to the tolerance only;
// call prepare() at every checkpoint to agree to the bit.
#pragma once

#include <memory>

#include "forms/step_form.h"
#include "system/dynamics.h"
#include "trammel/resolved_plan.h"

namespace trammel::formulations {

// False in builds without SUNDIALS.
bool dae_available();
// Null where it is not available.
std::unique_ptr<forms::StepForm> make_dae(std::shared_ptr<const system::Dynamics> system,
                                          const ResolvedPlan& plan);

}  // namespace trammel::formulations
