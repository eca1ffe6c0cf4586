#include "system/system.h"

#include <algorithm>

namespace trammel {

Terms System::make_terms() const {
  const auto count = [](int n) { return static_cast<std::size_t>(n); };
  Terms terms;
  terms.M = mass_;
  terms.Phi.assign(count(sizes_.rows), 0);
  terms.Phi_t = terms.gamma = terms.Phi;
  terms.Phi_v.assign(jacobian_.column.size(), 0);
  terms.Q.assign(count(sizes_.v), 0);
  terms.K.assign(count(stiffness_.size()), 0);
  terms.C.assign(count(damping_.size()), 0);
  terms.x_dot.assign(count(sizes_.states), 0);
  terms.x_dot_x.assign(count(sizes_.states * sizes_.states), 0);
  terms.signals.assign(signal_count_, 0);
  terms.measures.assign(measure_scratch_, 0);
  terms.scratch.assign(expression_scratch_, 0);
  return terms;
}

double System::kinetic_energy(const State& s, const Terms& terms) const {
  double twice = 0;
  for (std::size_t k = 0; k < terms.M.size(); ++k) {
    const auto i = static_cast<std::size_t>(mass_pattern_.row[k]),
               j = static_cast<std::size_t>(mass_pattern_.column[k]);
    twice += (i == j ? 1 : 2) * terms.M[k] * s.v[i] * s.v[j];
  }
  return 0.5 * twice;
}

}  // namespace trammel
