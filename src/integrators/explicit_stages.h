// Explicit Runge–Kutta stages by Butcher's tableau:
//
//   k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j),   y₊ = y + h Σ b_i k_i
//
// The tableaux: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I (1993), II.1. Those with
// an error estimate are in pair_tableaus.h.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "forms/ode_form.h"

namespace trammel::integrators {

struct Tableau {
  static constexpr int kMost = 16;
  using Row = std::array<double, kMost>;

  int stages, order;
  Row c;
  std::array<Row, kMost> a;
  Row b;
};

inline constexpr Tableau kEuler{1, 1, {0}, {}, {1}};
inline constexpr Tableau kMidpoint{2, 2, {0, 0.5}, {{{}, {0.5}}}, {0, 1}};
inline constexpr Tableau kHeun{2, 2, {0, 1}, {{{}, {1}}}, {0.5, 0.5}};
inline constexpr Tableau kRungeKutta4{
    4, 4, {0, 0.5, 0.5, 1}, {{{}, {0.5}, {0, 0.5}, {0, 0, 1}}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}};

class ExplicitStages {
 public:
  // further: stages that the tableau has beyond those of a step.
  explicit ExplicitStages(const Tableau& tableau, int further = 0)
      : tableau_(tableau), most_(tableau.stages + further) {}

  void resize(std::size_t n);
  // Evaluates the stages from `first` to before `end`; the earlier ones are there already. `evaluations`
  // counts.
  [[nodiscard]] Report evaluate(forms::OdeForm& form, double t, double h, std::span<const double> y,
                                int first, int end, int& evaluations);
  // h Σ weights_i k_i
  void combine(const Tableau::Row& weights, double h, std::span<double> sum) const;
  // y + h Σ weights_i k_i
  void lead(std::span<const double> y, const Tableau::Row& weights, double h, std::span<double> to) const;
  // y + h Σ a_ij k_j of the stage last evaluated.
  std::span<const double> last_place() const { return at_; }
  std::span<double> operator[](int i) { return {k_.data() + offset(i), n_}; }
  std::span<const double> operator[](int i) const { return {k_.data() + offset(i), n_}; }

 private:
  // y + h Σ weights_i k_i over the first stages; y: null for 0
  void add_up(const Tableau::Row& weights, int stages, double h, const double* y, double* sum) const;
  std::size_t offset(int i) const { return static_cast<std::size_t>(i) * n_; }

  const Tableau& tableau_;
  int most_;
  std::size_t n_ = 0;
  std::vector<double> k_;  // stage after stage
  std::vector<double> at_;
};

}  // namespace trammel::integrators
