// A run and a second one at a finer setting, whose difference tells the errors of the first.
#pragma once

#include <string>

#include "trammel/run.h"

namespace trammel::simulation {

// A plan whose errors are a fraction of another's, with rows at the same times.
struct Finer {
  Plan plan;
  std::string words;  // how it differs: "tolerance 1e-07"
  // The error of the first run is at most about so many times the difference of both.
  double factor = 1;
  // Of steps of one size: the part of a step of the first run that the first of two takes; 0: the plan's step
  // is smaller.
  double part = 0;
};
// rounding: of positions, as a part of the mechanism's size; a tolerance has to be a few times as large.
// tolerance: 0: a tenth of the plan's.
Finer finer(const Plan& plan, const ResolvedPlan& resolved, double rounding = 0, double tolerance = 0);

// What a motion needs whose range, m, is small beside what the tolerance holds; 0: it is not.
double tolerance_of_small_motion(const Simulation& simulation, double range);

// From an assembled state; goes on from the records of earlier parts of both runs. The summary has the
// errors, and the sink gets those of every row.
RunSummary run_verified(Simulation& simulation, ResultSink& sink, const RunRecord& first_record,
                        const RunRecord& second_record, const Progress& progress);

}  // namespace trammel::simulation
