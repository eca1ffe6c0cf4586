// Explicit Runge–Kutta stages by Butcher's tableau:
//
//   k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j),   y₊ = y + h Σ b_i k_i
//
// e = b − b̂ estimates the error where the tableau has a second row b̂. The tableaux: Hairer, Nørsett & Wanner,
// Solving Ordinary Differential Equations I (1993), II.1 and II.5.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "forms/ode_form.h"

namespace trammel {

struct Tableau {
  static constexpr int kMost = 7;
  using Row = std::array<double, kMost>;

  int stages, order;
  Row c;
  std::array<Row, kMost> a;
  Row b;
  Row e = {};
};

inline constexpr Tableau kEuler{1, 1, {0}, {}, {1}};
inline constexpr Tableau kMidpoint{2, 2, {0, 0.5}, {{{}, {0.5}}}, {0, 1}};
inline constexpr Tableau kHeun{2, 2, {0, 1}, {{{}, {1}}}, {0.5, 0.5}};
inline constexpr Tableau kRungeKutta4{
    4, 4, {0, 0.5, 0.5, 1}, {{{}, {0.5}, {0, 0.5}, {0, 0, 1}}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}};
// Dormand & Prince (1980), RK5(4)7M. The last stage is the next step's first.
inline constexpr Tableau kDormandPrince{
    7,
    5,
    {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
    {{{},
      {1. / 5},
      {3. / 40, 9. / 40},
      {44. / 45, -56. / 15, 32. / 9},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0},
    {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}};

class ExplicitStages {
 public:
  explicit ExplicitStages(const Tableau& tableau) : tableau_(tableau) {}

  void resize(std::size_t n);
  // Evaluates the stages from `first` on; the earlier ones are there already. `evaluations` counts.
  [[nodiscard]] Report evaluate(OdeForm& form, double t, double h, std::span<const double> y, int first,
                                int& evaluations);
  // h Σ weights_i k_i
  void combine(const Tableau::Row& weights, double h, std::span<double> sum) const;
  std::span<double> operator[](int i) { return {k_.data() + offset(i), n_}; }
  std::span<const double> operator[](int i) const { return {k_.data() + offset(i), n_}; }

 private:
  std::size_t offset(int i) const { return static_cast<std::size_t>(i) * n_; }

  const Tableau& tableau_;
  std::size_t n_ = 0;
  std::vector<double> k_;  // stage after stage
  std::vector<double> at_;
};

}  // namespace trammel
