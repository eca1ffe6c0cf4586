// Augmented Lagrangian, index 3, with projections of velocities and accelerations.
//
//   M v̇ + Φ_vᵀ(λ* + αΦ) = Q,   λ*₊ = λ* + αΦ after each solve
//   T δ = −(M v̇ + Φ_vᵀ(λ* + αΦ) − Q)/(∂v̇/∂δ),   T = M + (dv/da) C + (1/da)(K + Φ_vᵀαΦ_v)
//   v ← v − P⁻¹Φ_vᵀ cα Φ̇,   v̇ ← v̇ − P⁻¹Φ_vᵀ cα Φ̈, repeated;   P = T (metric: tangent) or M + c Φ_vᵀαΦ_v
//   (mass)
//
//   Bayo & Ledesma (1996), (35)–(40); González, Dopico, Cuadrado & Kövecses, (8)–(31)
#pragma once

#include <memory>

#include "forms/residual_form.h"
#include "formulations/tangent.h"
#include "trammel/plan.h"

namespace trammel {

class AugmentedLagrangianIndex3 final : public ResidualForm {
 public:
  AugmentedLagrangianIndex3(std::shared_ptr<const System> system, const Plan& plan);

  int size() const override { return system_->sizes().v; }
  Residual evaluate(State& trial, const Coeffs& c, bool first) override;
  Outcome solve(State& trial, const Coeffs& c, std::span<double> increment, double& norm) override;
  void move(State& trial, std::span<const double> increment) override;
  Violation project(State& trial, const Coeffs& c) override;
  Report accept(State& trial, const Coeffs& c) override;

  const Terms& terms() const { return terms_; }
  int fallovers() const { return tangent_.solver().fallovers(); }
  std::string_view solver_name() const { return tangent_.solver().name(); }

 private:
  void choose_penalty(const Coeffs& c);
  double sweep(std::vector<double>& x, std::span<const double> bias, TangentMatrix& metric);
  double solve_states(State& trial, const Coeffs& c);

  std::shared_ptr<const System> system_;
  Plan plan_;
  Terms terms_;
  TangentMatrix tangent_;
  std::unique_ptr<TangentMatrix> mass_metric_;  // only when it differs from the tangent
  std::vector<double> mass_;                    // effective, per coordinate
  std::vector<double> penalty_;                 // by row; 0: automatic
  std::vector<double> alpha_, weight_, projection_weight_;
  std::vector<double> work_;
};

}  // namespace trammel
