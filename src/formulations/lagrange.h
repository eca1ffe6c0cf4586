// Lagrange multipliers and Baumgarte stabilization: v̇ and λ from the whole system.
//
//   [ M   Φ_vᵀ ] [ v̇ ]   [ Q                      ]
//   [ Φ_v  0   ] [ λ ] = [ −γ − 2a Φ̇ − b² Φ ]      García de Jalón & Bayo (1994), Alg. 5-1, (5.10), (5.26)
//
// Plain Lagrange has a = b = 0. By `schur`: (Φ_v M⁻¹Φ_vᵀ) λ = Φ_v M⁻¹Q − c, v̇ = M⁻¹(Q − Φ_vᵀλ),
// (5.11)–(5.12). Needs independent constraints; by schur also an invertible M.
#pragma once

#include <Eigen/Core>

#include "formulations/acceleration_form.h"
#include "formulations/kkt.h"

namespace trammel {

class Lagrange final : public AccelerationForm {
 public:
  Lagrange(std::shared_ptr<const System> system, const Plan& plan);
  Report accelerate(State& s) override;
  std::string name() const override { return plan_.formulation; }

 private:
  Report accelerate_whole(State& s);
  Report accelerate_schur(State& s);

  double a_ = 0, b_ = 0;  // 1/s
  std::unique_ptr<KktMatrix> whole_;
  std::vector<double> rhs_;
  Eigen::MatrixXd mass_, rows_, compliance_;
};

// a and b of Φ̈ + 2a Φ̇ + b² Φ = 0 by the plan's rule.
struct Stabilization {
  double a = 0, b = 0;
};
Stabilization stabilization_of(const Plan& plan);

}  // namespace trammel
