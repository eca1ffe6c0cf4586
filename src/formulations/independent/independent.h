// Independent coordinates z: as many differential equations as the mechanism has freedom.
//
//   v = S b + R ż,   v̇ = S c + R z̈,   RᵀM R z̈ = Rᵀ(Q − M S c)     García de Jalón & Bayo (1994),
//   (5.59)–(5.67) b = −Φ_t,  c = −γ
//
//   integrates     y        accelerations
//   minimal        z, ż     (5.67), Alg. 5-5: positions by Newton's method, so that Φ = 0 and Φ̇ = 0
//   enlarged       q, ż     (5.67), Alg. 5-4, (5.70): Φ̇ = 0, Φ drifts slowly
//   extraction     z, ż     of all coordinates, (5.17), of which the independent ones are kept, (5.56)
//   paul           q, ż     the same, (5.58)
//   hybrid         q, v     (5.17), or stabilized (5.27) while the constraint error exceeds a tolerance; as
//                           extraction next to a singular position: Park & Haug (1986), §5.2.2
//
// z is chosen anew when its pivots degrade: the chart (formulations/chart.h) changes, the State does not.
#pragma once

#include <Eigen/Cholesky>

#include "formulations/accelerations/acceleration_form.h"
#include "formulations/accelerations/lagrange.h"
#include "formulations/independent/chart.h"
#include "linalg/dense.h"

namespace trammel::formulations {

class Independent final : public AccelerationForm {
 public:
  Independent(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan);
  Report accelerate(State& s) override;
  std::string refusal(const State& s) override;
  std::string name() const override { return name_of(plan_.formulation); }
  // Of the state last packed or unpacked.
  const Chart& chart() const { return chart_; }

 private:
  // What stands in y; hybrid goes from one to the other.
  enum Regime { kMinimal, kEnlarged, kAll, kAllStabilized };

  bool holds_motion() const override { return false; }
  Motion take_up(State& s) override;
  void motion_scale(std::span<double> scale) const override;
  void pack_motion(const State& s, std::span<double> y) override;
  Report unpack_motion(std::span<const double> y, State& s) override;
  Report motion_rate(State& s, std::span<double> y_dot) override;
  void renew(State& s, const Violation& left, forms::Kept& kept) override;
  int rank() const override { return chart_.rank(); }

  bool choose(const State& s, Chart& chart);
  void renew_chart(State& s, forms::Kept& kept);
  Regime next_regime(const Violation& left);
  // v = S b + R ż
  void find_velocity(std::span<const double> z_dot, State& s);
  Report solve_independent(State& s);  // (5.67)
  void solve_all(State& s);            // (5.17)

  IndependentChoice choice_;
  std::vector<int> columns_;  // that a person names
  std::string unknown_;       // a name that is none
  bool hybrid_, all_accelerations_;
  Stabilization stabilization_;
  Chart chart_;
  Eigen::MatrixXd R_, MR_, reduced_, whole_;
  Eigen::VectorXd right_, z_, zero_, x_, force_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace trammel::formulations
