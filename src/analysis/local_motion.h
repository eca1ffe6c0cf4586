// LocalMotion: the motions that the constraints allow, near one State, as an ordinary differential equation.
//
//   ẏ = f(y, inputs),   y = (z, u, x)
//
//   z = B D⁻¹(q ⊖ q̄),   Φ(q, t) = 0          independent positions (formulations/independent/chart.h)
//   u = B̂ D⁻¹v,         Φ_v v + Φ_t = 0      independent velocities
//
// q̄ passes the position of the State with its velocity, so that a steady motion rests in z. Time stands
// still: what depends on it has its value at the State's time. In statics nothing moves at all: v = 0, and
// what drivers prescribe beyond positions is left out.
#pragma once

#include <memory>

#include "formulations/independent/chart.h"
#include "formulations/reactions/index1.h"
#include "system/system.h"

namespace trammel::analysis {

enum class Regime { motion, statics };

class LocalMotion {
 public:
  LocalMotion(std::shared_ptr<const system::System> system, const State& about,
              Regime regime = Regime::motion);
  // The same coordinates, of a System that has other numbers in the same places.
  LocalMotion(std::shared_ptr<const system::System> system, const LocalMotion& other);

  // Why there are no such coordinates; accepted: there are.
  const Report& report() const { return report_; }
  Eigen::Index positions() const { return chart_.positions(); }
  Eigen::Index velocities() const { return chart_.velocities(); }
  Eigen::Index states() const { return static_cast<Eigen::Index>(about_.x.size()); }
  Eigen::Index size() const { return positions() + velocities() + states(); }
  // Which coordinate each z and each u is.
  std::vector<int> position_columns() const { return chart_.position_columns(); }
  std::vector<int> velocity_columns() const { return chart_.velocity_columns(); }
  const system::System& system() const { return *system_; }
  const State& about() const { return about_; }
  Regime regime() const { return regime_; }
  // y of the State itself: (0, u, x).
  const Eigen::VectorXd& origin() const { return origin_; }
  // What counts as one in y, for differences.
  const Eigen::VectorXd& unit() const { return unit_; }
  // What one of each y is, in the units of the coordinates.
  Eigen::VectorXd scale() const;
  // Names of z, u and x: "hinge.angle", "hinge.angle.rate".
  std::vector<std::string> names(const Mechanism& mechanism) const;

  // The State with these coordinates, from one near it: positions, velocities and states.
  [[nodiscard]] Report place(const Eigen::VectorXd& y, State& s);
  // ẏ there. The State then has its accelerations and multipliers.
  [[nodiscard]] Report rate(const Eigen::VectorXd& y, State& s, Eigen::VectorXd& y_dot);

  // The force that is left to move the mechanism, along each independent velocity, while these velocities
  // stay what they are: R̂ᵀ(Q − M v̇) with u̇ = 0; then ẋ. In units of what counts as one.
  [[nodiscard]] Report unbalanced(const Eigen::VectorXd& y, State& s, Eigen::VectorXd& left);
  // Velocities that belong to a unit of each u, columns.
  Eigen::MatrixXd basis(const State& s);

 private:
  Eigen::VectorXd position_rate(const State& s);
  double time_scale();

  std::shared_ptr<const system::System> system_;
  State about_;
  Regime regime_;
  formulations::Chart chart_;
  system::Terms terms_;
  formulations::Index1Solver index1_;
  Report report_;
  Eigen::VectorXd origin_, unit_, right_, work_;
};

}  // namespace trammel::analysis
