// State: everything that a System needs to go on from here. A small value; a copy resumes to the same bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trammel {

// A named vector that a formulation, an integrator or the System keeps in the State.
struct Memory {
  std::string name;
  std::vector<double> values;
};

// What of a State within a step is asked for: positions alone leave the rest as it was at the step's
// beginning or as interpolated, and the constraints of velocities open by what that errs.
enum class Wanted { all, positions };

struct State {
  double t = 0;                // s
  std::vector<double> q;       // positions (nq)
  std::vector<double> v;       // velocities (nv)
  std::vector<double> a;       // accelerations v̇ (nv)
  std::vector<double> lambda;  // multipliers (m), M v̇ + Φ_vᵀλ = Q; of constraints of velocities last
  std::vector<double> x;       // auxiliary states
  std::vector<double> inputs;  // values set from outside between steps
  std::vector<Memory> memory;

  // The memory of that name, made with `size` zeros when it is not there yet.
  std::vector<double>& remember(std::string_view name, std::size_t size);
  const std::vector<double>* recall(std::string_view name) const;
};

}  // namespace trammel
