// PrescribedMotion: the motion of a mechanism that drivers prescribe wholly, without integration.
//
//   Φ(q, t) = 0,   Φ_v v = −Φ_t,   Φ_v v̇ = −γ                 García de Jalón & Bayo (1994), ch. 3
//
// From one time to another positions are predicted, q ⊕ (h v + ½h² v̇), and corrected by Newton's method. A
// prediction that is corrected by much is made again in halves, so that the motion stays in its assembly
// branch. Where motions cross, what the drivers leave open goes on as before: projections change it least.
#pragma once

#include <memory>
#include <string>

#include "formulations/projection/projection.h"
#include "system/system.h"
#include "trammel/plan.h"
#include "trammel/report.h"

namespace trammel::analysis {

// Times of rows: the whole duration in so many equal parts; 0: those of a run, as near to the output interval
// as can be.
std::vector<double> row_times(const Plan& plan, long intervals);

class PrescribedMotion {
 public:
  explicit PrescribedMotion(std::shared_ptr<const system::System> system);

  const system::System& system() const { return *system_; }
  // Velocities and accelerations of a State whose positions are closed at its time.
  [[nodiscard]] Report find_rates(State& s);
  // To another time, earlier or later. If that fails, the State is as far as it came.
  [[nodiscard]] Report move_to(double t, State& s);
  // What is left of Φ, Φ̇ and Φ̈.
  Violation violation(const State& s) { return projector_.violation(s); }

 private:
  // One prediction and its correction; false: too large, or not closed.
  bool try_step(double t, const State& from, State& to, Report& report);

  std::shared_ptr<const system::System> system_;
  formulations::Projector projector_;
  system::Terms terms_;
  std::vector<double> way_;
};

}  // namespace trammel::analysis
