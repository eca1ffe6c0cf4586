// Batches by a compiled kernel. Runs go in groups: each group's instances are advanced from one output time
// to the next, and the table-driven engine reads the rows of their states.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "kernel/compiled_kernel.h"
#include "simulation/batch_columns.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "simulation/run_output.h"
#include "simulation/run_watch.h"
#include "trammel/kernel.h"

namespace trammel {
namespace kernel {
namespace {

// Groups of so many lanes: enough to share the cost of a call.
constexpr std::size_t kLanesOfGroup = 4;
// A rest of a step below this part of it is rounding.
constexpr double kRest = 1e-9;

// What the steps of the table-driven engine leave, and those of a kernel do not.
bool is_of_steps(const Channel& channel) {
  constexpr std::array kNames = {"energy.work", "iterations", "marked"};
  return channel.name.starts_with("violation.") || std::ranges::find(kNames, channel.name) != kNames.end();
}

struct Instance {
  std::size_t run;
  std::unique_ptr<Simulation> simulation;
  std::unique_ptr<simulation::BatchColumns> columns;
  std::unique_ptr<simulation::Rows> rows;
  // Of a motion that keeps its energy; nothing where drivers and dampers do work, which a kernel does not
  // follow.
  std::unique_ptr<simulation::Watch> watch;
};

class CompiledBatch {
 public:
  // Throws std::runtime_error with the reason why these runs have no kernel.
  explicit CompiledBatch(const Batch& batch) : batch_(batch), result_(batch.without_rows()) {
    if (batch.verifies()) throw std::runtime_error("errors are estimated by the engine of tables");
    bool angles = false;
    for (const Channel& channel : result_.channels) {
      if (is_of_steps(channel))
        throw std::runtime_error(fmt::format("'{}' is known to the engine of tables alone", channel.name));
      angles = angles || channel.unit == "rad";
    }
    std::vector<Mechanism> others = some_models();
    kernel_.emplace(others[0], others[0].plan, KernelOptions{KernelTarget::cpp, others, angles});
    if (!kernel_->refusal().empty()) throw std::runtime_error(kernel_->refusal());
    step_ = simulation::landing_interval(simulation::resolve(others[0].plan, others[0]));
    compiled_.emplace(kernel_->text());
    result_.engine =
        fmt::format("compiled: {} runs side by side on each processor, {} operations in an iteration; {}",
                    compiled_->lanes(), kernel_->operations(), compiled_->origin());
  }

  BatchResult run(Executor* executor, const BatchProgress& progress) {
    simulation::FinishedRuns finished(progress);
    const std::size_t size = kLanesOfGroup * static_cast<std::size_t>(compiled_->lanes()),
                      groups = (batch_.runs() + size - 1) / size;
    const auto task = [&](std::size_t group) {
      const std::size_t first = group * size, last = std::min(batch_.runs(), first + size);
      run_group(first, last, finished);
      finished.add(last - first);
    };
    if (executor != nullptr)
      executor->run(groups, task);
    else
      for (std::size_t group = 0; group < groups; ++group) task(group);
    if (by_tables_ > 0) result_.engine += fmt::format("; tables: {} runs", by_tables_.load());
    return std::move(result_);
  }

 private:
  // Those that can be made of some runs: the first, the last, and some between.
  std::vector<Mechanism> some_models() const {
    constexpr std::size_t kMost = 16;
    const std::size_t count = std::min(kMost, batch_.runs());
    std::vector<Mechanism> models;
    for (std::size_t k = 0; k < count; ++k) {
      try {
        models.push_back(batch_.model(count == 1 ? 0 : k * (batch_.runs() - 1) / (count - 1)));
      } catch (const std::invalid_argument&) {
        continue;  // the run says so
      }
    }
    if (models.empty()) throw std::runtime_error("none of the models tried can have the values of its run");
    return models;
  }

  void fail(std::size_t run, const std::string& why) {
    result_.runs[run].status = RunStatus::failed;
    result_.runs[run].message = why;
  }

  // Where the kernel cannot, and where one of its steps fails: the engine of tables can, or says why not.
  void run_by_tables(std::size_t run, simulation::FinishedRuns& finished) {
    ++by_tables_;
    result_.runs[run] = {};
    batch_.compute(
        run, [&](double) { return finished.go_on(); }, result_);
  }

  // An instance of a run, and its first row.
  std::optional<Instance> begin(std::size_t run, std::vector<double>& states, std::vector<double>& constants,
                                simulation::FinishedRuns& finished) {
    try {
      const Mechanism mechanism = batch_.model(run);
      Instance one{run, std::make_unique<Simulation>(mechanism, mechanism.plan), {}, {}, {}};
      const AssemblyReport assembly = one.simulation->assemble();
      result_.runs[run].assembly = assembly;
      if (!assembly.report.accepted()) return fail(run, explain(assembly, *one.simulation)), std::nullopt;
      const KernelInstance start = kernel_->instance(*one.simulation);
      if (!start.refusal.empty()) return run_by_tables(run, finished), std::nullopt;
      one.columns = std::make_unique<simulation::BatchColumns>(result_, run, channels_of(*one.simulation));
      one.rows = std::make_unique<simulation::Rows>(*one.simulation, *one.columns);
      if (!one.simulation->system().has_work())
        one.watch = std::make_unique<simulation::Watch>(*one.simulation, result_.runs[run]);
      if (!write(one, one.simulation->state(), 0)) return std::nullopt;
      states.insert(states.end(), start.state.begin(), start.state.end());
      constants.insert(constants.end(), start.constants.begin(), start.constants.end());
      return one;
    } catch (const std::exception& error) {
      return fail(run, error.what()), std::nullopt;
    }
  }

  bool write(const Instance& one, const State& state, int status) {
    StepResult last;
    if (status == 1) last.report.outcome = Outcome::marked;
    const std::string missing = one.rows->write(state, last);
    if (one.watch && missing.empty()) one.watch->see(one.rows->energy());
    if (missing.empty()) return true;
    fail(one.run, fmt::format("'{}' has no value at t = {:.4g} s", missing, state.t));
    return false;
  }

  void run_group(std::size_t first, std::size_t last, simulation::FinishedRuns& finished) {
    std::vector<double> states, constants;
    std::vector<Instance> group;
    for (std::size_t run = first; run < last; ++run) {
      if (!finished.go_on()) {
        simulation::stop_before(result_.runs[run]);
      } else if (std::optional<Instance> one = begin(run, states, constants, finished)) {
        group.push_back(std::move(*one));
      }
    }
    for (std::size_t row = 1; row < result_.times.size() && !group.empty(); ++row) {
      if (!finished.go_on()) {
        for (const Instance& one : group) end(one, RunStatus::stopped, "");
        return;
      }
      const std::vector<int> status = advance(states, constants, group.size(), row);
      for (std::size_t k = group.size(); k-- > 0;) {
        if (status[k] == 2) run_by_tables(group[k].run, finished);
        if (status[k] == 2 || !take(group[k], row, status[k], states, k)) leave(k, group, states, constants);
      }
    }
    for (const Instance& one : group)
      end(one, result_.runs[one.run].marked_steps.empty() ? RunStatus::ok : RunStatus::marked, "");
  }

  // From one output time to the next: the worst outcome of each instance.
  std::vector<int> advance(std::vector<double>& states, const std::vector<double>& constants,
                           std::size_t count, std::size_t row) const {
    const double way = result_.times[row] - result_.times[row - 1];
    const long steps = std::lround(std::floor(way / step_ + kRest));
    const double rest = way - static_cast<double>(steps) * step_;
    std::vector<int> worst(count), of_rest(count);
    if (steps > 0) compiled_->advance(states, constants, step_, steps, worst);
    if (rest > kRest * step_) {
      compiled_->advance(states, constants, rest, 1, of_rest);
      for (std::size_t k = 0; k < count; ++k) worst[k] = std::max(worst[k], of_rest[k]);
    }
    return worst;
  }

  // The row of an instance; false: its run has ended.
  bool take(const Instance& one, std::size_t row, int status, const std::vector<double>& states,
            std::size_t k) {
    RunSummary& summary = result_.runs[one.run];
    const auto doubles = static_cast<std::size_t>(compiled_->doubles());
    State state = one.simulation->state();
    kernel_->read(std::span(states).subspan(k * doubles, doubles), state);
    state.t = result_.times[row];
    if (status == 1)
      summary.marked_steps.push_back(
          {state.t, "a step since the row before met only the weaker criterion", ""});
    summary.time = state.t;
    summary.steps += std::lround(std::ceil((state.t - result_.times[row - 1]) / step_ - kRest));
    if (write(one, state, status)) return true;
    end(one, RunStatus::failed, summary.message);
    return false;
  }

  void end(const Instance& one, RunStatus status, const std::string& message) {
    RunSummary& summary = result_.runs[one.run];
    summary.status = status;
    summary.message = message;
    if (one.watch) one.watch->warn();
    if (status <= RunStatus::marked && !summary.warnings.empty()) summary.status = RunStatus::doubtful;
    one.rows->finish(summary, step_);
    one.columns->tell_missing(summary);
  }

  // The last instance takes the place of one that has ended.
  void leave(std::size_t k, std::vector<Instance>& group, std::vector<double>& states,
             std::vector<double>& constants) const {
    const auto take_last = [&](std::vector<double>& all, std::size_t each) {
      std::copy_n(all.end() - static_cast<std::ptrdiff_t>(each), each,
                  all.begin() + static_cast<std::ptrdiff_t>(k * each));
      all.resize(all.size() - each);
    };
    take_last(states, static_cast<std::size_t>(compiled_->doubles()));
    take_last(constants, static_cast<std::size_t>(compiled_->constants()));
    std::swap(group[k], group.back());
    group.pop_back();
  }

  const Batch& batch_;
  BatchResult result_;
  std::optional<Kernel> kernel_;
  std::optional<CompiledKernel> compiled_;
  double step_ = 0;
  std::atomic<std::size_t> by_tables_ = 0;  // runs
};

}  // namespace
}  // namespace kernel

BatchResult run_compiled(const Batch& batch, Executor* executor, const BatchProgress& progress) {
  std::optional<kernel::CompiledBatch> compiled;
  std::string why;
  try {
    compiled.emplace(batch);
  } catch (const std::runtime_error& refused) {
    why = refused.what();
  }
  if (compiled) return compiled->run(executor, progress);
  BatchResult result = batch.run(executor, progress);
  result.engine = "tables: " + why;
  return result;
}

}  // namespace trammel
