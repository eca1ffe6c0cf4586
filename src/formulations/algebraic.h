// The parameter-free algebraic scheme: a predictor and a corrector, each one symmetric positive definite
// solve.
//
//   [Φ_q M⁻¹Φ_qᵀ] λᵖ = Φ/h² + Φ_q q̇ₙ/h + Φ_q M⁻¹Q,   q̇ᵖ = q̇ₙ + h M⁻¹(Q − Φ_qᵀλᵖ),   qᵖ = qₙ + h q̇ᵖ (44a) [Φ_q
//   M⁻¹Φ_qᵀ]ʰ λ = 2Φᵖ/h² + 2Φ_qʰ(q̇ₙ − q̇ᵖ)/h + Φ_qʰM⁻¹Q,   q̇₊ = q̇ₙ + h M⁻¹(Q − Φ_qʰᵀλ),   q₊ = qₙ + ½h(q̇₊ +
//   q̇ₙ)  (44b)
//
//   Welch, Hong, Trapp & Choi. ʰ: half way between qₙ and qᵖ. Here forces are taken half way too, and
//   constraints that depend on time at the new time. Order 1 is the predictor alone.
//   Where forces depend on velocities the corrector is solved twice, with the same factors and q̇ʰ from the
//   first: q̇ᵖ lacks the centripetal part, which would make the whole of first order.
//
// Constraints of velocities are imposed at the new time, from an estimate of q₊ and v₊ of the step's own
// order:
//
//   […] λᵖ = (A v + b)ₙ/h + (Ȧ v + ḃ)ₙ + A M⁻¹Q,   […]ʰ λ = (A v + b)*/h + Aʰ(q̇ₙ − q̇ᵖ)/h + AʰM⁻¹Q
//
// *: at q̇ᵖ and qₙ + ½h(q̇ᵖ + q̇ₙ). What is left of A v + b at one step is gone after the next.
//
// λ belongs to the middle of the step. A violation of Φ̇ is not damped: it changes sign from step to step. M
// must be invertible and the constraints independent.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "forms/step_form.h"
#include "formulations/projection.h"
#include "formulations/rank_watch.h"
#include "trammel/plan.h"

namespace trammel {

class Algebraic final : public StepForm {
 public:
  Algebraic(std::shared_ptr<const System> system, const Plan& plan);
  StepResult step(State& state, double h) override;
  std::string refusal(const State& state) override;
  std::string name() const override { return "algebraic"; }

 private:
  // What a step comes to.
  struct Trial {
    Eigen::VectorXd q, v, lambda;
    std::vector<double> x_dot;
  };
  // From the predictor's to the corrector's; false when the equations cannot be solved half way.
  bool correct(const State& state, double h, Trial& trial);
  // Evaluates M, Q, Φ_q at a state and factors what the solves need; false when it cannot.
  bool factor(const State& at);
  // Right sides without Φ_q M⁻¹Q. The terms must stand at the old state, with Φ at the new time given.
  Eigen::VectorXd predictor_side(const Eigen::VectorXd& phi_next, const Eigen::VectorXd& v, double h) const;
  // What the predicted state leaves of the constraints: 2Φᵖ/h², and (A v + b)*/h.
  Eigen::VectorXd left_over(State predicted, const Eigen::VectorXd& v, double h);
  // The terms must stand half way.
  Eigen::VectorXd corrector_side(const Eigen::VectorXd& left, const Eigen::VectorXd& change, double h) const;
  // λ from a right side without Φ_q M⁻¹Q, and M⁻¹(Q − Φ_qᵀλ).
  Eigen::VectorXd multipliers(const Eigen::VectorXd& side) const;
  Eigen::VectorXd acceleration(const Eigen::VectorXd& lambda) const;

  std::shared_ptr<const System> system_;
  Eigen::Index holonomic_, velocity_rows_;
  bool follows_velocity_;  // some force or state may depend on velocities
  int order_;
  Terms terms_;
  Projector projector_;
  RankWatch watch_;
  struct Factors;
  std::shared_ptr<Factors> factors_;
};

}  // namespace trammel
