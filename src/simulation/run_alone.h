// run() without error estimates: what a second run does, and those who judge a motion by other means.
#pragma once

#include <functional>

#include "simulation/motion_range.h"
#include "trammel/run.h"

namespace trammel::simulation {

// From an assembled state, into a sink; goes on from the record of an earlier part. `widest` gets what the
// steps between the rows show.
RunSummary run_alone(Simulation& simulation, ResultSink& sink, const RunRecord& record,
                     const Progress& progress, Widest* widest = nullptr);

// The same steps. `seen` gets the state at every output time; no rows are made and no reactions solved for,
// so that the summary has none.
RunSummary run_motion(Simulation& simulation, const std::function<void(const State&)>& seen,
                      const Progress& progress = {});

// Hands on what is new; compares the rows that the record has after its last checkpoint, to the bit.
class Continued final : public ResultSink {
 public:
  Continued(ResultSink& to, const RunRecord& record);
  void write(std::span<const double> row) override;
  bool reads(const Channel& channel) const override { return to_.reads(channel); }
  double checkpoint_interval() const override { return to_.checkpoint_interval(); }
  void checkpoint(std::string_view bytes) override { to_.checkpoint(bytes); }

 private:
  ResultSink& to_;
  const Trajectory& there_;
  std::size_t at_;  // the next row
};

}  // namespace trammel::simulation
