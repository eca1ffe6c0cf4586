// Null space: accelerations from the constraints and the equations along the motions they allow.
//
//   [ Φ_v  ]       [ c    ]
//   [ RᵀM  ] v̇ =  [ RᵀQ  ],   Φ_v R = 0          García de Jalón & Bayo (1994), Alg. 5-2, (5.17); stabilized
//   (5.27)
//
// Rows of velocities stand in Φ_v like the others, so that R spans the velocities that all of them allow.
// R = [−Φ_d⁻¹Φ_i; 1] from a choice of dependent columns. λ follows from Φ_vᵀλ = Q − M v̇.
#pragma once

#include <Eigen/Core>

#include "formulations/accelerations/acceleration_form.h"
#include "formulations/accelerations/lagrange.h"
#include "formulations/independent/column_choice.h"

namespace trammel::formulations {

class NullSpace final : public AccelerationForm {
 public:
  NullSpace(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan);
  Report accelerate(State& s) override;
  std::string name() const override { return name_of(plan_.formulation); }

 private:
  Report accelerate_free(State& s);
  void forget_factors() override {
    if (free_) free_->forget();
  }

  Stabilization stabilization_;
  std::unique_ptr<TangentMatrix> free_;  // where there are no constraints
  Eigen::MatrixXd rows_, R_;
  ColumnChoice columns_;
};

}  // namespace trammel::formulations
