// Recorder: turns the state of a Simulation into a row of results.
//
// Per body: position of the centre of mass, orientation (an angle in the plane, a quaternion w x y z in
// space), velocities. Per named point: position. Per joint and driver: its coordinates, the force and torque
// it exerts on its first moving body (on each body where three or more meet) and its effort; whether these
// are unique. Then energies, violations and iterations.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "simulation/reaction_columns.h"
#include "system/system.h"
#include "trammel/run.h"

namespace trammel::simulation {

class Recorder {
 public:
  explicit Recorder(const Simulation& simulation);

  const std::vector<Channel>& channels() const { return channels_; }
  // The row of the state as it is; `last` is what the step that led here left.
  std::span<const double> row(const Simulation& simulation, const StepResult& last);
  // Largest joint force in the row last made.
  const RunSummary::Peak& peak() const { return peak_; }
  // Whether rounding decides on the reactions of that row: they mean nothing.
  bool rounding() const { return rounding_; }
  // Of all rows made so far.
  ReactionSummary reactions() const;

 private:
  void describe_bodies(const Mechanism& mechanism);
  void describe_joints(const Simulation& simulation);
  void describe_marks(const Simulation& simulation);
  void judge_reactions(const Simulation& simulation, const State& exact, bool known);
  void add_reactions(const Simulation& simulation, const State& exact, bool known);
  void add_marks(const Simulation& simulation);
  void vector_channel(const std::string& group, const std::string& dataset, const std::string& name,
                      const std::string& unit, const std::string& components, bool may_be_missing = false);

  std::vector<Channel> channels_;
  std::vector<double> row_;
  std::vector<bool> moving_point_;
  // What belongs to one System: the simulation has another while something rests on its end-stop.
  struct Tools {
    explicit Tools(const system::System& system)
        : terms(system.make_terms()), exam(system, formulations::ReactionExam::kPerOutput) {}
    system::Terms terms;
    formulations::ReactionExam exam;
  };
  Tools& tools(const system::System& system) { return tools_.try_emplace(&system, system).first->second; }

  std::map<const system::System*, Tools> tools_;
  ReactionColumns reactions_;
  std::vector<std::size_t> marked_;  // reaction columns that have a mark of their own
  std::vector<bool> ever_moved_;     // by reaction column: not unique in some row
  bool examined_ = true;
  RunSummary::Peak peak_;
  bool rounding_ = false;
  double multipliers_before_ = INFINITY;  // the largest, in the last row where it was not rounding
};

}  // namespace trammel::simulation
