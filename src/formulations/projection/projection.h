// Projector: mass-orthogonal projections of positions, velocities and accelerations onto the constraints.
//
//   min (q − q*)ᵀM(q − q*),  Φ(q) = 0            Bayo & Ledesma (1996), (11)–(16)
//   min (v − v*)ᵀM(v − v*),  Φ_v v + Φ_t = 0     (17)–(25)
//   and likewise for v̇ with Φ_v v̇ + γ = 0
//
// Constraints of velocities hold no positions: they are rows of the last two only.
// Each by augmented Lagrangian sweeps with T = M + Φ_vᵀ w Φ_v, so that redundant constraints do not matter.
#pragma once

#include "formulations/matrices/tangent.h"
#include "formulations/rows/row_loops.h"
#include "trammel/report.h"

namespace trammel::formulations {

class Projector {
 public:
  Projector(const system::Dynamics& system, SolverChoice choice);

  [[nodiscard]] Report positions(State& s);
  // Both use Φ_v at the state's positions; `left` is what remains, lengths scaled to one.
  [[nodiscard]] Report velocities(State& s, double& left);
  // The same with Φ_v v + Φ_t = target in each row, and the impulse that it takes there: M Δv = −Φ_vᵀ
  // impulse.
  [[nodiscard]] Report velocities_to(State& s, std::span<const double> target, std::span<double> impulse,
                                     double& left);
  [[nodiscard]] Report accelerations(State& s, double& left);
  // What a state leaves of the constraints, without changing it.
  Violation violation(const State& s);
  // The same where the terms are those of the state.
  Violation violation(const State& s, const system::Terms& terms);
  void forget() {
    tangent_.forget();
    evaluated_ = false;
  }

 private:
  // `near`: so close to the last state that its factor will do.
  void evaluate(const State& s, bool near = false);
  bool factor(int rows);  // the first ones, at the terms
  // Without the rows of less than kLongRow; false where there are none.
  bool factor_long_rows(int rows);
  double sweep(std::vector<double>& x, std::span<const double> bias);
  double sweep(std::vector<double>& x, std::span<const double> bias, std::span<double> impulse);

  const system::Dynamics& system_;
  system::Terms terms_;
  TangentMatrix tangent_;
  RowLoops loops_;
  State at_;                // where the terms were evaluated
  bool evaluated_ = false;  // somewhere
  int factored_rows_ = -1;  // there or close to it the matrix was factored with so many rows; −1: nowhere
  bool at_factor_ = false;  // there itself
  std::vector<double> factored_Phi_v_;
  std::vector<double> mobility_, least_, inverse_scale_, weight_, work_, lambda_, bias_, rate_;
  std::vector<double> start_, back_, before_, kept_;
};

// What counts as closed at a state with these terms: forms::kClosed, or rounding of the velocities and
// accelerations that a row adds up, where the motion is fast, or of the positions, where they are far from
// the origin. `far` as for position_rounding().
Violation closed_to(const system::Dynamics& system, const system::Terms& terms, const State& s,
                    double far = 0);

}  // namespace trammel::formulations
