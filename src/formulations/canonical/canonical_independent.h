// Canonical equations in independent velocities: u = Rᵀp.
//
//   v = R ż + S b,  b = −Φ_t,  Φ_v R = 0,  Φ_v S = 1,   ż: the independent entries of v
//   u = RᵀM R ż + RᵀM S b,   u̇ = Rᵀ(Q + Ṁ v) + Ṙᵀ M v,  Ṙ = −S Φ̇_v R
//
//   García de Jalón & Bayo (1994), Alg. 5-7, (5.104)–(5.112).
//
// With S = [Φ_d⁻¹; 0] and R = [−Φ_d⁻¹Φ_i; 1], u̇ = Rᵀ(Q + Ṁ v + Φ̇_vᵀσ) with Φ_dᵀσ = −(M v)_d: u are the
// momenta p = M v + Φ_vᵀσ whose dependent entries the σ so chosen makes zero (momenta.h).
//
// The position problem is solved at every evaluation: of q only the independent entries count, the others
// start the Newton iteration that finds them. So Φ = 0 and Φ̇ = 0 always. Rows of velocities take their part
// in R and S, and none in the position problem. Needs independent constraints.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "formulations/accelerations/acceleration_form.h"
#include "formulations/independent/column_choice.h"

namespace trammel::formulations {

class CanonicalIndependent final : public AccelerationForm {
 public:
  CanonicalIndependent(const std::shared_ptr<const system::Dynamics>& system, const ResolvedPlan& plan);
  ~CanonicalIndependent() override;
  Report accelerate(State& s) override;
  std::string name() const override { return name_of(plan_.formulation); }

 private:
  int velocities() const override { return std::max(0, system_->sizes().v - system_->sizes().rows); }
  void velocity_scale(std::span<double> scale) const override;
  void renew(State& s, const Violation& left, forms::Kept& kept) override;
  void pack_velocity(const State& s, std::span<double> u) override;
  Report unpack_velocity(std::span<const double> u, State& s) override;
  bool holds_motion() const override { return false; }
  Report velocity_rate(State& s, std::span<double> u_dot) override;

  Report singular() const;
  // q with Φ = 0 and the same independent entries; the terms are then those at q.
  Report solve_positions(State& s);
  // R and the factors of Φ_d and RᵀM R, from rows_.
  Report factor();
  // v̇ and λ with Q and γ of the terms and the factors as they are.
  void solve_accelerations(State& s);
  // x = S c + R z with RᵀM x = g
  void solve(const Eigen::VectorXd& g, const Eigen::VectorXd& c, std::vector<double>& x);
  Eigen::VectorXd mass_times(const std::vector<double>& x);
  // Φ_dᵀμ = f_d
  Eigen::VectorXd multipliers(const Eigen::VectorXd& f) const;

  struct Factors;
  std::unique_ptr<Factors> factors_;
  Eigen::MatrixXd rows_, R_;
  ColumnChoice columns_, position_columns_;  // of all rows, of the holonomic ones
  std::vector<Eigen::Index> packed_;         // dependent columns of the y that was packed
  bool chosen_ = false;
  std::vector<double> momentum_scale_, moved_, sigma_, product_;
};

}  // namespace trammel::formulations
