// MotionReader: what a state of a simulation says, by the names of the model. The state may be where the
// simulation stands, or any other, as one within a step. SI units, world axes.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion.h"
#include "trammel/state.h"

namespace trammel {

class Simulation;

// Refers to both: they must outlive it. A name that is not there throws std::invalid_argument, with the
// nearest one.
class MotionReader {
 public:
  MotionReader(const Simulation& simulation, const State& state) : simulation_(simulation), state_(state) {}

  const Simulation& simulation() const { return simulation_; }
  const State& state() const { return state_; }
  double t() const { return state_.t; }  // s
  Pose pose(const std::string& body) const;
  // A named point "A", a body's own "crank.tip", or its centre of mass "crank.com".
  PointMotion point(const std::string& name) const;
  // Of a joint's only coordinate: rad and rad/s, or m and m/s.
  double coordinate(const std::string& joint) const;
  double speed(const std::string& joint) const;
  // What the results of a run have in the column of that name: JOINT.angle, JOINT.rate, BODY.x, POINT.x, a
  // state, a column of `outputs:`, JOINT.force.x, FORCE.force, energy.kinetic, …; or an input. Reactions are
  // solved for. `iterations` and `marked` tell of steps: no state has them.
  double value(const std::string& name) const;
  // The names that value() reads.
  std::vector<std::string> names() const;
  // Of a joint, a driver or an end-stop. Solves for the accelerations and multipliers of this state.
  JointReaction reaction(const std::string& name) const;
  Energy energy() const;

 private:
  double only_reading(const std::string& joint, bool rate) const;

  const Simulation& simulation_;
  const State& state_;
};

}  // namespace trammel
