#include "system/dynamics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/spans.h"

namespace trammel::system {

Terms Dynamics::make_terms() const {
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

void Dynamics::add_mass_times(const Terms& terms, std::span<const double> x, double factor,
                              std::span<double> y) const {
  const double* M = terms.M.data();
  math::by_pairs(diagonal_masses_, [=, x = x.data(), y = y.data()](std::size_t i, auto width) {
    using W = decltype(width);
    math::store<W>(
        y + i, math::load<W>(y + i) + math::spread<W>(factor) * math::load<W>(M + i) * math::load<W>(x + i));
  });
  for (std::size_t k = diagonal_masses_; k < terms.M.size(); ++k) {
    const auto i = static_cast<std::size_t>(mass_pattern_.row[k]),
               j = static_cast<std::size_t>(mass_pattern_.column[k]);
    const double m = factor * M[k];
    y[i] += m * x[j];
    if (i != j) y[j] += m * x[i];
  }
}

void Dynamics::force_left(const Terms& terms, std::span<const double> x, std::span<double> y) const {
  std::copy(terms.Q.begin(), terms.Q.end(), y.begin());
  add_mass_times(terms, x, -1, y);
}

double Dynamics::mass_product(const Terms& terms, std::span<const double> x,
                              std::span<const double> y) const {
  double sum = 0;
  for (std::size_t i = 0; i < diagonal_masses_; ++i) sum += terms.M[i] * x[i] * y[i];
  for (std::size_t k = diagonal_masses_; k < terms.M.size(); ++k) {
    const auto i = static_cast<std::size_t>(mass_pattern_.row[k]),
               j = static_cast<std::size_t>(mass_pattern_.column[k]);
    sum += terms.M[k] * x[i] * y[j];
    if (i != j) sum += terms.M[k] * x[j] * y[i];
  }
  return sum;
}

std::vector<double> Dynamics::mass_diagonal(const Terms& terms) const {
  std::vector<double> diagonal(static_cast<std::size_t>(sizes_.v), 0);
  for (std::size_t k = 0; k < terms.M.size(); ++k)
    if (mass_pattern_.row[k] == mass_pattern_.column[k])
      diagonal[static_cast<std::size_t>(mass_pattern_.row[k])] += terms.M[k];
  return diagonal;
}

void Dynamics::position_rate(std::span<const double>, std::span<const double> v,
                             std::span<double> q_dot) const {
  std::copy(v.begin(), v.end(), q_dot.begin());
}

void Dynamics::retract(std::span<double> q, std::span<const double> delta) const {
  math::add_scaled(q, 1, delta.data());
}

void Dynamics::difference(std::span<const double> from, std::span<const double> to,
                          std::span<double> delta) const {
  for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = to[i] - from[i];
}

// Where ⊕ does not add, a difference of sixth order along to ⊕ εv, |εv| = 1/200: its error is rounding.
void Dynamics::difference_rate(std::span<const double> from, std::span<const double> to,
                               std::span<const double> v, std::span<double> rate) const {
  if (sizes_.q == sizes_.v) {
    std::copy(v.begin(), v.end(), rate.begin());
    return;
  }
  double size = 0;
  for (std::size_t i = 0; i < v.size(); ++i) size = std::max(size, std::abs(v[i]) / coordinate_scale_[i]);
  std::fill(rate.begin(), rate.end(), 0.0);
  if (size == 0) return;
  const double step = 5e-3 / size;
  std::vector<double> q(to.size()), move(v.size()), delta(v.size());
  for (const auto& [k, weight] : {std::pair{1, 3.0 / 4}, {2, -3.0 / 20}, {3, 1.0 / 60}})
    for (const int side : {1, -1}) {
      std::copy(to.begin(), to.end(), q.begin());
      for (std::size_t i = 0; i < v.size(); ++i) move[i] = side * k * step * v[i];
      retract(q, move);
      difference(from, q, delta);
      for (std::size_t i = 0; i < v.size(); ++i) rate[i] += side * weight / step * delta[i];
    }
}

}  // namespace trammel::system
