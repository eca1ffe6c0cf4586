// LiveSignals: everything of a run that a page can plot, by name, and only what is asked for is computed.
#pragma once

#include "live/json_fields.h"
#include "simulation/reaction_columns.h"
#include "simulation/state_reader.h"
#include "trammel/run.h"

namespace trammel::live {

struct SignalName {
  std::string name, unit;
  bool unique = true;  // false: a reaction that the motion does not determine, one choice of many
};

class LiveSignals {
 public:
  // Groups by what it costs to know them.
  enum Group : unsigned { kBodies = 1, kReadings = 2, kReactions = 4, kEnergy = 8, kSolver = 16 };

  explicit LiveSignals(const Simulation& simulation);

  const std::vector<SignalName>& names() const { return names_; }
  // −1: there is no such signal.
  int find(const std::string& name) const;
  unsigned group(std::size_t signal) const;
  // One value per name; NaN in groups that are not asked for.
  std::vector<double> values(const Simulation& simulation, const std::vector<Pose>& poses,
                             const StepResult& last, double realtime, unsigned groups);

 private:
  LiveSignals(const Simulation& simulation, simulation::StateReader& reader);
  void begin(Group group) { starts_.push_back({names_.size(), group}); }
  void add(std::string name, std::string unit, bool unique = true);

  std::vector<SignalName> names_;
  std::map<std::string, int> index_;
  std::vector<std::pair<std::size_t, Group>> starts_;
  simulation::ReactionColumns reactions_;
};

}  // namespace trammel::live
