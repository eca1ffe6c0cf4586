// AugmentedSystem: M x + Φ_vᵀμ = f, Φ_v x + c = 0 by augmented Lagrange, so that redundant constraints and a
// singular M do not matter.
//
//   x += T⁻¹(f − M x − Φ_vᵀ(μ + αs)),  μ += αs,  s = Φ_v x + c,  T = M + Φ_vᵀαΦ_v      Bayo & Ledesma (8)
//
// from zero: f is balanced after every pass, s vanishes with their number. Where μ is not unique it is the
// one of least Σ μ²/α: every pass adds α times a vector of the range of Φ_v. Next to a singular position
// that takes thousands of passes; conjugate directions take few, as few singular values are small there.
#pragma once

#include <array>

#include "formulations/matrices/tangent.h"
#include "formulations/rows/row_loops.h"
#include "trammel/report.h"
#include "trammel/resolved_plan.h"

namespace trammel::formulations {

class AugmentedSystem {
 public:
  AugmentedSystem(const system::Dynamics& system, const ResolvedPlan& plan);
  [[nodiscard]] Report factor(const system::Terms& terms);
  // To rounding, or with the number of passes that the plan asks for.
  [[nodiscard]] Report solve(const system::Terms& terms, std::span<const double> f, std::span<const double> c,
                             std::span<double> x, std::span<double> mu) {
    return solve(terms, f, c, 0, x, mu);
  }
  // x may err by `allowed` of its size, across the constraints; then μ is not to be used. How many passes
  // that takes the first solution since forget() tells.
  [[nodiscard]] Report solve(const system::Terms& terms, std::span<const double> f, std::span<const double> c,
                             double allowed, std::span<double> x, std::span<double> mu);
  // Whether rows depend on others everywhere, not only where a position is singular.
  void expect_redundant(bool redundant) { redundant_ = redundant; }
  // From now on solutions to rounding follow conjugate directions where passes are slow. Not for the ends of
  // steps whose stages do not: rates must be those of one equation.
  void use_conjugates(bool on) { conjugates_ = on; }
  void forget() {
    tangent_.forget();
    left_.fill(INFINITY);
  }

 private:
  void learn(int i, double change);
  bool enough(int i, double change, double last, double allowed, bool first) const;
  bool converged(int i, double change, double last, double least) const;
  int follow_conjugates(const system::Terms& terms, std::span<const double> c, std::span<double> x,
                        std::span<double> mu);
  void end(const system::Terms& terms, std::span<const double> c, std::span<const double> x,
           std::span<double> mu);

  const system::Dynamics& system_;
  TangentMatrix tangent_;
  RowLoops loops_;
  double constraint_scale_;
  bool redundant_ = false, conjugates_ = false;
  int passes_;                   // after the first; −1: to convergence
  std::vector<double> penalty_;  // by row; 0: automatic
  std::vector<double> mobility_, least_, alpha_, increment_, rate_;
  std::vector<double> direction_, turned_, zero_;
  std::array<double, 2> left_;  // what the first passes have left of x, relative to its size
};

}  // namespace trammel::formulations
