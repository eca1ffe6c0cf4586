// run(): a whole simulation from t = 0 to its end, into a sink; and what a person wants to know of it after.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/simulation.h"
#include "trammel/trajectory.h"

namespace trammel {

enum class RunStatus {
  ok,
  marked,    // some steps met only the weaker, stated criterion
  doubtful,  // every step was accepted, and yet the motion is not the mechanism's: `warnings` say why
  failed,    // the numbers failed; what was computed before is kept
  stopped    // the caller asked to stop
};

struct MarkedStep {
  double t = 0;
  std::string reason;
  std::string joint;
  bool row = false;  // a row that was written, within a step or at its end; the step itself met its criterion
};

// Whether the reactions written are the only ones that belong to the motion.
struct ReactionSummary {
  bool examined = true;                 // false: too many constraints to tell, in some row at least
  std::vector<std::string> not_unique;  // components that were one choice of many in some row
};

struct RunSummary {
  RunStatus status = RunStatus::ok;
  AssemblyReport assembly;
  std::string message;                // for a person: why it failed, and what to try
  std::vector<std::string> warnings;  // what makes the whole run doubtful
  double time = 0;                    // s reached
  long steps = 0;
  long rejected_steps = 0;
  long iterations = 0;
  std::vector<MarkedStep> marked_steps;
  std::vector<Event> events;   // impacts on end-stops, and what ended the run before its duration
  Violation violation;         // largest over unmarked steps
  Violation marked_violation;  // largest over marked steps
  double initial_energy = 0;   // J
  double energy_drift = 0;     // J, largest change of kinetic + potential energy − work
  struct Peak {
    double force = 0;  // N
    std::string joint;
    double t = 0;
  } peak_reaction;  // away from marked steps
  ReactionSummary reactions;
  double wall_seconds = 0;  // of the stepping, output included
  int solver_fallovers = 0;
  int coordinate_changes = 0;  // of independent coordinates, by formulations that have them
  std::string solver;
  std::string choice;  // which method the tolerance has chosen, and why; empty where the plan names it
};

// The columns of a run's results.
std::vector<Channel> channels_of(const Simulation& simulation);

// Called now and then with the time reached; false stops the run.
using Progress = std::function<bool(double t)>;

// From an assembled state.
RunSummary run(Simulation& simulation, ResultSink& sink, const Progress& progress = {});

// The same with the rows in memory. Assembles the mechanism first; where that fails, the summary says why and
// there are no rows.
struct RunResult {
  RunSummary summary;
  Trajectory trajectory;
};
RunResult run(Simulation& simulation, const Progress& progress = {});

// Why something failed, in words for a person: names the joint and what to try.
std::string explain(const Report& report, const Simulation& simulation);
std::string explain(const AssemblyReport& report, const Simulation& simulation);

}  // namespace trammel
