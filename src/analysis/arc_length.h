// ArcLength: the curve of positions Φ(q, t) = 0 where time itself may turn back.
//
//   [Φ_v D  τΦ_t] (D⁻¹δq, δt/τ) = −Φ,   tangent ⊥ δ              Keller's pseudo-arc-length continuation
//
// In a dead position Φ_v loses rank: the drivers cannot go on, but the curve does, and passes into another
// assembly branch while time, and the drivers with it, goes back.
#pragma once

#include <memory>

#include "system/system.h"
#include "trammel/report.h"

namespace trammel::analysis {

class ArcLength {
 public:
  // time_scale: seconds that count as one beside the coordinates.
  ArcLength(std::shared_ptr<const system::System> system, double time_scale);

  // Begins at a closed State, in the direction in which time grows (sign > 0) or falls.
  [[nodiscard]] Report begin(const State& s, double sign);
  const State& state() const { return state_; }
  // dt/ds, of the tangent where it is.
  double time_rate() const { return tangent_[tangent_.size() - 1]; }
  // A step of this length; if it fails nothing has changed.
  [[nodiscard]] Report step(double length);

 private:
  void fill(const State& s);
  bool find_tangent(const State& s, const Eigen::VectorXd& like, Eigen::VectorXd& tangent);

  std::shared_ptr<const system::System> system_;
  double time_scale_;
  system::Terms terms_;
  Eigen::MatrixXd rows_;  // scaled, and the time's column
  Eigen::VectorXd Phi_;   // scaled
  State state_;
  Eigen::VectorXd tangent_;
};

}  // namespace trammel::analysis
