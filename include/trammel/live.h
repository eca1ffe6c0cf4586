// LiveSimulation: a simulation that is edited between steps. Link Trammel::live.
//
//   LiveSimulation live = LiveSimulation::open("double-pendulum.yaml");
//   live.advance_to(1);
//   const EditReply reply = live.apply(R"({"do": "remove-joint", "name": "B"})");
//   if (!reply.ok) std::cerr << reply.error << "\n";
//   live.advance_to(2);
//
// An edit is JSON as docs/live-protocol.md describes it: joints, bodies, forces and drivers come and go,
// parameters and other values change, points are pulled; undo and redo. It is applied to a copy of the model,
// which is checked and compiled; the motion is carried over by name and projected onto the new constraints.
// If any of this fails the edit is refused with the reason, and the simulation is as it was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/model.h"
#include "trammel/simulation.h"

namespace trammel::live {
class LiveRun;
}  // namespace trammel::live

namespace trammel {

// What an edit did.
struct EditReply {
  bool ok = true;
  std::string error;               // why it was refused, and what to do
  std::vector<InputError> errors;  // of a text that is no model: each with its place
  std::string name;                // that was chosen for a new part
  double moved = 0;                // m, the largest move of a body that closing the joints took
  double impulse = 0, energy = 0;  // N.s, the largest on a body; J, the change of kinetic + potential energy
  std::vector<std::string> notes;
};

class LiveSimulation {
 public:
  // From the text of a model file; settings as of read_model(). Throws std::runtime_error when the model
  // cannot be read or assembled.
  explicit LiveSimulation(const std::string& text, const std::vector<std::string>& settings = {});
  static LiveSimulation open(const std::string& path, const std::vector<std::string>& settings = {});
  ~LiveSimulation();
  LiveSimulation(LiveSimulation&&) noexcept;
  LiveSimulation& operator=(LiveSimulation&&) noexcept;

  EditReply apply(const std::string& edit);

  // One step of the plan. A step that fails leaves everything where it was.
  StepResult step();
  // Steps until time t is reached or passed; or as far as it gets.
  StepResult advance_to(double t);

  // The simulation as it is now, to read from. An edit replaces it.
  const Simulation& simulation() const;
  // The model file with all edits: as it starts, or as it stands and moves now, time beginning now. Throws
  // std::runtime_error where a file cannot say it.
  std::string model(bool now = false) const;
  // Every edit with its step: 'trammel replay' repeats the motion to the bit.
  std::string journal() const;

 private:
  explicit LiveSimulation(std::unique_ptr<live::LiveRun> run);
  std::unique_ptr<live::LiveRun> run_;
};

}  // namespace trammel
