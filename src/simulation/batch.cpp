#include "trammel/batch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "simulation/batch_columns.h"
#include "simulation/output_times.h"
#include "simulation/resolve.h"

namespace trammel {

using simulation::index_of;

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

// Of the machine, in bytes.
double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
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

Mechanism Batch::model(std::size_t run) const {
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
      const Mechanism mechanism = model(run);
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
    const std::size_t before = channels_.size();
    for (const Channel& channel : all)
      if (channel.name == name || channel.name.starts_with(name + ".")) channels_.push_back(channel);
    if (all.empty()) channels_.push_back({"", "", "", "", name, true});
    if (channels_.size() == before) throw std::invalid_argument(unknown_column(name, all));
  }
  // A column may have been named twice.
  std::vector<Channel> once;
  for (const Channel& channel : channels_)
    if (index_of(channel.name, once) < 0) once.push_back(channel);
  channels_ = std::move(once);
}

void Batch::compute(std::size_t run, const Progress& progress, BatchResult& result) const {
  RunSummary& summary = result.runs[run];
  const auto fail = [&](const std::string& why) {
    summary.status = RunStatus::failed;
    summary.message = why;
  };
  try {
    const Mechanism mechanism = model(run);
    Simulation simulation(mechanism, mechanism.plan);
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) return fail(explain(assembly, simulation));
    simulation::BatchColumns columns(result, run, channels_of(simulation));
    summary = trammel::run(simulation, columns, progress);
    summary.assembly = assembly;
    columns.tell_missing(summary);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

BatchResult Batch::without_rows() const {
  const std::size_t each = channels_.size() * runs();
  const double bytes = static_cast<double>(each) * static_cast<double>(times_.size()) *
                       static_cast<double>(sizeof(double)) * (verifies() ? 2 : 1);
  if (bytes > physical_memory())
    throw std::invalid_argument(fmt::format(
        "{} runs with {} rows of {} columns need {:.3g} GB, and this machine has {:.3g} GB; observe fewer "
        "columns, write fewer rows (outputs: interval), or make a sweep, which keeps no rows",
        runs(), times_.size(), channels_.size(), bytes / 1e9, physical_memory() / 1e9));
  BatchResult result;
  result.times = times_;
  result.channels = channels_;
  result.values.assign(each * times_.size(), kMissing);
  if (verifies()) result.errors = result.values;
  result.last.assign(each, kMissing);
  result.runs.resize(runs());
  return result;
}

BatchResult Batch::run(Executor* executor, const BatchProgress& progress) const {
  BatchResult result = without_rows();
  simulation::FinishedRuns finished(progress);
  const auto task = [&](std::size_t run) {
    if (!finished.go_on()) return simulation::stop_before(result.runs[run]);
    compute(
        run, [&](double) { return finished.go_on(); }, result);
    finished.add(1);
  };
  if (executor != nullptr)
    executor->run(runs(), task);
  else
    for (std::size_t run = 0; run < runs(); ++run) task(run);
  return result;
}

}  // namespace trammel
