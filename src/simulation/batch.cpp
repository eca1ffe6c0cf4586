#include "trammel/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "integrators/ode_step.h"
#include "simulation/output_times.h"
#include "simulation/resolve.h"

namespace trammel {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> times_of(const Plan& plan) {
  const simulation::OutputTimes times(simulation::resolve(plan));
  std::vector<double> all;
  for (long n = 0; n <= times.rows; ++n) all.push_back(times.at(n));
  return all;
}

std::string unknown_column(const std::string& name, const std::vector<Channel>& channels) {
  std::vector<std::string> known;
  for (const Channel& channel : channels) known.push_back(channel.name);
  return fmt::format("there is no column '{}'; {}", name, expressions::name_advice(name, known));
}

int index_of(const std::string& name, const std::vector<Channel>& channels) {
  const auto at = std::ranges::find(channels, name, &Channel::name);
  return at == channels.end() ? -1 : static_cast<int>(at - channels.begin());
}

// Puts the observed columns of one run where they belong. The last row of a run that ends early is at none of
// the times.
class Columns final : public ResultSink {
 public:
  Columns(BatchResult& result, std::size_t run, std::vector<int> from)
      : result_(result), run_(run), from_(std::move(from)) {}

  void write(std::span<const double> row) override {
    put(row, rows_++, result_.values);
    for (std::size_t c = 0; c < from_.size(); ++c)
      if (from_[c] >= 0)
        result_.last[c * result_.runs.size() + run_] = row[static_cast<std::size_t>(from_[c])];
  }
  void write_errors(std::span<const double> row) override { put(row, errors_++, result_.errors); }
  bool reads(const Channel& channel) const override { return index_of(channel.name, result_.channels) >= 0; }

 private:
  void put(std::span<const double> row, std::size_t k, std::vector<double>& to) const {
    const std::size_t times = result_.times.size();
    if (k >= times || !integrators::same_time(row[0], result_.times[k])) return;
    for (std::size_t c = 0; c < from_.size(); ++c)
      if (from_[c] >= 0)
        to[(c * result_.runs.size() + run_) * times + k] = row[static_cast<std::size_t>(from_[c])];
  }

  BatchResult& result_;
  std::size_t run_;
  std::vector<int> from_;  // by observed column: that of the run; −1: it has none
  std::size_t rows_ = 0, errors_ = 0;
};

// Where each observed column stands in a run; a message for a person names those that it does not have.
std::vector<int> places(const std::vector<Channel>& wanted, const std::vector<Channel>& channels,
                        std::string& lacks) {
  std::vector<int> from;
  for (const Channel& channel : wanted) {
    from.push_back(index_of(channel.name, channels));
    if (from.back() < 0)
      lacks += (lacks.empty() ? "with these values the model has no column " : ", ") + channel.name;
  }
  return from;
}

}  // namespace

std::span<const double> BatchResult::column(const std::string& name, std::size_t run) const {
  const int at = index_of(name, channels);
  if (at < 0) throw std::invalid_argument(unknown_column(name, channels));
  if (run >= runs.size())
    throw std::invalid_argument(fmt::format("there is no run {}; the batch has {}", run, runs.size()));
  return std::span(values).subspan((static_cast<std::size_t>(at) * runs.size() + run) * times.size(),
                                   times.size());
}

Batch::Batch(const Mechanism& mechanism, ParameterTable parameters, const std::vector<std::string>& observe,
             bool verify)
    : mechanism_(mechanism), parameters_(std::move(parameters)), times_(times_of(mechanism.plan)) {
  mechanism_.plan.verify = verify;
  const std::size_t width = parameters_.names.size();
  if (width == 0 || parameters_.values.empty())
    throw std::invalid_argument("a batch needs at least one parameter and one run");
  if (parameters_.values.size() % width != 0)
    throw std::invalid_argument(
        fmt::format("a table of {} parameters cannot have {} values; give each run "
                    "a value of each parameter",
                    width, parameters_.values.size()));
  // Of an unknown name.
  std::map<std::string, double> same;
  for (const std::string& name : parameters_.names)
    same[name] = mechanism_.parameters.contains(name) ? mechanism_.parameters.at(name) : 0;
  if (same.size() < width) throw std::invalid_argument("a parameter stands twice in the table");
  Mechanism(mechanism_).set_parameters(same);
  find_channels(observe);
}

// Throws std::invalid_argument where the model cannot have the values of this run.
Mechanism Batch::with_values(std::size_t run) const {
  std::map<std::string, double> values;
  for (std::size_t k = 0; k < parameters_.names.size(); ++k) {
    const double value = parameters_.values[run * parameters_.names.size() + k];
    if (!std::isfinite(value))
      throw std::invalid_argument(
          fmt::format("parameter '{}' cannot be {}; give a finite number", parameters_.names[k], value));
    values[parameters_.names[k]] = value;
  }
  Mechanism changed = mechanism_;
  changed.set_parameters(values);
  changed.plan.verify = mechanism_.plan.verify;
  if (times_of(changed.plan) != times_)
    throw std::invalid_argument(
        "the duration or the output times depend on these parameters, and the runs of a batch share them; "
        "give both as numbers");
  return changed;
}

// The columns of the first run that can be assembled; of none, the names alone.
void Batch::find_channels(const std::vector<std::string>& observe) {
  std::vector<Channel> all;
  for (std::size_t run = 0; run < parameters_.runs() && all.empty(); ++run) {
    try {
      const Mechanism mechanism = with_values(run);
      Simulation simulation(mechanism, mechanism.plan);
      if (simulation.assemble().report.accepted()) all = channels_of(simulation);
    } catch (const std::exception&) {
      // run() tells it of that run.
      continue;
    }
  }
  if (observe.empty()) {
    if (!all.empty()) channels_.assign(all.begin() + 1, all.end());
    return;
  }
  for (const std::string& name : observe) {
    const int at = index_of(name, all);
    if (at < 0 && !all.empty()) throw std::invalid_argument(unknown_column(name, all));
    channels_.push_back(at < 0 ? Channel{"", "", "", "", name, true} : all[static_cast<std::size_t>(at)]);
  }
}

void Batch::run_one(std::size_t run, const Progress& progress, BatchResult& result) const {
  RunSummary& summary = result.runs[run];
  const auto fail = [&](const std::string& why) {
    summary.status = RunStatus::failed;
    summary.message = why;
  };
  try {
    const Mechanism mechanism = with_values(run);
    Simulation simulation(mechanism, mechanism.plan);
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) return fail(explain(assembly, simulation));
    std::string lacks;
    Columns columns(result, run, places(channels_, channels_of(simulation), lacks));
    summary = trammel::run(simulation, columns, progress);
    summary.assembly = assembly;
    if (!lacks.empty()) summary.message += (summary.message.empty() ? "" : "; ") + lacks;
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

BatchResult Batch::run(Executor* executor, const BatchProgress& progress) const {
  BatchResult result;
  const std::size_t runs = parameters_.runs(), each = channels_.size() * runs;
  result.times = times_;
  result.channels = channels_;
  result.values.assign(each * times_.size(), kMissing);
  if (mechanism_.plan.verify) result.errors = result.values;
  result.last.assign(each, kMissing);
  result.runs.resize(runs);

  std::mutex mutex;
  std::size_t finished = 0;
  bool goes_on = true;
  const auto ask = [&](std::size_t more) {
    const std::lock_guard lock(mutex);
    finished += more;
    goes_on = goes_on && (!progress || progress(finished));
    return goes_on;
  };
  const auto task = [&](std::size_t run) {
    if (ask(0)) {
      run_one(
          run, [&](double) { return ask(0); }, result);
      ask(1);
    } else {
      result.runs[run].status = RunStatus::stopped;
      result.runs[run].message = "stopped before it began";
    }
  };
  if (executor != nullptr)
    executor->run(runs, task);
  else
    for (std::size_t run = 0; run < runs; ++run) task(run);
  return result;
}

}  // namespace trammel
