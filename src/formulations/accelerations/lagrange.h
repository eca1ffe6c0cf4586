// Lagrange multipliers and Baumgarte stabilization: v̇ and λ from the whole system.
//
//   [ M   Φ_vᵀ ] [ v̇ ]   [ Q                      ]
//   [ Φ_v  0   ] [ λ ] = [ −γ − 2a Φ̇ − b² Φ ]      García de Jalón & Bayo (1994), Alg. 5-1, (5.10), (5.26)
//
// Rows of velocities have no Φ: A v̇ = −γ̂ − c (A v + b), (5.40), González et al. (45). Plain Lagrange has
// a = b = c = 0. By `schur`: (Φ_v M⁻¹Φ_vᵀ) λ = Φ_v M⁻¹Q − (right side), v̇ = M⁻¹(Q − Φ_vᵀλ),
// (5.11)–(5.12). Needs independent constraints; by schur also an invertible M.
#pragma once

#include "formulations/accelerations/acceleration_form.h"
#include "formulations/matrices/kkt.h"

namespace trammel::formulations {

// Of Φ̈ + 2a Φ̇ + b² Φ = 0, and of (A v + b)˙ + c (A v + b) = 0 for constraints of velocities, by the plan's
// rule. c = 2a, as in González et al. (45); but 1/h by Welch's rule, where both roots of the former are −1/h:
// 2/h would be at the bound of stability of explicit rules.
struct Stabilization {
  double a = 0, b = 0, c = 0;  // 1/s
};
Stabilization stabilization_of(const ResolvedPlan& plan);

// The right side of a constraint's row, its v̇ on the left.
double constraint_side(const system::Dynamics& system, const system::Terms& terms, const State& s,
                       std::size_t row, const Stabilization& gains);

// The whole system, or its Schur complement, factored: M x + Φ_vᵀμ = f, Φ_v x = c.
class WholeSystem {
 public:
  WholeSystem(const system::Dynamics& system, bool schur);
  ~WholeSystem();
  [[nodiscard]] Report factor(const system::Terms& terms);
  void solve(std::span<const double> f, std::span<const double> c, std::span<double> x, std::span<double> mu);
  void forget() {
    if (whole_) whole_->forget();
  }

 private:
  struct Schur;

  const system::Dynamics& system_;
  std::unique_ptr<KktMatrix> whole_;
  std::unique_ptr<Schur> schur_;
  std::vector<double> both_;
};

class Lagrange : public AccelerationForm {
 public:
  Lagrange(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan);
  Report accelerate(State& s) override;
  std::string name() const override { return name_of(plan_.formulation); }

 protected:
  void forget_factors() override { equations_.forget(); }
  // v̇ and λ with Q, Φ, Φ̇, γ of the terms and the factor as it is.
  void solve_accelerations(State& s);

  WholeSystem equations_;
  std::vector<double> side_;  // of the constraints

 private:
  Stabilization stabilization_;
};

}  // namespace trammel::formulations
