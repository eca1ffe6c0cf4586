// run(): a whole simulation from t = 0 to its end, into a sink; and what a person wants to know of it after.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/simulation.h"
#include "trammel/trajectory.h"

namespace trammel {

enum class RunStatus {
  ok,
  limited,   // some column is not known to the accuracy asked for, or not to the end: `error` says more; or
             // has no finite value in some row: `missing` does
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

// A column that has no finite value in some rows, as an expression that divides by zero there.
struct MissingValues {
  std::string column;
  double first = 0, last = 0;  // s, the first and the last of these rows
  long rows = 0;               // how many
  std::string reason;          // of a reaction that does not exist there; else empty
};

// How far the figures of a run can be trusted: its difference from a second run at a finer setting, times
// what the rule for the steps makes of such a difference.
struct ErrorEstimate {
  std::string reference;  // names the second run; empty: there was none
  std::string failure;    // why that run does not cover the whole time; empty: it does
  double seconds = 0;     // of computing it

  // Columns of one unit.
  struct Kind {
    std::string name;  // "position", "velocity", "reaction", …
    std::string unit;
    double largest = 0;   // error of any column at any time
    double rounding = 0;  // an error below is rounding of the values
    double range = 0;     // the widest of any column, between the rows too
    std::string column;   // where
    double t = 0;         // s, when
    // The last time, s, before some column errs by more than `accuracy` of its range; infinite: the end.
    double known_until = std::numeric_limits<double>::infinity();
    std::string first;  // the column that does
    long beyond = 0;    // rows in which one does
    // Of a motion that amplifies errors, their rate of growth before that time, 1/s; else NaN.
    double growth = std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<Kind> kinds;

  // Of that name; null: no column is of it, or there was no second run.
  const Kind* find(std::string_view kind) const;
  // The one that is known the shortest; null: all are known to the end.
  const Kind* limit() const;
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
  double energy_rounding = 0;  // J: less is rounding of the energies
  struct Peak {
    double force = 0;  // N
    std::string joint;
    double t = 0;
    double error = std::numeric_limits<double>::quiet_NaN();  // N, estimated
  } peak_reaction;                                            // away from marked steps
  ReactionSummary reactions;
  std::vector<MissingValues> missing;  // in order of the columns
  ErrorEstimate error;
  double wall_seconds = 0;  // of the stepping, output included
  int solver_fallovers = 0;
  int coordinate_changes = 0;  // of independent coordinates, by formulations that have them
  std::string solver;
  std::string choice;  // which method the tolerance has chosen, and why; empty where the plan names it
};

// The columns of a run's results.
std::vector<Channel> channels_of(const Simulation& simulation);

// The same for the errors of their values, any of which may be missing.
std::vector<Channel> error_channels(std::vector<Channel> channels);

// Called now and then with the time reached, on the caller's thread; false stops the run. While a second run
// is not yet where the first has ended, with the time of that end; false then ends it alone.
using Progress = std::function<bool(double t)>;

// From an assembled state. Unless the plan says `verify` off, a second run tells the errors; both go side by
// side where the simulation has an executor, but with formulation modular, which uses it itself, and with
// forces and constraints of the caller's own.
RunSummary run(Simulation& simulation, ResultSink& sink, const Progress& progress = {});

// Goes on with a run that was stopped, from its last checkpoint, and gives what it would have given: the same
// rows, errors and figures, to the bit. The simulation is assembled, of the same model, plan and version of
// the program. The sink gets what is new. Rows that `first` has after its last checkpoint are computed again:
// where one of them differs, or the first row, std::runtime_error says so. `second` is what the second run
// had. A record without checkpoints is that of a run which starts anew.
RunSummary resume(Simulation& simulation, ResultSink& sink, const RunRecord& first, const RunRecord& second,
                  const Progress& progress = {});

// Why a run by this plan has no checkpoints, so that resume() computes it from the start: its method has a
// history that no State holds. Empty: it has.
std::string no_checkpoints(const ResolvedPlan& plan);

// The same with the rows in memory. Assembles the mechanism first; where that fails, the summary says why and
// there are no rows.
struct RunResult {
  RunSummary summary;
  Trajectory trajectory;
  Trajectory errors;  // of each value; NaN where none is known; no rows without a second run
};
RunResult run(Simulation& simulation, const Progress& progress = {});

// Why something failed, in words for a person: names the joint and what to try.
std::string explain(const Report& report, const Simulation& simulation);
std::string explain(const AssemblyReport& report, const Simulation& simulation);

}  // namespace trammel
