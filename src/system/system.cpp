#include "system/system.h"

#include <algorithm>

namespace trammel {

std::vector<double>& State::remember(std::string_view name, std::size_t size) {
  for (Memory& m : memory)
    if (m.name == name) return m.values;
  memory.push_back({std::string(name), std::vector<double>(size, 0.0)});
  return memory.back().values;
}

const std::vector<double>* State::recall(std::string_view name) const {
  for (const Memory& m : memory)
    if (m.name == name) return &m.values;
  return nullptr;
}

Terms System::make_terms() const {
  const auto count = [](int n) { return static_cast<std::size_t>(n); };
  Terms terms;
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

double System::kinetic_energy(const State& s) const {
  double twice = 0;
  for (std::size_t k = 0; k < mass_.size(); ++k) {
    const auto i = static_cast<std::size_t>(mass_pattern_.row[k]),
               j = static_cast<std::size_t>(mass_pattern_.column[k]);
    twice += (i == j ? 1 : 2) * mass_[k] * s.v[i] * s.v[j];
  }
  return 0.5 * twice;
}

}  // namespace trammel
