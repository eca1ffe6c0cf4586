// The functions of a step, recorded and written as source.
//
// With δ the increment of the positions, v = v₀ + (2/h) δ and v̇ = a₀ + (4/h²) δ, Newton's method solves
//
//   T δ (4/h²) = Q − M v̇ − Φ_vᵀ(λ* + αΦ),   T = M + (h/2) C + (h²/4) K + Φ_vᵀ s Φ_v,   α = (4/h²) s
//
// and v, v̇ are projected with the same factor of T: formulations/index3 has the method and its sources. T is
// factored as L D Lᵀ in an order that keeps L sparse, line by line: what is zero by structure is not there.
#pragma once

#include <string>
#include <vector>

#include "kernel/equations.h"

namespace trammel::kernel {

// Numbers of the method, from the same places as those of the table-driven engine.
struct StepNumbers {
  std::vector<Entry> mass;                // lower triangle
  std::vector<Recorded> mobility, least;  // by coordinate, by row: of the automatic penalty
  std::vector<double> inverse_scale;      // by row
  std::vector<double> inverse_size;       // by coordinate
};

struct StepFunctions {
  std::string text;
  int jacobian = 0, factor = 0;  // entries that vary
  int operations = 0;
};

StepFunctions write_functions(Graph& graph, const KernelEquations& equations, const StepNumbers& numbers);

}  // namespace trammel::kernel
