// JointEquations: the equations of joints and drivers over the twists of bodies, the same whatever the
// coordinates of a run.
//
//   x_b = (v_b/ℓ, ω_b),   E x = 0
//
// v_b is the velocity of the point of body b that stands at the middle of the joints, ℓ the root mean square
// of their distances from it, so that x has no length in it. Equations are those of reference coordinates, in
// which no joint is hidden in shared places: a revolute has five in space, a pin two in the plane. Those of
// each joint are made orthonormal over the twists of all that it ties together, ground included, so that it
// does not matter how they are written.
//
//   freedom = free motions − rank E,   redundant = equations − rank E
//
// A model with coordinates of its own has these instead of twists.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "system/system.h"
#include "trammel/simulation.h"

namespace trammel::analysis {

// The equations of one joint, driver or constraint of a person's own.
struct EquationBlock {
  std::string name;
  system::RowOwner::Kind kind = system::RowOwner::Kind::joint;
  int equations = 0;        // as the joint has them
  std::vector<int> bodies;  // that it ties together, in order of Mechanism::bodies; kGroundLink: ground
  Eigen::MatrixXd rows;  // over the twists of all bodies; fewer where equations of the joint depend on others
};
inline constexpr int kGroundLink = -1;

class JointEquations {
 public:
  // Of the mechanism where a simulation stands; end-stops at which something rests, and friction
  // that sticks, are equations too.
  explicit JointEquations(const Simulation& simulation);

  const Mechanism& mechanism() const { return mechanism_; }
  int count() const { return system_->sizes().rows; }  // of equations
  int twist() const { return mechanism_.generalized ? 1 : mechanism_.is_planar ? 3 : 6; }
  Eigen::Index columns() const;
  // Freedoms that the bodies would have without joints: twists, less those that change nothing, as the
  // rotation of a point.
  int free_motions() const;

  // The mechanism without its drivers, and where it stands: positions to go on from are States of it.
  const system::System& undriven() const { return *undriven_; }
  const State& start() const { return start_; }

  std::vector<EquationBlock> blocks(const State& at) const;
  // The same for other joints in the place of the mechanism's own; there are bodies.
  std::vector<EquationBlock> blocks_of(std::vector<Joint> joints, const State& at) const;
  // Rotations that change nothing of a body, as a rod's about its axis and any of a point: whose, and the
  // twist.
  struct Spin {
    int body = 0;
    Eigen::VectorXd twist;
  };
  std::vector<Spin> spins(const State& at) const;

 private:
  std::vector<EquationBlock> collect(const system::System& system, const State& at,
                                     const std::vector<Pose>& poses) const;

  Mechanism mechanism_;
  std::shared_ptr<const system::System> system_, undriven_;
  State start_;
};

// All rows, one block below the other.
Eigen::MatrixXd stacked(const std::vector<EquationBlock>& blocks, Eigen::Index columns);
// The rank of such rows.
int rank_of(const Eigen::MatrixXd& rows);

}  // namespace trammel::analysis
