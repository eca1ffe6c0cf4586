// Recipe: what the Simulation of a live run is made of between two edits, and what can be undone there.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "live/driver_phases.h"
#include "live/pulls.h"

namespace trammel::live {

struct Moment;
struct UndoStacks;

struct Recipe {
  std::shared_ptr<const Mechanism> model;  // without pulls
  std::vector<Pull> pulls;
  DriverPhases phases;
  std::shared_ptr<const UndoStacks> stacks;

  // Not assembled: a State is to be restored, or another simulation taken over.
  std::unique_ptr<Simulation> simulation() const;
};

// The recipe's pulls, with their targets as the inputs of a State have them.
std::vector<Pull> pulls_in(const Recipe& recipe, const State& state);

// A model before or after an edit. If nothing has moved since, undo also brings back the State.
struct Version {
  std::shared_ptr<const Mechanism> model;
  std::string label;                     // of the edit
  std::shared_ptr<const Recipe> recipe;  // as the run stood on this side of the edit
  std::shared_ptr<const Moment> moment;
  std::string across;  // checksum of the State on the other side
};

struct UndoStacks {
  std::deque<Version> undo, redo;
};

}  // namespace trammel::live
