// Batch: many runs of one mechanism that differ in its parameters. A table of values goes in, columns come
// out; the runs may go side by side.
//
//   const Batch batch(mechanism, {{"L", "m"}, {0.3, 1.0,   0.4, 1.0}}, {"A.force.x"});
//   ThreadPool threads(2);
//   const BatchResult result = batch.run(&threads);
//   result.column("A.force.x", 1);      // of the second run, one value for each of result.times
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/executor.h"
#include "trammel/run.h"

namespace trammel {

// Values of parameters, one row for each run.
struct ParameterTable {
  std::vector<std::string> names;
  std::vector<double> values;  // row-major, runs × names.size()

  std::size_t runs() const { return names.empty() ? 0 : values.size() / names.size(); }
};

struct BatchResult {
  std::vector<double> times;      // s, output times, the same for all runs
  std::vector<Channel> channels;  // observed, without the time
  // By column, run and time. NaN where a run ended earlier, and in all of a column that the model of a run
  // does not have.
  std::vector<double> values;
  std::vector<double> errors;  // the same of the estimated errors; empty unless the runs were verified
  // The last row of each run, wherever it ended: by column and run. NaN: it has no row.
  std::vector<double> last;
  std::vector<RunSummary> runs;   // status and message of each, its events, the time it has reached
  std::string engine = "tables";  // what computed the steps; with the reason if another one was asked for

  // Of one run, a value for each time. Throws std::invalid_argument, with the nearest name, if there is no
  // such column.
  std::span<const double> column(const std::string& name, std::size_t run) const;
};

// Called now and then with the number of runs that are finished, from the executor's threads, but never from
// two at once, and must not throw. False stops: finished runs stay, those under way keep their rows, and all
// others are `stopped` too.
using BatchProgress = std::function<bool(std::size_t finished)>;

class Batch {
 public:
  // Runs by mechanism.plan, but without a second run unless `verify`. `observe`: names of columns, or
  // their first part, as "A.force"; none: all that the first run which can be assembled has. Throws
  // std::invalid_argument for a parameter or column that does not exist, with the nearest name, and for a
  // table that is not full.
  Batch(const Mechanism& mechanism, ParameterTable parameters, const std::vector<std::string>& observe = {},
        bool verify = false);

  // The values do not depend on the executor, to the bit; null: one run after the other. A run that fails
  // says why in its summary, and stops no other. Forces and constraints of the caller's own are called
  // from several threads at once.
  BatchResult run(Executor* executor = nullptr, const BatchProgress& progress = {}) const;

  std::size_t runs() const { return parameters_.runs(); }
  // The model of one run. Throws std::invalid_argument where it cannot have its values.
  Mechanism model(std::size_t run) const;
  bool verifies() const { return mechanism_.plan.verify; }
  // Whose values are missing all, for what computes them. Throws std::invalid_argument if they need more
  // memory than the machine has.
  BatchResult without_rows() const;
  // Computes one run into such a result. Several threads may call it at once, each with a run of its own.
  void compute(std::size_t run, const Progress& progress, BatchResult& result) const;

 private:
  void find_channels(const std::vector<std::string>& observe);

  Mechanism mechanism_;
  ParameterTable parameters_;
  std::vector<double> times_;
  std::vector<Channel> channels_;
};

}  // namespace trammel
