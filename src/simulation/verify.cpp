#include "simulation/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <numbers>
#include <optional>

#include "simulation/breaks.h"
#include "simulation/error_estimate.h"
#include "simulation/open_rows.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "simulation/run_alone.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

// The second run's tolerance and step, as parts of the first one's.
constexpr double kTolerancePart = 0.1, kStepPart = 0.5;
// Of two steps for one, the first: a golden section. Halves would meet a wave that the motion makes, as of
// gears that mesh twice in a step, at the same phase as the first run.
constexpr double kGoldenPart = 0.3819660112501051;
// Masses that differ by more may be why steps do not converge.
constexpr double kLightBody = 1e3;
// The iteration of a step is not made finer than this.
constexpr double kFineConvergence = 1e-11;
// From one call of the progress function to the next, while the second run goes on alone.
constexpr std::chrono::milliseconds kAskEvery(20);
// Errors grow with a power of the tolerance near one, and at least with the step itself: the second run has
// at most half of them, or 0.528 after steps in the golden section.
constexpr double kOfTolerance = 1.3, kOfStep = 2, kOfGolden = 2.12;

// Hands the rows on, and keeps them unless the sink behind does.
class Table final : public ResultSink {
 public:
  // Begins with the rows of a record. `spared`: does without `to` once that has thrown.
  Table(std::vector<Channel> channels, const RunRecord& record, ResultSink* to, bool spared)
      : rows_{std::move(channels), {}},
        to_(to),
        kept_(to && !spared ? to->kept() : nullptr),
        spared_(spared) {
    if (!kept_) rows_.values = record.rows.values;
  }
  void write(std::span<const double> row) override {
    hand_on([&] { to_->write(row); });
    if (!kept_) rows_.values.insert(rows_.values.end(), row.begin(), row.end());
  }
  double checkpoint_interval() const override {
    return to_ ? to_->checkpoint_interval() : std::numeric_limits<double>::infinity();
  }
  void checkpoint(std::string_view bytes) override {
    hand_on([&] { to_->checkpoint(bytes); });
  }
  const Trajectory& rows() const { return kept_ ? *kept_ : rows_; }

 private:
  template <class Call>
  void hand_on(const Call& call) {
    if (!to_) return;
    try {
      call();
    } catch (const std::exception&) {
      if (!spared_) throw;
      to_ = nullptr;
    }
  }

  Trajectory rows_;
  ResultSink* to_;
  const Trajectory* kept_;  // the rows of `to`; null: it keeps none
  bool spared_;
};

MotionScale scale_of(const Simulation& simulation) {
  MotionScale scale{simulation.system().length_scale(), simulation.plan().duration, 0};
  double mass = 0;
  for (const Body& body : simulation.mechanism().bodies) mass += body.mass;
  // Reactions of a mechanism without mass are rounding, however it moves.
  constexpr double kMassless = 1e3;  // N
  scale.force = mass > 0 ? mass * std::max(simulation.mechanism().gravity.norm(),
                                           scale.length / (scale.time * scale.time))
                         : kMassless;
  return scale;
}

// Of positions so far from the origin, as a part of the mechanism's size.
double rounding_of(const Simulation& simulation) {
  double far = 0;
  for (const Pose& pose : simulation.system().poses(simulation.state()))
    far = std::max(far, pose.position.norm());
  return std::numeric_limits<double>::epsilon() * far / simulation.system().length_scale();
}

// Why nothing is known where the first run had to halve its steps: a body that turns far in one, or light
// bodies between heavy ones, whose vibration no iteration follows.
std::string same_steps_text(const Simulation& simulation) {
  constexpr double kFarTurn = 0.3;  // rad in a step
  const std::vector<Pose> poses = simulation.system().poses(simulation.state());
  std::size_t fastest = 0;
  for (std::size_t k = 0; k < poses.size(); ++k)
    if (poses[k].angular_velocity.norm() > poses[fastest].angular_velocity.norm()) fastest = k;
  const double rate = poses.empty() ? 0 : poses[fastest].angular_velocity.norm(),
               step = simulation.resolved().step;
  const char* kSame = "and both runs took the same steps";
  if (rate * step > kFarTurn)
    return fmt::format(
        "steps were halved, for '{}' turns at {:.3g} rad/s, by {:.2g} turns in a step of {:.2g} s, {}; take "
        "steps below {:.1g} s, or a tolerance",
        simulation.mechanism().bodies[fastest].name, rate, rate * step / (2 * std::numbers::pi), step, kSame,
        kFarTurn / rate);
  if (const double ratio = mass_ratio(simulation.mechanism()); ratio > kLightBody)
    return fmt::format(
        "steps were halved, for light bodies under the reactions of heavy ones vibrate faster than steps of "
        "{:.2g} s follow (masses differ by {:.0e}), {}; give a tolerance instead of the step, which then is "
        "as short as the vibration asks for, or a smaller step",
        step, ratio, kSame);
  return fmt::format(
      "steps were halved, for the iteration of a step of {:.2g} s did not converge, as where something "
      "vibrates, turns or changes faster than that, {}; give a tolerance instead of the step, or a smaller "
      "step",
      step, kSame);
}

// Steps of one size that the first run halved are those that the second has from the start.
bool takes_the_same_steps(const ResolvedPlan& plan, const RunSummary& summary) {
  constexpr double kHalved = 0.1;  // of the steps: fewer hardly matter
  return !controls_error(plan) &&
         static_cast<double>(summary.rejected_steps) > kHalved * static_cast<double>(summary.steps);
}

// The executor's tasks must not throw, nor call from two threads what a caller wrote for one.
bool side_by_side(const Simulation& simulation) {
  const Mechanism& mechanism = simulation.mechanism();
  const bool own_code =
      !mechanism.constraints.empty() || simulation.sampling().make || !simulation.watched().empty() ||
      std::any_of(mechanism.forces.begin(), mechanism.forces.end(),
                  [](const Force& force) { return std::holds_alternative<UserForcePtr>(force.law); });
  return simulation.executor() && simulation.resolved().formulation != FormulationKind::modular && !own_code;
}

class Pair {
 public:
  Pair(Simulation& first, ResultSink& sink, const RunRecord& first_record, const RunRecord& second_record,
       const Progress& progress)
      : first_(first),
        first_record_(first_record),
        second_record_(second_record),
        progress_(progress),
        sink_(sink),
        rows_(channels_of(first), first_record, &sink, false),
        finer_rows_(rows_.rows().channels, second_record, sink.second(), true) {}

  void run(Simulation& second) {
    if (side_by_side(first_))
      first_.executor()->run(
          2, [&](std::size_t i) { i == 0 ? run_first_task(second) : run_second_task(second); });
    else
      run_first(), run_second(second, second_record_, progress_);
    if (thrown_) std::rethrow_exception(thrown_);
  }

  // Another second run in place of the one that has ended. No log keeps its rows.
  void run_again(Simulation& second) {
    seconds_ = seconds();
    finer_rows_ = Table(channels_of(first_), {}, nullptr, true);
    finer.reset();
    widest = {};
    run_second(second, {}, progress_);
  }

  // By what the two runs differ, times a factor.
  ErrorTable errors(double factor) const {
    const ResolvedPlan& plan = first_.resolved();
    const Trajectory nothing;
    return estimate_errors(
        rows(), takes_the_same_steps(plan, summary) ? nothing : finer_rows(),
        {factor, first_.plan().accuracy, scale_of(first_), controls_error(plan) ? step_tolerance(plan) : 0,
         widest, jumps(), first_.executor().get()});
  }

  RunSummary summary;
  std::optional<RunSummary> finer;  // nothing: it threw
  Widest widest;                    // of the second run
  // Why the second run does not come as far as the first; empty: it does.
  std::string why_short(double time) const {
    if (!finer) return failure_;
    return finer->status == RunStatus::failed || (finer->status > RunStatus::failed && finer->time < time)
               ? finer->message
               : "";
  }
  // Which run ended by an event that the other had not met there; empty: none did.
  std::string why_apart() const {
    const auto end_of = [](const RunSummary& run) {
      return run.events.empty() || run.events.back().t < run.time ? nullptr : &run.events.back();
    };
    const Event *first = end_of(summary), *second = finer ? end_of(*finer) : nullptr;
    if (first == nullptr && second == nullptr) return {};
    const bool by_second = first == nullptr || (second != nullptr && second->t < first->t);
    const Event& last = by_second ? *second : *first;
    const bool condition = last.kind == Event::Kind::stop, both = first != nullptr && second != nullptr;
    return fmt::format(
        "{} ended at t = {:.6g} s, {} '{}'{}, and {} {}; a tolerance or a smaller step tells which of them "
        "errs",
        by_second ? "it" : "the first run", last.t, condition ? "where" : "at", last.name,
        condition ? " became true" : "", by_second ? "the first run" : "this one",
        both ? "ended later" : "went on");
  }
  // Times at which velocities jump, in either run.
  std::vector<double> jumps() const {
    std::vector<double> all;
    for (const RunSummary* one : {&summary, finer ? &*finer : nullptr})
      for (const Event& e : one ? one->events : std::vector<Event>())
        if (e.kind == Event::Kind::impact || e.kind == Event::Kind::rest || e.kind == Event::Kind::jump)
          all.push_back(e.t);
    std::sort(all.begin(), all.end());
    return all;
  }
  const Trajectory& rows() const { return rows_.rows(); }
  const Trajectory& finer_rows() const { return finer_rows_.rows(); }
  // Wall time of all second runs.
  double seconds() const { return seconds_ + (finer ? finer->wall_seconds : 0); }

 private:
  // The task of the calling thread, which alone calls the progress function. A second run that no thread has
  // begun meanwhile is its own.
  void run_first_task(Simulation& second) {
    run_first();
    if (!begun_.test_and_set()) return run_second(second, second_record_, progress_);
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kAskEvery, [&] { return second_ended_; })) {
      lock.unlock();
      if (!ask()) given_up_.store(true, std::memory_order_relaxed);
      lock.lock();
    }
  }
  void run_second_task(Simulation& second) {
    if (begun_.test_and_set()) return;
    run_second(second, second_record_, [&](double) { return !given_up_.load(std::memory_order_relaxed); });
    const std::lock_guard lock(mutex_);
    second_ended_ = true;
    ended_.notify_all();
  }
  // False: the caller wants no second run any more, or its progress function has thrown.
  bool ask() {
    try {
      return !progress_ || progress_(summary.time);
    } catch (...) {
      if (!thrown_) thrown_ = std::current_exception();
      return false;
    }
  }

  void run_first() {
    try {
      summary = run_alone(first_, rows_, first_record_, progress_);
    } catch (...) {
      thrown_ = std::current_exception();
      summary.status = RunStatus::stopped;
    }
    done_.store(true, std::memory_order_release);
    if (thrown_) return;
    try {
      sink_.end_of_rows();
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  // Where the first run has ended, the second need not go on; where it has been stopped, at once.
  void run_second(Simulation& second, const RunRecord& record, const Progress& progress) {
    const auto goes_on = [&](double t) {
      if (!done_.load(std::memory_order_acquire)) return true;
      if (summary.status == RunStatus::stopped || t > summary.time) return false;
      return !progress || progress(summary.time);
    };
    try {
      finer = run_alone(second, finer_rows_, record, goes_on, &widest);
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
  }

  Simulation& first_;
  const RunRecord &first_record_, &second_record_;
  const Progress& progress_;
  ResultSink& sink_;
  Table rows_, finer_rows_;
  std::exception_ptr thrown_;      // by the caller's sink or progress function
  std::string failure_;            // what the second run threw
  std::atomic<bool> done_{false};  // the first run has ended
  std::atomic_flag begun_;         // of the two tasks one has the second run
  std::atomic<bool> given_up_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool second_ended_ = false;
  double seconds_ = 0;  // of second runs before this one
};

// A simulation of the same mechanism from the same start, by another plan.
std::unique_ptr<Simulation> beside(const Simulation& simulation, const Finer& finer, State start) {
  auto second = std::make_unique<Simulation>(simulation.mechanism(), finer.plan,
                                             side_by_side(simulation) ? nullptr : simulation.executor());
  start.remember(kSecondRun, 2).back() = finer.part;
  second->restore(start);
  second->watch(simulation.watched());
  if (simulation.sampling().make) second->control(simulation.sampling());
  return second;
}

// The error of the peak, from those of the force's components in its row. Where they are one choice of many
// the two runs may choose otherwise, and neither errs: then only those count that are unique, if there are
// any.
double error_of_peak(const RunSummary::Peak& peak, const Trajectory& rows,
                     const std::vector<double>& errors) {
  double all = 0, of_unique = 0;
  bool some = false;
  const std::size_t columns = rows.channels.size();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (rows.row(i)[0] != peak.t) continue;
    for (std::size_t c = 1; c < columns; ++c) {
      if (rows.channels[c].group != "joints/" + peak.joint || rows.channels[c].unit != "N") continue;
      const double square = errors[i * columns + c] * errors[i * columns + c];
      all += square;
      const int unique = rows.find(rows.channels[c].name + ".unique");
      if (unique >= 0 && rows.row(i)[static_cast<std::size_t>(unique)] == 0) continue;
      of_unique += square;
      some = true;
    }
  }
  if (std::sqrt(all) <= kPeakKnown * peak.force) return std::sqrt(all);
  return some ? std::sqrt(of_unique) : std::numeric_limits<double>::quiet_NaN();
}

// By how much the peak's force differs from row to row, in both runs: within that a motion that is lost has
// its peak too.
double range_of_peak(const RunSummary::Peak& peak, const Trajectory& rows, const Trajectory& finer) {
  double all = 0;
  for (std::size_t c = 1; c < rows.channels.size(); ++c) {
    if (rows.channels[c].group != "joints/" + peak.joint || rows.channels[c].unit != "N") continue;
    double low = INFINITY, high = -INFINITY;
    for (const Trajectory* one : {&rows, &finer})
      for (std::size_t i = 0; i < one->rows(); ++i)
        if (const double force = one->row(i)[c]; std::isfinite(force))
          low = std::min(low, force), high = std::max(high, force);
    all = std::hypot(all, std::max(high - low, 0.0));
  }
  return std::min(all, peak.force);
}

// A peak whose error was not looked for counts as known, one beyond all numbers does not.
bool is_known(const RunSummary::Peak& peak) {
  return std::isfinite(peak.force) && !(peak.error > kPeakKnown * peak.force);
}

// Whether positions err, at that time or before, by so large a part of their range that reactions are those
// of another motion.
bool is_lost_by(double t, const Trajectory& rows, const ErrorTable& errors) {
  constexpr double kLostPart = 0.05;
  const std::size_t columns = rows.channels.size();
  double range = 0, error = 0;
  for (std::size_t c = 1; c < columns; ++c) {
    if (rows.channels[c].unit != "m" || std::isinf(errors.scales[c])) continue;
    range = std::max(range, errors.scales[c]);
    for (std::size_t i = 0; i < rows.rows() && rows.row(i)[0] <= t; ++i)
      if (errors.values[i * columns + c] > error) error = errors.values[i * columns + c];
  }
  return error > kLostPart * range;
}

// The least tolerance above rounding, which is a part of the mechanism's size.
double least_tolerance(double rounding) {
  constexpr double kRoundings = 10;
  return std::max(kLeastTolerance, kRoundings * rounding);
}

// Of another second run, where the tolerance of this one is coarse for the motion; 0: it is not.
double tolerance_to_judge(const Simulation& simulation, const Trajectory& rows, const ErrorTable& errors,
                          double judged, double rounding) {
  const ErrorEstimate::Kind* place = errors.estimate.find("position");
  if (!controls_error(simulation.resolved()) || place == nullptr) return 0;
  // A range below is no motion, and bodies at rest have scales without bound.
  if (place->range < kStill * simulation.system().length_scale()) return 0;
  bool moves = false;
  for (std::size_t c = 1; c < rows.channels.size(); ++c)
    moves = moves || (rows.channels[c].unit == "m" && std::isfinite(errors.scales[c]));
  const double needed = tolerance_of_small_motion(simulation, place->range);
  const double tolerance = std::max(needed, least_tolerance(rounding));
  return moves && needed > 0 && tolerance < judged ? tolerance : 0;
}

}  // namespace

double tolerance_of_small_motion(const Simulation& simulation, double range) {
  // Of the range: a tolerance above is coarse. Of the accuracy: a tolerance that suffices.
  constexpr double kCoarse = 0.01, kOfAccuracy = 0.01;
  const double size = simulation.system().length_scale();
  const double held = step_tolerance(simulation.resolved()) * size;
  return range > 0 && held > kCoarse * range ? kOfAccuracy * simulation.plan().accuracy * range / size : 0;
}

Finer finer(const Plan& plan, const ResolvedPlan& resolved, double rounding, double tolerance) {
  Finer out{plan, "", kOfStep};
  out.plan.coordinates = name_of(resolved.coordinates);
  std::vector<std::string> words;
  // Rows at the same times, whatever the steps.
  if (resolved.step > 0) {
    out.plan.output_interval = static_cast<double>(output_stride(resolved)) * landing_interval(resolved);
    out.plan.step = std::min(resolved.step, resolved.duration);
    // Accelerations at a time that depends on the step do not go with steps of two sizes.
    const bool one_size = resolved.integrator == IntegratorKind::hht ||
                          resolved.integrator == IntegratorKind::generalized_alpha;
    if (controls_error(resolved) || one_size)
      out.plan.step *= kStepPart;
    else
      out.part = kGoldenPart, out.factor = kOfGolden;
  }
  if (controls_error(resolved)) {
    out.factor = kOfTolerance;
    // Where a finer one would be rounding, a coarser one: the difference is then its error, which is larger.
    const double given = step_tolerance(resolved),
                 smaller = tolerance > 0 ? tolerance : kTolerancePart * given;
    out.plan.tolerance = smaller >= least_tolerance(rounding) ? smaller : given / kTolerancePart;
    words.push_back(fmt::format("tolerance {:.1g}", out.plan.tolerance));
  } else {
    words.push_back(out.part > 0 ? fmt::format("steps of {:.3g} s and {:.3g} s", out.part * out.plan.step,
                                               (1 - out.part) * out.plan.step)
                                 : fmt::format("step {:.4g} s", out.plan.step));
  }
  // What a formulation leaves open whatever the steps.
  if (resolved.formulation == FormulationKind::penalty) {
    out.plan.formulation = name_of(FormulationKind::augmented_lagrangian);
    words.push_back(fmt::format("formulation {}", out.plan.formulation));
  } else if (plan.alf_iterations >= 0) {
    words.emplace_back("iterations to convergence");
  }
  out.plan.alf_iterations = -1;
  if (resolved.formulation == FormulationKind::modular) {
    out.plan.modular.tolerance = std::max(kLeastTolerance, kTolerancePart * plan.modular.tolerance);
    words.push_back(fmt::format("forces between subsystems to {:.1g}", out.plan.modular.tolerance));
  }
  if (plan.convergence > kFineConvergence)
    out.plan.convergence = std::max(kFineConvergence, kTolerancePart * plan.convergence);
  out.words = fmt::format("{}", fmt::join(words, ", "));
  return out;
}

RunSummary run_verified(Simulation& simulation, ResultSink& sink, const RunRecord& first_record,
                        const RunRecord& second_record, const Progress& progress) {
  const double rounding = rounding_of(simulation);
  Finer finer = simulation::finer(simulation.plan(), simulation.resolved(), rounding);
  const State start = simulation.state();
  Pair pair(simulation, sink, first_record, second_record, progress);
  pair.run(*beside(simulation, finer, start));
  ErrorTable errors = pair.errors(finer.factor);
  // Where a tolerance limits no step of a small motion, the second run may have taken the same ones.
  if (const double tolerance =
          tolerance_to_judge(simulation, pair.rows(), errors, finer.plan.tolerance, rounding);
      tolerance > 0 && pair.summary.status == RunStatus::ok) {
    finer = simulation::finer(simulation.plan(), simulation.resolved(), rounding, tolerance);
    pair.run_again(*beside(simulation, finer, start));
    errors = pair.errors(finer.factor);
  }

  const std::string why_apart = pair.why_apart();
  RunSummary summary = std::move(pair.summary);
  const Trajectory& rows = pair.rows();
  const MotionScale scale = scale_of(simulation);
  summary.error = errors.estimate;
  summary.error.reference = "second run: " + finer.words;
  summary.error.seconds = pair.seconds();
  summary.error.failure = takes_the_same_steps(simulation.resolved(), summary) ? same_steps_text(simulation)
                                                                               : pair.why_short(summary.time);
  if (const ErrorEstimate::Kind* limit = summary.error.limit();
      limit != nullptr && limit->first.empty() && summary.error.failure.empty())
    summary.error.failure = why_apart;
  if (RunSummary::Peak& peak = summary.peak_reaction; peak.force > kStill * scale.force) {
    peak.error = error_of_peak(peak, rows, errors.values);
    // Where the motion itself is another one, two runs may agree by accident.
    if (is_lost_by(peak.t, rows, errors))
      peak.error = std::max(peak.error, range_of_peak(peak, rows, pair.finer_rows()));
  }
  for (std::size_t i = 0; i < rows.rows(); ++i)
    sink.write_errors(std::span(errors.values).subspan(i * rows.channels.size(), rows.channels.size()));
  if (summary.status == RunStatus::ok &&
      (summary.error.limit() != nullptr || !is_known(summary.peak_reaction)))
    summary.status = RunStatus::limited;
  return summary;
}

}  // namespace trammel::simulation
