// Recorder: turns a State into a row of results. It needs no Simulation: the state may be any of the
// System's, as one within a step.
//
// Bodies and points (PoseColumns). Per joint and driver: its coordinates, the force and torque it exerts on
// its first moving body (on each body where three or more meet) and its effort; whether these are unique.
// Per spring, motor, friction and applied force: its force or torque. Then energies, violations and
// iterations.
#pragma once

#include <cmath>
#include <vector>

#include "simulation/pose_columns.h"
#include "simulation/reaction_columns.h"
#include "simulation/state_reader.h"
#include "trammel/run.h"

namespace trammel::simulation {

class Recorder {
 public:
  // `start`: the state from which the run begins.
  Recorder(const Mechanism& mechanism, ReactionAxes axes, StateReader& reader, const State& start);

  const std::vector<Channel>& channels() const { return channels_; }
  // Computes what this sink reads, from now on; NaN stands for the rest.
  void compute_for(const ResultSink& sink);
  // Whether it matters that a column has no finite value: the sink reads it, or it tells of the whole motion.
  bool matters(std::size_t column) const { return matters_[column]; }
  // `last` is what the step that led to the state left. The reader may be another one while something rests
  // on its end-stop.
  std::span<const double> row(StateReader& reader, const State& state, const StepResult& last);
  // Of the row last made: energies, the largest joint force.
  const Energy& energy() const { return energy_; }
  const RunSummary::Peak& peak() const { return peak_; }
  // Whether rounding decides on the reactions of that row: they mean nothing.
  bool rounding() const { return rounding_; }
  // Why it has no reactions; empty: it has.
  const std::string& why_unknown() const { return why_unknown_; }
  // Of all rows made so far.
  ReactionSummary reactions() const;

  // What it knows of the rows made so far, for checkpoints.
  template <class Bytes>
  void describe(Bytes& bytes) {
    bytes(examined_), bytes(multipliers_before_);
    for (auto moved : ever_moved_) {
      bool value = moved;
      bytes(value);
      moved = value;
    }
  }

 private:
  // Columns that are computed together.
  struct Part {
    std::size_t columns = 0;
    bool computed = true;
  };
  Part part_since(std::size_t first) const { return {channels_.size() - first, true}; }
  template <class Add>
  void add_part(const Part& part, const Add& add);

  void describe_joints(StateReader& reader, const State& start);
  void describe_forces(const system::Readable& system);
  void describe_marks(StateReader& reader, const State& start);
  void add_forces(StateReader& reader, const State& state);
  void judge_reactions(StateReader& reader, const State& exact, bool known);
  void add_reactions(StateReader& reader, const State& exact, bool known);
  void add_marks(StateReader& reader, const State& state);

  PoseColumns poses_;
  std::vector<Channel> channels_;
  std::vector<bool> matters_;  // by channel
  Part of_poses_, of_readings_, of_forces_, of_reactions_, of_marks_;
  std::vector<double> row_;
  std::vector<double> forces_;  // of the row last made
  ReactionColumns reactions_;
  std::vector<std::size_t> marked_;  // reaction columns that have a mark of their own
  std::vector<bool> ever_moved_;     // by reaction column: not unique in some row
  bool examined_ = true;
  Energy energy_;
  RunSummary::Peak peak_;
  bool rounding_ = false;
  std::string why_unknown_;
  double multipliers_before_ = INFINITY;  // the largest, in the last row where it was not rounding
};

// For a run from where the simulation stands.
Recorder recorder_of(const Simulation& simulation);

}  // namespace trammel::simulation
