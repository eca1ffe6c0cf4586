#include "estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "tests/source_dir.h"
#include "trammel/model.h"
#include "trammel/resolved_plan.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"
#include "trammel/validate.h"

namespace trammel::campaigns {
namespace {

struct Problem {
  const char* name;
  double step;  // s
};
// Fixed before anything was measured.
constexpr std::array kProblems = {Problem{"andrews", 10e-6},
                                  Problem{"bricard", 2e-3},
                                  Problem{"cam-follower", 1e-3},
                                  Problem{"controlled-pendulum", 2e-3},
                                  Problem{"dead-centre-four-bar", 2e-3},
                                  Problem{"door", 1e-3},
                                  Problem{"double-four-bar", 10e-3},
                                  Problem{"double-pendulum", 2e-3},
                                  Problem{"driven-slider-crank", 1e-3},
                                  Problem{"end-stops", 2e-3},
                                  Problem{"five-link-chain", 1e-3},
                                  Problem{"flyball-governor", 1e-3},
                                  Problem{"four-bar", 1e-3},
                                  Problem{"gear-train", 1e-3},
                                  Problem{"gyrostat", 10e-3},
                                  Problem{"heavy-top", 0.1e-3},
                                  Problem{"joli-double-pendulum", 1e-3},
                                  Problem{"joli-slider-crank", 1e-3},
                                  Problem{"lead-screw", 1e-3},
                                  Problem{"pursuit", 1e-3},
                                  Problem{"rolling-disk", 1e-3},
                                  Problem{"rolling-sphere-turntable", 1e-3},
                                  Problem{"rolling-wheel", 1e-3},
                                  Problem{"simple-pendulum", 2e-3},
                                  Problem{"skater", 1e-3},
                                  Problem{"slider-crank", 2e-3},
                                  Problem{"spatial-slider-crank", 0.5e-3},
                                  Problem{"three-link-pendulum", 1e-3},
                                  Problem{"welch-double-pendulum", 5e-3},
                                  Problem{"welch-slider-crank", 2e-3}};
constexpr std::array<std::string_view, 5> kQuick = {"double-pendulum", "gyrostat", "slider-crank",
                                                    "end-stops", "lead-screw"};

constexpr int kRows = 200;
// The tightest that a problem bears, and how much coarser the run that certifies it where there are no other
// coordinates.
constexpr std::array kReferences = {1e-12, 1e-11, 1e-10};
constexpr double kCoarser = 10;
// Beyond this part of a range two references have parted, and what follows is not certified.
constexpr double kParted = 1e-6;
// Errors below this part of a range are rounding; a reference must be so much better than what it judges.
constexpr double kRounding = 1e-11, kBetter = 10;

struct Setting {
  const char* name;
  void (*set)(Plan&, double step);
};
constexpr std::array kSettings = {
    Setting{"fixed step", [](Plan& plan, double step) { plan.step = step, plan.tolerance = 0; }},
    Setting{"tolerance 1e-4", [](Plan& plan, double) { plan.step = 0, plan.tolerance = 1e-4; }},
    Setting{"tolerance 1e-7", [](Plan& plan, double) { plan.step = 0, plan.tolerance = 1e-7; }},
};

// Columns that are compared, by unit; models with coordinates of their own have no units.
struct Kind {
  const char *name, *unit;
  bool reaction;
};
constexpr std::array kKinds = {Kind{"position", "m", false}, Kind{"velocity", "m/s", false},
                               Kind{"reaction", "N", true}, Kind{"coordinates", "", false}};

bool is_of(const Channel& channel, const Kind& kind, bool generalized) {
  if (kind.unit[0] == '\0') return generalized && channel.group == "columns" && channel.unit.empty();
  return channel.unit == kind.unit && channel.group != "columns";
}

std::optional<RunResult> run_plan(const Mechanism& mechanism, const Plan& plan) {
  if (!check_plan(plan).empty()) return std::nullopt;
  try {
    Simulation simulation(mechanism, plan, make_executor(plan));
    RunResult result = run(simulation);
    if (result.summary.status >= RunStatus::failed) return std::nullopt;
    return result;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

Plan reference_plan(const Mechanism& mechanism, double tolerance) {
  Plan plan;
  plan.coordinates = mechanism.plan.coordinates;
  plan.duration = mechanism.plan.duration;
  plan.output_interval = mechanism.plan.duration / kRows;
  plan.tolerance = tolerance;
  plan.verify = false;
  return plan;
}

// A reference, and how long and how well it is known.
struct Reference {
  Trajectory motion;
  std::vector<double> parted;  // by value: how far the certifying run is away
  std::size_t rows = 0;        // certified
  bool generalized = false;
};

double widest(const Reference& reference, const Kind& kind) {
  double all = 0;
  const Trajectory& motion = reference.motion;
  for (std::size_t c = 1; c < motion.channels.size(); ++c) {
    if (!is_of(motion.channels[c], kind, reference.generalized)) continue;
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < reference.rows; ++i) {
      const double x = motion.row(i)[c];
      if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    }
    if (kind.reaction) low = std::min(low, 0.0), high = std::max(high, 0.0);
    all = std::max(all, high - low);
  }
  return all;
}

std::optional<Reference> make_reference(const Mechanism& mechanism) {
  std::optional<RunResult> first;
  const CoordinatesKind first_coordinates =
      Simulation(mechanism, reference_plan(mechanism, kReferences[0])).resolved().coordinates;
  double tolerance = 0;
  for (std::size_t k = 0; k < kReferences.size() && !first; ++k) {
    tolerance = kReferences[k];
    first = run_plan(mechanism, reference_plan(mechanism, tolerance));
  }
  if (!first) return std::nullopt;
  Plan other = reference_plan(mechanism, tolerance);
  other.coordinates = first_coordinates == CoordinatesKind::natural ? "reference" : "natural";
  std::optional<RunResult> second = mechanism.generalized ? std::nullopt : run_plan(mechanism, other);
  if (!second || second->trajectory.channels != first->trajectory.channels)
    second = run_plan(mechanism, reference_plan(mechanism, kCoarser * tolerance));
  if (!second) return std::nullopt;
  Reference out{first->trajectory,
                {},
                std::min(first->trajectory.rows(), second->trajectory.rows()),
                mechanism.generalized.has_value()};
  out.parted.resize(out.motion.values.size());
  for (std::size_t k = 0; k < std::min(out.parted.size(), second->trajectory.values.size()); ++k)
    out.parted[k] = std::abs(out.motion.values[k] - second->trajectory.values[k]);
  for (const Kind& kind : kKinds) {
    if (kind.reaction) continue;
    const double range = widest(out, kind);
    for (std::size_t i = 0; i < out.rows; ++i)
      for (std::size_t c = 1; c < out.motion.channels.size(); ++c)
        if (is_of(out.motion.channels[c], kind, out.generalized) &&
            out.parted[i * out.motion.channels.size() + c] > kParted * range)
          out.rows = std::min(out.rows, i);
  }
  return out;
}

bool next_to_mark(const Trajectory& rows, int marked, std::size_t i) {
  const auto at = [&](std::size_t k) {
    return k < rows.rows() && rows.row(k)[static_cast<std::size_t>(marked)] != 0;
  };
  return at(i) || at(i + 1) || (i > 0 && at(i - 1));
}

EstimateCase judge(const Reference& reference, const RunResult& result, const Kind& kind, double& beyond) {
  EstimateCase out;
  out.kind = kind.name;
  out.range = widest(reference, kind);
  const std::size_t columns = reference.motion.channels.size();
  const int marked = result.trajectory.find("marked");
  double parted = 0;
  for (std::size_t i = 0; i < std::min(reference.rows, result.trajectory.rows()); ++i) {
    if (std::abs(result.trajectory.row(i)[0] - reference.motion.row(i)[0]) > 1e-9) break;
    if (kind.reaction &&
        (next_to_mark(result.trajectory, marked, i) || next_to_mark(reference.motion, marked, i)))
      continue;
    for (std::size_t c = 1; c < columns; ++c) {
      const double error = std::abs(result.trajectory.row(i)[c] - reference.motion.row(i)[c]),
                   estimate = result.errors.row(i)[c];
      if (!is_of(reference.motion.channels[c], kind, reference.generalized) || std::isnan(error)) continue;
      out.truth = std::max(out.truth, error);
      if (!std::isnan(estimate)) out.estimate = std::max(out.estimate, estimate);
      parted = std::max(parted, reference.parted[i * columns + c]);
    }
  }
  out.judged = out.truth > kRounding * out.range && out.truth > kBetter * parted;
  beyond = std::max(beyond, out.range > 0 ? out.truth / out.range : 0);
  return out;
}

}  // namespace

EstimateResult check_estimates(bool quick) {
  EstimateResult all;
  for (const auto& [name, usual_step] : kProblems) {
    const std::string problem = name;
    if (quick && std::find(kQuick.begin(), kQuick.end(), problem) == kQuick.end()) continue;
    const Mechanism mechanism = read_model(std::string(kSourceDir) + "/models/" + problem + ".yaml").value();
    const std::optional<Reference> reference = make_reference(mechanism);
    if (!reference || reference->rows < 2) {
      all.skipped.push_back(problem + ": no certified reference");
      continue;
    }
    for (const Setting& setting : kSettings) {
      Plan plan = reference_plan(mechanism, 0);
      plan.verify = true;
      // A whole number of steps from row to row.
      setting.set(plan, plan.output_interval / std::ceil(plan.output_interval / usual_step - 1e-9));
      const std::optional<RunResult> result = run_plan(mechanism, plan);
      if (!result || result->errors.rows() != result->trajectory.rows() ||
          result->trajectory.channels.size() != reference->motion.channels.size()) {
        all.skipped.push_back(fmt::format("{}, {}: does not run", problem, setting.name));
        continue;
      }
      double beyond = 0;
      for (const Kind& kind : kKinds) {
        EstimateCase one = judge(*reference, *result, kind, beyond);
        if (one.range == 0) continue;
        one.problem = problem;
        one.setting = setting.name;
        one.status = result->summary.status == RunStatus::ok        ? "ok"
                     : result->summary.status == RunStatus::limited ? "limited"
                     : result->summary.status == RunStatus::marked  ? "marked"
                                                                    : "doubtful";
        if (one.status == "ok" && one.truth > 3 * plan.accuracy * one.range && one.judged)
          all.wrong.push_back(fmt::format("{}, {}: {} is off by {:.2g} of {:.2g}", problem, setting.name,
                                          one.kind, one.truth, one.range));
        all.cases.push_back(one);
      }
    }
  }
  return all;
}

bool print_estimates(const EstimateResult& result, bool markdown) {
  std::size_t judged = 0, fit = 0;
  fmt::print("{}", markdown
                       ? "| problem | setting | status | figure | true error | estimate | true / estimate |\n"
                         "| --- | --- | --- | --- | --- | --- | --- |\n"
                       : "");
  for (const EstimateCase& one : result.cases) {
    judged += one.judged ? 1 : 0;
    fit += one.judged && one.fits() ? 1 : 0;
    const std::string ratio = one.judged ? fmt::format("{:.2g}{}", one.ratio(), one.fits() ? "" : " !") : "";
    if (markdown)
      fmt::print("| {} | {} | {} | {} | {:.1e} | {:.1e} | {} |\n", one.problem, one.setting, one.status,
                 one.kind, one.truth, one.estimate, ratio);
    else
      fmt::print("{:<26}{:<18}{:<10}{:<12}{:9.1e} {:9.1e}  {}\n", one.problem, one.setting, one.status,
                 one.kind, one.truth, one.estimate, ratio);
  }
  for (const std::string& line : result.skipped) fmt::print("not measured: {}\n", line);
  for (const std::string& line : result.wrong) fmt::print("ok and wrong: {}\n", line);
  const double share = judged > 0 ? static_cast<double>(fit) / static_cast<double>(judged) : 0;
  fmt::print("{} of {} cases within [1/30, 3] ({:.1f} %), {} ok and wrong\n", fit, judged, 100 * share,
             result.wrong.size());
  return share >= 0.95 && result.wrong.empty();
}

}  // namespace trammel::campaigns
