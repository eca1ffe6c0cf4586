// StateRows: States that an analysis found as rows of results, with the columns of a run.
//
// Multipliers are those that the States have: solved anew they would be those of a motion. Columns that only
// a run has (iterations, work done since the start) are left out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulation/recorder.h"

namespace trammel::analysis {

class StateRows {
 public:
  enum class Columns {
    all,     // of a run
    places,  // positions, orientations and coordinates of joints
  };
  // `first` takes the place of the time; `more` come last.
  struct Layout {
    Columns columns = Columns::all;
    Channel first = {"", "time", "", "s", "t"};
    std::vector<Channel> more = {};
    std::vector<std::string> idle = {};  // drivers whose effort is zero by choice
    ReactionAxes axes = ReactionAxes::world;
  };
  StateRows(const std::shared_ptr<const system::System>& system, const Mechanism& mechanism,
            const State& start, Layout layout);

  // `first` and `more` of this row, as in the layout.
  void add(const State& s, const Violation& violation, double first, const std::vector<double>& more = {});
  // A State of another System that has other numbers in the same places.
  void add(const std::shared_ptr<const system::System>& system, const State& s, const Violation& violation,
           double first, const std::vector<double>& more);
  ReactionSummary reactions() const { return recorder_.reactions(); }

  Trajectory table;

 private:
  void add(simulation::StateReader& reader, State s, const Violation& violation, double first,
           const std::vector<double>& more);
  bool keeps(const Channel& channel) const;

  const Mechanism& mechanism_;
  Layout layout_;
  ResolvedPlan plan_;
  simulation::StateReader reader_;
  simulation::Recorder recorder_;
  std::vector<bool> kept_;
};

}  // namespace trammel::analysis
