// ModularEditor: joints and subsystems that come and go while a mechanism runs by formulation modular.
//
//   ModularEditor editor(simulation);
//   Edit cut = editor.remove_joint("hinge");
//   if (cut.report.accepted()) …
//
// Edits happen between two steps. Subsystems and joints that stay are neither compiled nor reset. A new joint
// must fit the bodies as they stand (see here()); velocities are then brought to what it allows,
// mass-orthogonally, as an impact without rebound would.
#pragma once

#include <string>
#include <vector>

#include "trammel/simulation.h"

namespace trammel {

// The result of an edit of the running mechanism.
struct Edit {
  Report report;             // not accepted: nothing has changed, and the message says why
  double energy_before = 0;  // J, kinetic, of the bodies that stay
  double energy_after = 0;   // the same after velocities were reconciled
  struct Impulse {
    std::string joint;
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  // N.s, N.m.s, on the joint's first moving body
  };
  std::vector<Impulse> impulses;  // of every joint between subsystems, where velocities were reconciled

  double energy_loss() const { return energy_before - energy_after; }
};

class ModularEditor {
 public:
  // The simulation must outlive the editor.
  explicit ModularEditor(Simulation& simulation) : simulation_(simulation) {}

  Edit add_joint(const Joint& joint);
  Edit remove_joint(const std::string& name);
  // Bodies with placements and velocities as of now, and joints that hold them.
  Edit add_subsystem(const Subsystem& subsystem, const std::vector<Body>& bodies,
                     const std::vector<Joint>& joints = {});
  // With the joints that hold it.
  Edit remove_subsystem(const std::string& name);
  // The joint where its bodies stand now: every marker meets the first.
  Joint here(Joint joint) const;

 private:
  // The running mechanism becomes another; closing: joints that must fit the bodies as they stand.
  Edit edit(const Mechanism& changed, const std::vector<std::string>& closing);
  bool is_modular() const;

  Simulation& simulation_;
};

}  // namespace trammel
