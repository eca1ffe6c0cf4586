// Sweep: many runs of one model, from a plan of its parameters to one table of observations. Link
// Trammel::sweep.
//
//   SweepSpec spec;
//   spec.vary = {"L=0.2:0.4:50"};
//   spec.sample = {"m~normal(1, 0.1)"};
//   spec.runs = 200;                                 // of the sample, at each of the 50 lengths
//   spec.observe = {"peak(A.force)", "first_time(crank.angle > 1)"};
//   const Sweep sweep(mechanism, spec);
//   ThreadPool threads(8);
//   run_sweep(sweep, "results/lengths", {.executor = &threads});
//   const SweepTable table = read_sweep("results/lengths/sweep.h5");
//   table.column("peak(A.force)");                   // one value for each run
//
// docs/sweeps.md tells what plans and observations there are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/executor.h"
#include "trammel/run.h"

namespace trammel {

// What is to be run and observed, as a person writes it.
struct SweepSpec {
  std::vector<std::string> vary = {};    // "L=0.2:0.4:50", "L=0.2, 0.3, 0.5": the axes of a grid
  std::string table = {};                // path of a CSV file of runs; another axis of the grid. Empty: none
  std::vector<std::string> sample = {};  // "m~normal(1, 0.1)"
  std::uint64_t runs = 0;                // of the sample, at each point of the grid; 0: none is given
  std::string design = "random";  // of the sample: random, lhs, sobol, or saltelli, for sensitivity indices
  std::uint64_t seed = 1;
  std::vector<std::string> observe = {};  // "peak(A.force)", or with a name: "F=peak(A.force)"
  bool verify = false;                    // estimate the error of each run, which doubles its time

  bool operator==(const SweepSpec&) const = default;
};

// One column of observations. A curve or spectrum has a value for each of its points.
struct SweepColumn {
  std::string name, text;      // as given, and its expression
  std::string unit;            // empty: none, or not known
  std::vector<double> points;  // times in s or frequencies in Hz; empty: one value
  std::string point_unit;

  std::size_t size() const { return points.empty() ? 1 : points.size(); }
  bool operator==(const SweepColumn&) const = default;
};

// What became of one run.
struct SweepRow {
  RunStatus status = RunStatus::ok;
  std::string message;         // why it failed, or what is doubtful
  double time = 0;             // s reached
  std::vector<double> values;  // of the observations, one after the other; NaN where there is none

  bool operator==(const SweepRow&) const = default;
};

class Sweep {
 public:
  // Throws std::invalid_argument, with every mistake of the spec on a line of its own.
  Sweep(const Mechanism& mechanism, const SweepSpec& spec);
  ~Sweep();
  Sweep(Sweep&&) noexcept;
  Sweep& operator=(Sweep&&) noexcept;

  const Mechanism& mechanism() const;
  const SweepSpec& spec() const;
  std::uint64_t runs() const;
  // Runs of one chunk, which is computed and written as a whole; the last may have fewer.
  std::uint64_t chunk_size() const;
  std::uint64_t chunks() const;
  const std::vector<std::string>& parameters() const;
  const std::vector<SweepColumn>& observations() const;

  // Of one run, from 0: the values of its parameters, its model, and what becomes of it. They depend on the
  // sweep and the number alone. Several threads may ask at once. `progress` that answers false stops the run.
  std::vector<double> values(std::uint64_t run) const;
  Mechanism model(std::uint64_t run) const;
  SweepRow compute(std::uint64_t run, const Progress& progress = {}) const;

  // What the folder of a sweep says of it (sweep.json). Two sweeps that say the same have the same results.
  std::string description() const;

  struct Parts;
  explicit Sweep(std::unique_ptr<const Parts> parts);
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const Parts> parts_;
};

// The `sweep:` section of the model's text; a spec without runs where it has none. Throws
// std::invalid_argument with the mistakes in it.
SweepSpec sweep_section(const Mechanism& mechanism);

// The sweep that a folder holds. Throws std::runtime_error where it holds none, or one whose model no file
// can describe.
Sweep open_sweep(const std::filesystem::path& folder);

struct SweepProgress {
  std::uint64_t runs = 0;      // of the part that is being computed
  std::uint64_t finished = 0;  // of these, with those of earlier calls
  std::uint64_t failed = 0;
  std::uint64_t resumed = 0;  // computed by earlier calls
};

struct SweepOptions {
  Executor* executor = nullptr;  // null: one run after the other
  bool resume = false;           // false: refuses a folder that holds runs of a sweep
  // This process computes chunks c with c mod parts = part, and merges if no chunk is missing then. Others
  // may join at any time, with the same or another division.
  std::uint64_t part = 0, parts = 1;
  // Called after each run and now and then between, never by two threads at once; false stops: finished runs
  // stay.
  std::function<bool(const SweepProgress&)> progress = {};
};

struct SweepSummary {
  std::uint64_t runs = 0;     // of the whole sweep
  std::uint64_t done = 0;     // have a result
  std::uint64_t failed = 0;   // have a reason instead
  std::uint64_t resumed = 0;  // of both: computed by earlier calls
  bool merged = false;        // sweep.h5 is there
};

// Computes what the folder lacks: chunks, and of whole sweeps sweep.h5. Throws std::invalid_argument where
// the folder holds another sweep, with what differs, and std::runtime_error where files cannot be written.
SweepSummary run_sweep(const Sweep& sweep, const std::filesystem::path& folder,
                       const SweepOptions& options = {});

// One chunk, for schedulers of one's own: nothing is computed where it is there already.
void run_chunk(const Sweep& sweep, const std::filesystem::path& folder, std::uint64_t chunk,
               const std::function<bool(const SweepProgress&)>& progress = {});

// sweep.h5 of a folder whose chunks are all there: a function of the sweep alone, to the bit. Throws
// std::runtime_error that names missing or damaged chunks.
SweepSummary merge_sweep(const Sweep& sweep, const std::filesystem::path& folder);

// sweep.h5, read.
struct SweepTable {
  std::vector<std::string> parameters;
  std::vector<SweepColumn> observations;
  std::vector<std::vector<double>> parameter_values;    // by parameter and run
  std::vector<std::vector<double>> observation_values;  // by observation; runs × points, row-major
  std::vector<RunStatus> status;
  std::vector<std::string> messages;
  std::vector<double> times;  // s reached
  std::string description;    // sweep.json

  std::size_t runs() const { return status.size(); }
  // A parameter, or an observation with one value. Throws std::invalid_argument with the nearest name.
  const std::vector<double>& column(const std::string& name) const;
};
SweepTable read_sweep(const std::filesystem::path& path);

// report.html of a folder that has sweep.h5, and below runs/ the reports of the runs whose observations are
// largest and least, at most so many; those are computed again.
void report_sweep(const Sweep& sweep, const std::filesystem::path& folder, std::size_t most_reports = 6);

}  // namespace trammel
