// InnerSolver: the accelerations of a subsystem under given forces from outside.
//
//   M v̇ + Φ_vᵀλ = Q + F,   Φ_v v̇ + γ + k_v Φ̇ + k_p Φ = 0          Joli, Seguy & Feng (2008), §3.1–3.2
//
// by the augmented Lagrangian iteration of index 1 (their (24), corrected) or from the whole system
// (Baumgarte). Positions and velocities stay while F changes: the factor is made once for all sweeps.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "formulations/accelerations/lagrange.h"
#include "formulations/matrices/kkt.h"
#include "formulations/matrices/tangent.h"
#include "trammel/report.h"
#include "trammel/resolved_plan.h"

namespace trammel::simulation {

class InnerSolver {
 public:
  // gains: of the subsystem's own step
  InnerSolver(const system::System& system, const Subsystem& settings, const ResolvedPlan& plan,
              const formulations::Stabilization& gains);

  // Constraints at a state, forces at one that may be further on.
  [[nodiscard]] Outcome factor(const State& s, const State& ahead);
  // v̇ and λ with the forces F.
  void accelerate(std::span<const double> F, State& s);
  // What F alone changes of v̇: the response of a subsystem that its own constraints hold.
  void respond(std::span<const double> F, std::span<double> a);
  const system::Terms& terms() const { return terms_; }
  system::Terms& terms() { return terms_; }

 private:
  // M v̇ + Φ_vᵀλ = load, Φ_v v̇ = side; in load_, side_
  void solve(std::span<double> a, std::span<double> lambda);
  void iterate(std::span<double> a, std::span<double> lambda);
  void solve_whole(std::span<double> a, std::span<double> lambda);

  const system::System& system_;
  formulations::Stabilization gains_;
  int fixed_iterations_;
  double scale_;
  system::Terms terms_;
  std::unique_ptr<formulations::TangentMatrix> tangent_;  // augmented Lagrangian, or
  std::unique_ptr<formulations::KktMatrix> whole_;        // Baumgarte
  std::vector<double> penalty_, mobility_, alpha_, load_, side_, stabilized_, work_, ignored_;
};

}  // namespace trammel::simulation
