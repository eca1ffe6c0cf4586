// Runner: the loop over the steps of a run; what it watches, writes, keeps for a resumption and stops for.
#pragma once

#include <chrono>

#include "simulation/landings.h"
#include "simulation/motion_range.h"
#include "simulation/output_times.h"
#include "simulation/pace.h"
#include "simulation/run_output.h"
#include "simulation/run_watch.h"

namespace trammel::simulation {

class Runner {
 public:
  // From an assembled state. `keeper` gets the checkpoints; null: nobody.
  Runner(Simulation& simulation, Output& output, ResultSink* keeper, const Progress& progress,
         RunSummary& summary);

  // Goes to where the last of the checkpoints was written; none: the run begins.
  void resume(const std::vector<std::string>& checkpoints);
  void run();
  // Seen at the steps between the rows; nothing where every step has its row.
  const MotionRange& range() const { return range_; }

 private:
  using Clock = std::chrono::steady_clock;

  void land();
  void glide();
  StepResult advance(double target);
  [[nodiscard]] bool write(const State& state, const StepResult& last);
  void fail(double t, const std::string& reason);
  bool take(const StepResult& step);
  void see_range();
  bool goes_on(double t);
  void stop(double t);
  bool makes_headway(double t);
  bool judge_row(const State& at, StepResult& row);
  bool write_at(double t, const StepResult& step);
  void keep();
  template <class Bytes>
  void describe(Bytes& bytes);
  double seconds() const;
  void finish();

  Simulation& simulation_;
  const ResolvedPlan& plan_;
  Output& output_;
  ResultSink* keeper_;
  const Progress& progress_;
  RunSummary& summary_;
  Watch watch_;
  Pace pace_;
  MotionRange range_;
  double landing_;       // s, the interval of landings
  long stride_;          // landings from row to row
  OutputTimes times_;    // where steps do not land on them
  bool glides_;          // rows are taken from within steps; else steps land on them
  Landings::Count at_;   // landings reached; where it glides, rows
  long taken_ = 0;       // steps asked for
  bool stiff_ = false;   // for the rule, in some step
  double written_ = -1;  // s, of the last row

  long between_ = 1, until_asked_ = 1;  // steps between two calls of the progress function; until the next
  Clock::time_point begun_ = Clock::now(), asked_ = begun_;

  // Of checkpoints.
  bool due_ = false;
  double interval_ = 0;              // s of wall time to the next
  Clock::time_point kept_ = begun_;  // the last
  std::uint64_t rows_written_ = 0;   // the first included
  std::size_t saved_marks_ = 0, saved_events_ = 0;
  std::string state_;  // as bytes
  struct Spent {
    long rejected = 0;
    int fallovers = 0;
    double seconds = 0;
  } earlier_, spent_;  // before the run was resumed; until the checkpoint
};

}  // namespace trammel::simulation
