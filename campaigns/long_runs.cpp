#include "long_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <utility>

#include "closed_motions.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"

namespace trammel::campaigns {
namespace {

constexpr long kLongRows = 2000;
// As in the campaign of estimates.
constexpr double kMostOfEstimate = 3;
// A run that states an error of this part of a column's range has said that the phase is lost.
constexpr double kLost = 0.3;
// Of a value, in each step; all may go the same way.
constexpr double kRoundingOfStep = std::numeric_limits<double>::epsilon() / 2;
// Of the lag: within each swing it changes by about as much as a swing adds.
constexpr double kProportion = 0.1;
// |Φ| of an accepted step, docs/architecture.md.
constexpr double kClosedPosition = 1e-11;
// Beside the rows that are kept: a tenth of a byte for each of ten million steps.
constexpr double kSpareMemory = 1 << 20;

struct LongRun {
  std::string name;
  long steps = 0;
  double time = 0;                            // s
  double until = 0;                           // s, to which the run knows the phase
  double truth = 0, estimate = 0;             // largest to then, SI
  double lag_early = 0, lag = 0;              // s, after a tenth of the time and at the end
  double violation_early = 0, violation = 0;  // largest |Φ| of rows, before and after a tenth of the time
  double growth = 0;                          // of memory, bytes
  std::vector<std::string> wrong{};
};

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Compares the rows with the closed form as they come.
class Comparison final : public ResultSink {
 public:
  Comparison(const ClosedMotion& motion, const Trajectory& columns, std::function<double(long)> time_of)
      : motion_(motion), time_of_(std::move(time_of)), violation_(column(columns, "violation.position")) {
    for (const Exact& exact : motion.exact) columns_.push_back(column(columns, exact.column));
  }

  void write(std::span<const double> row) override {
    const double t = row[0];
    if (t != time_of_(rows_)) ++wrong_times;
    double product = 0, speed = 0;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto& exact = motion_.exact[k].at;
      constexpr double kAside = 1e-5;  // s
      const double error = row[columns_[k]] - exact(t),
                   rate = (exact(t + kAside) - exact(t - kAside)) / (2 * kAside);
      errors_.push_back(std::abs(error));
      largest = std::max(largest, std::abs(row[columns_[k]]));
      product += error * rate;
      speed += rate * rate;
    }
    lags_.push_back({product, speed});
    violations_.push_back(row[violation_]);
    memory_.push_back(resident_bytes());
    ++rows_;
  }

  void write_errors(std::span<const double> row) override {
    if (lost_) return;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const double stated = row[columns_[k]];
      lost_ = lost_ || std::isnan(stated) || stated > kLost * largest;
      estimate = std::max(estimate, stated);
      truth = std::max(truth, errors_[judged_ * columns_.size() + k]);
    }
    ++judged_;
    until = row[0];
  }

  // By least squares over the rows of the last fifth of a part of the run.
  double lag(double part) const {
    double product = 0, speed = 0;
    for (std::size_t i = at(0.8 * part); i < at(part); ++i)
      product += lags_[i].first, speed += lags_[i].second;
    return -product / speed;
  }
  double violation(double from, double to) const {
    return *std::max_element(violations_.begin() + static_cast<long>(at(from)),
                             violations_.begin() + static_cast<long>(at(to)));
  }
  double growth(double from) const {
    return *std::max_element(memory_.begin() + static_cast<long>(at(from)), memory_.end()) -
           memory_[at(from)];
  }

  double truth = 0, estimate = 0, largest = 0;  // errors, and the values themselves
  double until = 0;                             // s, judged
  long wrong_times = 0;

 private:
  static std::size_t column(const Trajectory& columns, const std::string& name) {
    const int found = columns.find(name);
    if (found < 0) throw std::logic_error("there is no column " + name);
    return static_cast<std::size_t>(found);
  }
  std::size_t at(double part) const {
    return static_cast<std::size_t>(part * static_cast<double>(lags_.size() - 1)) + 1;
  }

  const ClosedMotion& motion_;
  std::function<double(long)> time_of_;  // of a row
  std::size_t violation_;
  std::vector<std::size_t> columns_;
  std::vector<double> errors_;  // by row and column
  long rows_ = 0;
  std::size_t judged_ = 0;
  bool lost_ = false;
  std::vector<std::pair<double, double>> lags_;
  std::vector<double> violations_, memory_;
};

std::vector<std::string> judge(const LongRun& run, const Comparison& rows, bool proportional, double kept) {
  std::vector<std::string> wrong;
  if (rows.wrong_times > 0)
    wrong.push_back(fmt::format("{} rows are not at multiples of the interval", rows.wrong_times));
  const double rounding = kRoundingOfStep * static_cast<double>(run.steps) * rows.largest;
  if (run.truth > kMostOfEstimate * run.estimate + rounding)
    wrong.push_back("the error is beyond the stated one");
  if (proportional && std::abs(run.lag / (10 * run.lag_early) - 1) > kProportion)
    wrong.push_back("the lag is not in proportion to time");
  if (run.violation > std::max(kClosedPosition, 2 * run.violation_early)) wrong.push_back("constraints open");
  if (run.growth > kept + kSpareMemory) wrong.push_back("memory grows");
  return wrong;
}

struct Way {
  const char* coordinates;
  double step, tolerance;     // s; one of them is 0
  bool proportional = false;  // nothing is projected: the lag grows in proportion to time
};

std::string name_of(const ClosedMotion& motion, const Way& way) {
  const std::string size =
      way.step > 0 ? fmt::format("{:g} ms", 1e3 * way.step) : fmt::format("tolerance {:g}", way.tolerance);
  return fmt::format("{}, {}, {}", motion.name, way.coordinates, size);
}

// The mean step that a tolerance takes, s.
double usual_step(const Mechanism& mechanism, Plan plan) {
  plan.duration = 100;
  plan.verify = false;
  Simulation simulation(mechanism, plan);
  const RunResult result = run(simulation);
  return result.summary.time / static_cast<double>(result.summary.steps);
}

LongRun make(const ClosedMotion& motion, const Way& way, long steps) {
  Plan plan;
  plan.coordinates = way.coordinates;
  plan.step = way.step;
  plan.tolerance = way.tolerance;
  const double step = way.step > 0 ? way.step : usual_step(motion.mechanism, plan);
  plan.duration = static_cast<double>(steps) * step;
  const long stride = steps / kLongRows;
  plan.output_interval = static_cast<double>(stride) * step;
  const auto time_of = [&](long row) {
    if (row == kLongRows) return plan.duration;
    return way.step > 0 ? static_cast<double>(row * stride) * way.step
                        : static_cast<double>(row) * plan.output_interval;
  };

  LongRun out;
  out.name = name_of(motion, way);
  Simulation simulation(motion.mechanism, plan, make_executor(plan));
  if (!simulation.assemble().report.accepted()) throw std::runtime_error(out.name + ": is not assembled");
  const Trajectory columns{channels_of(simulation), {}};
  Comparison rows(motion, columns, time_of);
  const RunSummary summary = run(simulation, rows);
  out.steps = summary.steps;
  out.time = summary.time;
  out.until = rows.until;
  out.truth = rows.truth;
  out.estimate = rows.estimate;
  out.lag_early = rows.lag(0.1);
  out.lag = rows.lag(1);
  out.violation_early = rows.violation(0, 0.1);
  out.violation = rows.violation(0.1, 1);
  // The first hundredth of ten million steps; of a shorter run a tenth.
  out.growth = rows.growth(steps >= 1'000'000 ? 0.01 : 0.1);
  // Rows of both runs, their errors, and their copies while vectors grow.
  const double kept = 6.0 * sizeof(double) * static_cast<double>(kLongRows * columns.channels.size()) +
                      1000.0 * static_cast<double>(summary.marked_steps.size());
  out.wrong = judge(out, rows, way.proportional, kept);
  if (summary.status >= RunStatus::doubtful) out.wrong.push_back("the run has failed: " + summary.message);
  if (way.step > 0 && summary.steps != steps) out.wrong.push_back("the number of steps is another");
  return out;
}

void print(const LongRun& run) {
  fmt::print("{:<42}{:>10}{:>10.4g}{:>11.4g}{:>10.2g}{:>10.2g}{:>11.3g}{:>11.3g}{:>10.1e}{:>8.0f}\n",
             run.name, run.steps, run.time, run.until, run.truth, run.estimate, run.lag_early, run.lag,
             run.violation, run.growth / 1024);
  for (const std::string& line : run.wrong) fmt::print("  wrong: {}\n", line);
  std::fflush(stdout);
}

}  // namespace

bool check_long_runs(long steps, const std::string& only) {
  const std::vector<std::pair<ClosedMotion, std::vector<Way>>> all = {
      {point_pendulum(), {{"natural", 1e-3, 0}}},
      {rod_pendulum(),
       {{"natural", 1e-3, 0},
        {"reference", 1e-3, 0},
        {"relative", 1e-3, 0, true},
        {"natural", 0, 1e-9},
        {"relative", 0, 1e-9}}},
      {double_four_bar(), {{"natural", 2e-4, 0}, {"natural", 0, 1e-7}}},
      {rolling_wheel(), {{"natural", 1e-3, 0}, {"reference", 1e-3, 0}, {"relative", 1e-3, 0}}}};
  fmt::print("{:<42}{:>10}{:>10}{:>11}{:>10}{:>10}{:>11}{:>11}{:>10}{:>8}\n", "", "steps", "time, s",
             "judged, s", "error", "stated", "lag/10, s", "lag, s", "|phi|", "KiB");
  bool right = true, any = false;
  for (const auto& [motion, ways] : all)
    for (const Way& way : ways) {
      if (name_of(motion, way).find(only) == std::string::npos) continue;
      const LongRun run = make(motion, way, steps);
      print(run);
      any = true;
      right = right && run.wrong.empty();
    }
  if (!any) throw std::invalid_argument(fmt::format("no run's name contains \"{}\"", only));
  return right;
}

}  // namespace trammel::campaigns
