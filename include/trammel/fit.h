// Fit: parameters of a model from measurements, by least squares, with confidence intervals. Optimize:
// parameters for which an observation is least. Link Trammel::sweep.
//
//   FitSpec spec;
//   spec.parameters = {"m", "k=800:100:2000"};      // from the model's value; from 800 within 100 to 2000
//   spec.data = "measured.csv";                      // t, then columns of the model, or spec.compare
//   const FitResult found = fit(mechanism, spec, {.executor = &threads});
//   found.parameters[0].value, .low, .high;          // with 95 % confidence
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trammel/executor.h"
#include "trammel/mechanism.h"

namespace trammel {

// How a search is run and kept.
struct SearchOptions {
  Executor* executor = nullptr;       // null: one run after the other
  std::filesystem::path folder = {};  // where evaluations are kept; empty: nowhere
  bool resume = false;                // false: refuses a folder that holds evaluations
  // Called now and then with the number of runs and the least cost so far; false stops.
  std::function<bool(long runs, double cost)> progress = {};
};

struct FitSpec {
  // "m": from the value in the model, positive if that is; "m=1": from 1; "m=1:0.5:2": from 1, within 0.5
  // to 2.
  std::vector<std::string> parameters = {};
  std::string data = {};  // a CSV file: t in s, then measured columns
  std::vector<std::string> compare =
      {};  // "x=1000*a.x": what the column x of the data measures; none: itself
  double confidence = 0.95;
  // False: each interval holds its own value with this confidence. True: all together hold all values, by
  // Bonferroni's inequality.
  bool joint = false;
  bool operator==(const FitSpec&) const = default;
};

struct FittedParameter {
  std::string name, unit;
  double start = 0, value = 0;
  double error = 0;          // standard error; infinite: the data do not determine it
  double low = 0, high = 0;  // of the confidence interval
  bool at_bound = false;     // the value is a bound that was given
};

struct FitColumn {
  std::string name, text, unit;
  double deviation = 0;  // of measurements from the model: standard deviation
  std::vector<double> t, measured, fitted;
};

struct FitResult {
  bool converged = false;
  std::string message;  // why not, or what the data do not determine
  std::vector<FittedParameter> parameters;
  std::vector<double> correlation;  // of the estimates, row-major
  std::vector<FitColumn> columns;
  double cost = 0;             // ½ Σ (residual/spread of its column's measurements)²
  long runs = 0, resumed = 0;  // computed now; taken from the folder
  long measurements = 0;
  double confidence = 0.95;  // of the intervals, as the spec says
  bool joint = false;
  std::string model;  // the text of the model with the values found
};

// Throws std::invalid_argument with every mistake, and std::runtime_error for files.
FitResult fit(const Mechanism& mechanism, const FitSpec& spec, const SearchOptions& options = {});

struct OptimizeSpec {
  std::string minimize = {}, maximize = {};  // an observation; one of them
  std::vector<std::string> over = {};        // "L=0.2:0.4": parameters with their bounds
  std::vector<std::string> subject_to = {};  // "peak(A.force) < 100"
  std::string method = "global";             // global, then local; or local, from the model's values
  long evaluations = 0;                      // at most; 0: 200 for each parameter
  double accuracy = 1e-6;                    // of the parameters, relative to their bounds
  std::uint64_t seed = 1;
  bool operator==(const OptimizeSpec&) const = default;
};

struct OptimizeResult {
  bool converged = false;
  std::string message;
  std::vector<std::string> names;
  std::vector<double> values;
  double objective = 0;
  std::vector<double> constraints;  // left side − right side of each; holds where it is not positive
  long runs = 0, resumed = 0, failed = 0;
  std::vector<double> history;  // the best value after each run
  std::string model;
};

// By NLopt: CRS2 (or ISRES with constraints), then BOBYQA (COBYLA). Throws std::runtime_error where the
// library was built without it.
OptimizeResult optimize(const Mechanism& mechanism, const OptimizeSpec& spec,
                        const SearchOptions& options = {});

}  // namespace trammel
