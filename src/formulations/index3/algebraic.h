// The parameter-free algebraic scheme: a predictor and a corrector, each one symmetric positive definite
// solve.
//
//   [Φ_v M⁻¹Φ_vᵀ] λᵖ = Φ/h² + Φ_v vₙ/h + Φ_v M⁻¹Q,   vᵖ = vₙ + h M⁻¹(Q − Φ_vᵀλᵖ),   qᵖ = qₙ ⊕ h vᵖ   (43a),
//   (44a) [Φ_v M⁻¹Φ_vᵀ]ʰ λ = 2Φᵖ/h² + 2Φ_vʰ(vₙ − vᵖ)/h + Φ_vʰM⁻¹Q, v₊ = vₙ + h M⁻¹(Q − Φ_vʰᵀλ),   q₊ = qₙ ⊕
//   ½h(v₊ + vₙ)                                             (43b), (44b)
//
//   Welch, Hong, Trapp & Choi; (43) is (44) for Euler parameters, which ⊕ keeps normalized, (22). ʰ: at
//   qₙ ⊕ ½h vᵖ. Here forces are taken half way too, and constraints that depend on time at the new time.
//   Order 1 is the predictor alone.
//   Where forces depend on velocities, ω × Jω too, the corrector is solved twice, with the same factors and
//   vʰ from the first: vᵖ lacks the centripetal part, which makes the whole of first order. `gyroscopic:
//   predicted` leaves it so, as (43b) is printed.
//
// Constraints of velocities are imposed at the new time, from an estimate of q₊ and v₊ of the step's own
// order:
//
//   […] λᵖ = (A v + b)ₙ/h + (Ȧ v + ḃ)ₙ + A M⁻¹Q,   […]ʰ λ = (A v + b)*/h + Aʰ(vₙ − vᵖ)/h + AʰM⁻¹Q
//
// *: at vᵖ and qₙ ⊕ ½h(vᵖ + vₙ). What is left of A v + b at one step is gone after the next.
//
// λ belongs to the middle of the step. A violation of Φ̇ is not damped: it changes sign from step to step. M
// must be invertible and the constraints independent.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "forms/step_form.h"
#include "formulations/projection/projection.h"
#include "formulations/rows/rank_watch.h"
#include "trammel/resolved_plan.h"

namespace trammel::formulations {

class Algebraic final : public forms::StepForm {
 public:
  Algebraic(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan);
  StepResult step(State& state, double h) override;
  std::string refusal(const State& state) override;
  std::string name() const override { return "algebraic"; }

 private:
  // What a step comes to.
  struct Trial {
    std::vector<double> q;
    Eigen::VectorXd v, lambda;
    std::vector<double> x_dot;
  };
  // From the predictor's to the corrector's; false when the equations cannot be solved half way.
  bool correct(const State& state, double h, Trial& trial);
  // Evaluates M, Q, Φ_q at a state and factors what the solves need; false when it cannot.
  bool factor(const State& at);
  // Right sides without Φ_q M⁻¹Q. The terms must stand at the old state, with Φ at the new time given.
  Eigen::VectorXd predictor_side(const Eigen::VectorXd& phi_next, const Eigen::VectorXd& v, double h) const;
  // What the predicted state leaves of the constraints: 2Φᵖ/h², and (A v + b)*/h.
  Eigen::VectorXd left_over(const State& state, const Trial& trial, double h);
  // The terms must stand half way.
  Eigen::VectorXd corrector_side(const Eigen::VectorXd& left, const Eigen::VectorXd& change, double h) const;
  // λ from a right side without Φ_q M⁻¹Q, and M⁻¹(Q − Φ_qᵀλ).
  Eigen::VectorXd multipliers(const Eigen::VectorXd& side) const;
  Eigen::VectorXd acceleration(const Eigen::VectorXd& lambda) const;

  std::shared_ptr<const system::Dynamics> system_;
  Eigen::Index holonomic_, velocity_rows_;
  bool repeats_;  // forces or states that may depend on velocities are corrected once more
  int order_;
  system::Terms terms_;
  Projector projector_;
  RankWatch watch_;
  struct Factors;
  std::shared_ptr<Factors> factors_;
};

}  // namespace trammel::formulations
