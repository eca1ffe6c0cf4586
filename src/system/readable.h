// Readable: what a person sees of a State: where parts are, what joints transmit.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "system/terms.h"
#include "trammel/motion.h"
#include "trammel/state.h"

namespace trammel::system {

// The force and torque that a joint or driver exerts on a body, at the joint's place on that body, world
// axes.
struct Wrench {
  std::string joint;
  std::string body;
  bool alone = true;  // the joint's only reported wrench (two bodies): named without the body
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  // of the joint: columns in world axes
};

// A scalar worth reporting: a joint's coordinate or a person's own column.
struct Reading {
  std::string object, quantity, unit;  // "hinge", "angle", "rad"
  double value = 0;
};

// A scalar that tells of a force: "spring", "force", no component, "N".
struct ForceColumn {
  std::string force, quantity, component, unit;
};
inline std::string full_name(const ForceColumn& c) {
  return c.force + "." + c.quantity + (c.component.empty() ? "" : "." + c.component);
}

// A way in which reactions can change while the motion stays as it is.
struct ReactionMode {
  std::vector<Wrench> wrenches;  // as reactions() lists them
  std::vector<Reading> efforts;  // as efforts() lists them
};

class Readable {
 public:
  virtual ~Readable() = default;

  virtual std::vector<Pose> poses(const State&) const = 0;            // in order of Mechanism::bodies
  virtual std::vector<Vec3> point_positions(const State&) const = 0;  // in order of Mechanism::points
  // From q and v; of expressions that name accelerations and reactions also from a and λ.
  virtual std::vector<Reading> readings(const State&, Terms&) const = 0;
  // Whether readings() or watch() needs a and λ that belong to q and v.
  virtual bool reads_reactions() const { return false; }
  virtual bool watches_reactions() const { return false; }
  // Springs, motors, applied forces: in the sense in which the model gives them.
  virtual std::vector<ForceColumn> force_columns() const { return {}; }
  virtual void forces(const State&, Terms&, std::span<double> /*by column*/) const {}
  // Values of the expressions that compile() was told to watch.
  virtual void watch(const State&, Terms&, std::span<double> values) const = 0;
  virtual std::vector<Wrench> reactions(const State&, Terms&) const = 0;  // from q, v, a, λ
  // Generalized forces of drivers and couplers along the coordinate they act on; from q, λ.
  virtual std::vector<Reading> efforts(const State&, Terms&) const { return {}; }
  // What multipliers y with Φ_vᵀy = 0 do to the reactions, and every way to divide forces among joints that
  // the multipliers do not know of. Each mode's largest inner force is 1 N, or 1 N.m over the length scale.
  virtual std::vector<ReactionMode> reaction_modes(const State&, Terms&,
                                                   std::span<const std::vector<double>>) const {
    return {};
  }
  // Unwrapped angles by name.
  virtual std::map<std::string, double> turns(const State&) const { return {}; }
};

}  // namespace trammel::system
