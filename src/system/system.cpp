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
  terms.Phi_v_dot = terms.Phi_v;
  terms.Q.assign(count(sizes_.v), 0);
  terms.M_dot_v = terms.Q;
  terms.K.assign(count(stiffness_.size()), 0);
  terms.C.assign(count(damping_.size()), 0);
  terms.x_dot.assign(count(sizes_.states), 0);
  terms.x_dot_x.assign(count(sizes_.states * sizes_.states), 0);
  terms.signals.assign(signal_count_, 0);
  terms.measures.assign(measure_scratch_, 0);
  terms.scratch.assign(expression_scratch_, 0);
  return terms;
}

void System::add_mass_times(const Terms& terms, std::span<const double> x, double factor,
                            std::span<double> y) const {
  for (std::size_t k = 0; k < terms.M.size(); ++k) {
    const auto i = static_cast<std::size_t>(mass_pattern_.row[k]),
               j = static_cast<std::size_t>(mass_pattern_.column[k]);
    y[i] += factor * terms.M[k] * x[j];
    if (i != j) y[j] += factor * terms.M[k] * x[i];
  }
}

double System::mass_product(const Terms& terms, std::span<const double> x, std::span<const double> y) const {
  double sum = 0;
  for (std::size_t k = 0; k < terms.M.size(); ++k) {
    const auto i = static_cast<std::size_t>(mass_pattern_.row[k]),
               j = static_cast<std::size_t>(mass_pattern_.column[k]);
    sum += terms.M[k] * x[i] * y[j];
    if (i != j) sum += terms.M[k] * x[j] * y[i];
  }
  return sum;
}

std::vector<double> System::mass_diagonal(const Terms& terms) const {
  std::vector<double> diagonal(static_cast<std::size_t>(sizes_.v), 0);
  for (std::size_t k = 0; k < terms.M.size(); ++k)
    if (mass_pattern_.row[k] == mass_pattern_.column[k])
      diagonal[static_cast<std::size_t>(mass_pattern_.row[k])] += terms.M[k];
  return diagonal;
}

void System::position_rate(std::span<const double>, std::span<const double> v,
                           std::span<double> q_dot) const {
  std::copy(v.begin(), v.end(), q_dot.begin());
}

void System::retract(std::span<double> q, std::span<const double> delta) const {
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += delta[i];
}

void System::difference(std::span<const double> from, std::span<const double> to,
                        std::span<double> delta) const {
  for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = to[i] - from[i];
}

}  // namespace trammel
