// Source code made for one mechanism: a step written out line by line, for a C++ compiler or for CUDA.
#pragma once

#include <string>

#include "trammel/mechanism.h"
#include "trammel/plan.h"

namespace trammel {

enum class KernelTarget { cpp, cuda };

struct KernelSource {
  std::string text;     // the source; empty if it was refused
  std::string refusal;  // why, and what to do
  int operations = 0;   // of one Newton iteration and both projections
};

// A step of the index-3 augmented Lagrangian by the trapezoidal rule, in natural coordinates. Initial values
// are inputs of each instance; the numbers of the model are written into the source. docs/kernels.md
// describes what the source offers.
KernelSource export_kernel(const Mechanism& mechanism, const Plan& plan, KernelTarget target);

}  // namespace trammel
