// Augmented Lagrangian, index 3, with projections of velocities and accelerations.
//
//   M v̇* + Φ_vᵀ(λ* + αΦ) + Aᵀλ̂ = Q,   λ*₊ = λ* + αΦ after each solve
//   T δ = −(M v̇ + Φ_vᵀ(λ* + αΦ) + Aᵀλ̂ − Q)/da,   T = M + (dv/da) C + (1/da)(K + Φ_vᵀαΦ_v)
//   P(v − v*) + Jᵀσ = 0,   P(v̇ − v̇*) + Jᵀκ = 0,   J v + (Φ_t, b) = 0,   J v̇ + (γ, γ̂) = 0,   J = (Φ_v, A)
//   by σ ← σ + cα(J v + …) and likewise κ;   P = M + (dv/da) C + (1/da) K (metric: tangent) or M (mass)
//
// Constraints of velocities, A v + b = 0, have no position that the Newton iteration could hold: the
// projections do, and tell their force, λ̂₊ = λ̂ + κ̂ or, from the velocities, λ̂ + (da/dv) σ̂. λ̂ is that of the
// last step; as published it is zero, and positions are of first order only.
//
// Each iteration factors anew: the projections need a factor of the very positions that they project at. With
// Φ_v turned by ε since then they would err by kPenaltyRatio·ε of what they correct.
//
//   Bayo & Ledesma (1996), (35)–(40); González, Dopico, Cuadrado & Kövecses, (8)–(43)
#pragma once

#include <memory>

#include "forms/residual_form.h"
#include "formulations/matrices/tangent.h"
#include "formulations/projection/projection.h"
#include "formulations/reactions/work.h"
#include "formulations/rows/row_independence.h"
#include "formulations/rows/row_loops.h"
#include "trammel/resolved_plan.h"

namespace trammel::formulations {

class AugmentedLagrangianIndex3 final : public forms::ResidualForm {
 public:
  AugmentedLagrangianIndex3(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan);

  int size() const override { return system_->sizes().v; }
  forms::Residual evaluate(State& trial, const forms::Coeffs& c, bool first) override;
  int worst_row() const override;
  double rounding(const State& trial) const override;
  bool near_singular() override;
  bool constant_forces() const override { return system_->constant_forces(); }
  Outcome solve(State& trial, const forms::Coeffs& c, std::span<double> increment, double& norm) override;
  void move(State& trial, std::span<const double> increment) override;
  Violation project(State& trial, const forms::Coeffs& c) override;
  Violation closed_to(const State& trial) const override {
    return formulations::closed_to(*system_, terms_, trial);
  }
  Report accept(const State& from, State& trial, const forms::Coeffs& c) override;
  bool projection_adds_forces() const override { return system_->sizes().rows > system_->sizes().holonomic; }

  // True when λ̂ of the last step acts in the next.
  bool carries_reactions() const { return carries_reactions_; }
  // Memory of a state that starts a run, with the λ that belongs to it.
  void prepare(State& state) const;
  // Why these constraints cannot be held so; empty when they can.
  std::string refusal() const;

  const system::Terms& terms() const { return terms_; }
  int fallovers() const { return tangent_.fallovers() + (own_metric_ ? own_metric_->fallovers() : 0); }
  std::string_view solver_name() const { return tangent_.solver_name(); }

 private:
  void choose_penalty(const forms::Coeffs& c);
  void take_given_penalty(const forms::Coeffs& c);
  double sweep(std::span<double> x, std::span<const double> bias, TangentMatrix& metric,
               std::span<double> multiplier, double enough);
  [[gnu::noinline]] void solve_and_sum(TangentMatrix& metric, std::span<const double> x,
                                       std::span<const double> bias, std::span<double> change,
                                       std::span<double> multiplier);
  void recover(State& trial, const forms::Coeffs& c);
  const double* acting(const std::vector<double>& lambda);
  double solve_states(State& trial, const forms::Coeffs& c);

  std::shared_ptr<const system::Dynamics> system_;
  ResolvedPlan plan_;
  system::Terms terms_;
  bool carries_reactions_, mass_metric_;
  StepWork step_work_;
  TangentMatrix tangent_;
  std::unique_ptr<TangentMatrix> own_metric_;  // only when it differs from the tangent
  RowLoops loops_;
  std::unique_ptr<RowIndependence> independence_;  // made when it is first asked for
  std::size_t holonomic_;                          // rows with a position level, which come first
  std::vector<double> mobility_;                   // by which penalties are chosen, per coordinate
  std::vector<double> least_;                      // compliance, per row
  std::vector<double> inverse_scale_;              // of the rows
  std::vector<double> inverse_size_;               // of the coordinates
  bool gives_penalty_;                             // the plan does, for some row
  std::vector<double> penalty_;                    // by row; 0: automatic
  std::vector<double> alpha_, weight_, projection_weight_;
  std::vector<double> sigma_, kappa_;  // of the last projections, where someone asks for them
  std::vector<double> rate_, force_, work_;
};

// The State's memory of the multipliers that the last step and its projections found: λ* + κ and λ̂ + κ̂, or
// by the velocities. Kept when the plan reports reactions by them.
inline constexpr MemorySlot kProjectionMultipliers{"projection multipliers", Lifetime::step};

}  // namespace trammel::formulations
