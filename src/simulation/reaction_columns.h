// ReactionColumns: the components of all reactions as columns of results, and which of them are unique.
#pragma once

#include <span>

#include "formulations/reactions/reaction_freedom.h"
#include "trammel/plan.h"
#include "trammel/run.h"
#include "trammel/trajectory.h"

namespace trammel::simulation {

class ReactionColumns {
 public:
  // Of the System, at any of its states.
  ReactionColumns(bool planar, ReactionAxes axes, const system::System& system, const State& state,
                  system::Terms& scratch);

  struct Column {
    std::string owner;  // joint or driver
    Channel channel;
  };
  const std::vector<Column>& columns() const { return columns_; }
  // One value per column. Missing where they are not finite, or not known at all.
  void append(std::span<const system::Wrench> wrenches, std::span<const system::Reading> efforts, bool known,
              std::vector<double>& row) const;
  // Whether each column's value is the only one that belongs to the motion; nothing where that was not
  // examined.
  std::vector<bool> unique(const formulations::ReactionFreedom& freedom) const;

 private:
  void describe(const system::Wrench& wrench);

  bool planar_;
  ReactionAxes axes_;
  double length_scale_;
  std::vector<Column> columns_;
};

// The components that are determined at a state, and those that are not.
struct ReactionCheck {
  bool examined = true;
  struct Entry {
    std::string joint, component;  // "hinge", "force.z"
    bool unique = true;
  };
  std::vector<Entry> entries;
};
ReactionCheck check_reactions(const Simulation& simulation, const State& state);
inline ReactionCheck check_reactions(const Simulation& simulation) {
  return check_reactions(simulation, simulation.state());
}

}  // namespace trammel::simulation
