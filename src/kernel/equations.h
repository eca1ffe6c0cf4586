// KernelEquations: the equations of one mechanism in natural coordinates, recorded.
//
//   Φ(q, t), Q(q, v, t) from the parts of the System; Φ_v, Φ_t, γ, K and C by differentiating them
#pragma once

#include <string>
#include <vector>

#include "kernel/graph.h"
#include "system/natural/natural_system.h"

namespace trammel::kernel {

// A nonzero entry of a matrix.
struct Entry {
  int row, column;
  Recorded value;
};

struct KernelEquations {
  std::vector<Recorded> Phi, Phi_t, gamma;  // by row
  std::vector<Entry> Phi_v;                 // row by row
  std::vector<Recorded> Q;                  // by coordinate
  std::vector<Entry> K, C;
  std::vector<Recorded> angles;  // with turns, nearest to those that the source is given
  std::vector<int> angle_measures;
};

// Inputs are the arrays q, v, angle and t (of one entry). all_angles: also those which nothing acts on, for a
// reader of columns. `refusal` is empty, or says which part of the model has no recorded form yet.
template <int D>
KernelEquations record_equations(const system::NaturalSystem<D>& system, bool all_angles, Graph& graph,
                                 std::string& refusal);

}  // namespace trammel::kernel
