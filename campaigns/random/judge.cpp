#include "judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "analysis/acceptance.h"
#include "analysis/mobility.h"
#include "dice.h"
#include "model_text.h"
#include "results/report/summary.h"
#include "simulation/plan_check.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::campaigns::random {
namespace {

// `ok` and estimates are held to this factor; docs/results.md promises about 1.3.
constexpr double kFactor = 3;
// Errors below this part of what is usual for the mechanism are rounding, in reactions amplified by the
// condition of the equations.
constexpr double kRounding = 1e-9, kReactionRounding = 1e-8;
// A column that moves by less than this part of what is usual does not move.
constexpr double kStill = 1e-4;
// An estimate is a difference of two runs, which may be small by luck. It is judged where the true error
// exceeds this part of the accuracy that the run promises.
constexpr double kCounts = 0.01;
// Constraints that are open by more than this blur which of them are dependent (docs/results.md).
constexpr double kBlurred = 1e-9;
// A column that moves less than this part of the widest of its unit is judged by that part (docs/results.md).
constexpr double kNarrow = 0.01;
// Positions that are wrong by more than this part of their range are those of another motion.
constexpr double kSameMotion = 0.1;
// The oracle's freedom of a reaction beyond or below which its uniqueness is certain.
constexpr double kOpen = 1e-5, kClosed = 1e-10;
// Processor time of a run and the one that estimates its error, s.
constexpr double kMostSeconds = 4;
// A run that is called limited, with errors this far below what it promises, is a false alarm.
constexpr double kFarBelow = 30;

struct Unit {
  double widest = 0;  // range of any column
  double truth = 0, estimate = 0, known = 0;
  std::string column;  // of the largest error
  double natural = 0;  // what counts as much
};

bool counts_zero(const std::string& unit) {
  return unit == "m/s" || unit == "rad/s" || unit == "N" || unit == "N.m" || unit == "J";
}

double range_of(const std::vector<double>& values, bool with_zero) {
  double low = with_zero ? 0 : values.front(), high = low;
  for (double x : values) low = std::min(low, x), high = std::max(high, x);
  return high - low;
}

// Sizes of what a mechanism of these masses, lengths and rates has: rounding is relative to them.
std::map<std::string, double> natural_sizes(const Specification& spec) {
  double mass = 0, size = spec.size;
  for (const BodySpec& body : spec.bodies) mass = std::max(mass, body.mass), size = std::max(size, body.size);
  const double force = mass * (spec.gravity.norm() + size * spec.rate * spec.rate);
  return {{"m", size},
          {"rad", 1},
          {"", 1},
          {"m/s", size * spec.rate},
          {"rad/s", spec.rate},
          {"N", force},
          {"N.m", force * size},
          {"J", force * size}};
}

class Comparison {
 public:
  Comparison(const Specification& spec, const ReferenceTable& reference, const RunResult& result,
             double accuracy)
      : reference_(reference), result_(result), accuracy_(accuracy), natural_(natural_sizes(spec)) {
    for (const std::string& name : result.summary.reactions.not_unique) not_unique_.insert(name);
  }

  void judge(Verdict& verdict) {
    find_columns();
    widen(natural_["m"]);
    same_motion_ = goes_the_same_way();
    for (const Found& found : found_) compare(found, verdict);
    const bool known = result_.summary.status <= RunStatus::limited;
    for (auto& [name, unit] : units_) {
      const double counts = kCounts * accuracy_ * std::max(unit.widest, kStill * natural_[name]);
      if (known && unit.truth > kFactor * unit.estimate + rounding(name) && unit.truth > counts &&
          unit.truth > 10 * unit.known)
        verdict.disagreements.push_back(
            {"estimate", fmt::format("{} is off by {:.2g} {}, estimated {:.2g}, range {:.2g}", unit.column,
                                     unit.truth, name, unit.estimate, unit.widest)});
    }
  }

 private:
  struct Found {
    const Channel* channel;
    std::size_t index;
    const ReferenceColumn* column;
    double range;
  };

  void find_columns() {
    const auto& channels = result_.trajectory.channels;
    for (std::size_t c = 1; c < channels.size(); ++c) {
      const auto at = reference_.columns.find(channels[c].name);
      if (at == reference_.columns.end()) continue;
      found_.push_back(
          {&channels[c], c, &at->second, range_of(at->second.values, counts_zero(channels[c].unit))});
      Unit& unit = units_[channels[c].unit];
      unit.widest = std::max(unit.widest, found_.back().range);
    }
  }

  static bool is_quaternion(const Channel& channel) {
    return channel.dataset == "orientation" && channel.unit.empty();
  }

  // Of the body's quaternion in this row: +1, or −1 where Trammel has the negative one.
  double sign_of(const Found& found, std::size_t row) const {
    if (!is_quaternion(*found.channel)) return 1;
    const std::string body = found.channel->name.substr(0, found.channel->name.size() - 1);
    double product = 0;
    for (char c : {'w', 'x', 'y', 'z'})
      product += reference_.columns.at(body + c).values[row] *
                 result_.trajectory.row(row)[static_cast<std::size_t>(result_.trajectory.find(body + c))];
    return product < 0 ? -1 : 1;
  }

  void compare(const Found& found, Verdict& verdict) {
    const std::string& name = found.channel->name;
    const bool reaction = found.channel->unit == "N" || found.channel->unit == "N.m";
    if (reaction && !check_uniqueness(found, verdict)) return;
    Unit& unit = units_[found.channel->unit];
    const double range =
                     std::max({found.range, kNarrow * unit.widest, kStill * natural_[found.channel->unit]}),
                 floor = rounding(found.channel->unit);
    // The zero of the potential is anyone's choice.
    const bool from_start = name == "energy.potential";
    const Trajectory& rows = result_.trajectory;
    unit.known = std::max(unit.known, found.column->known);
    const ErrorEstimate::Kind* limit = result_.summary.error.limit();
    double worst = 0, worst_known = 0;
    for (std::size_t i = 0; i < std::min(rows.rows(), reference_.times.size()); ++i) {
      double mine = rows.row(i)[found.index] * sign_of(found, i), truth = found.column->values[i];
      if (from_start) mine -= rows.row(0)[found.index], truth -= found.column->values[0];
      const double error = std::abs(mine - truth);
      if (std::isnan(error)) {
        // Far off the constraints, as a rule of first order may end, reactions cannot be computed.
        if (result_.summary.status != RunStatus::ok) return;
        verdict.disagreements.push_back({"missing", fmt::format("{} has no value in row {}", name, i)});
        return;
      }
      worst = std::max(worst, error);
      // Beyond the time up to which a run says that it is known, its estimates are of motions that have
      // parted.
      if (limit != nullptr && rows.row(i)[0] > limit->known_until) continue;
      worst_known = std::max(worst_known, error);
      if (i < result_.errors.rows() && std::isfinite(result_.errors.row(i)[found.index]))
        unit.estimate = std::max(unit.estimate, result_.errors.row(i)[found.index]);
    }
    if (worst_known > unit.truth) unit.truth = worst_known, unit.column = name;
    if (worst > floor) verdict.worst = std::max(verdict.worst, worst / range);
    if (result_.summary.status == RunStatus::ok && worst > kFactor * accuracy_ * range + floor &&
        worst > 10 * found.column->known)
      verdict.disagreements.push_back(
          {"wrong", fmt::format("{} is off by {:.2g} of {:.2g}", name, worst, range)});
  }

  // The units of one kind are seen together, as docs/results.md says of a run's own ranges.
  void widen(double size) {
    const auto at_least = [&](const char* unit, const char* other, double factor) {
      if (units_.contains(unit))
        units_[unit].widest = std::max(units_[unit].widest, factor * units_[other].widest);
    };
    at_least("rad", "m", 1 / size), at_least("", "m", 1 / size);
    at_least("rad/s", "m/s", 1 / size), at_least("N.m", "N", size);
  }

  double rounding(const std::string& unit) {
    return (unit == "N" || unit == "N.m" ? kReactionRounding : kRounding) * natural_[unit];
  }

  // Whether bodies pass where the oracle's do, in every row. A failed run may have left that way.
  bool goes_the_same_way() const {
    const Trajectory& rows = result_.trajectory;
    for (const Found& found : found_) {
      if (found.channel->unit != "m") continue;
      const double most = kSameMotion * std::max(units_.at("m").widest, kStill * natural_.at("m"));
      for (std::size_t i = 0; i < std::min(rows.rows(), reference_.times.size()); ++i)
        if (!(std::abs(rows.row(i)[found.index] - found.column->values[i]) <= most)) return false;
    }
    return true;
  }

  // True: the value can be compared. In other positions than the oracle's other reactions may not be unique.
  bool check_uniqueness(const Found& found, Verdict& verdict) const {
    const std::string& name = found.channel->name;
    const bool open = not_unique_.contains(name);
    if (!open && found.column->freedom > kOpen)
      verdict.disagreements.push_back(
          {"unique", fmt::format("{} is called unique; redundant constraints leave {:.2g} of it open", name,
                                 found.column->freedom)});
    if (same_motion_ && open && found.column->freedom < kClosed &&
        result_.summary.violation.position < kBlurred)
      verdict.disagreements.push_back({"not-unique", name + " is called not unique, and is"});
    return !open && found.column->freedom < kClosed;
  }

  const ReferenceTable& reference_;
  const RunResult& result_;
  double accuracy_;
  std::map<std::string, double> natural_;
  std::set<std::string> not_unique_;
  bool same_motion_ = false;
  std::vector<Found> found_;
  std::map<std::string, Unit> units_;
};

Plan plan_of(const Mechanism& mechanism, const PlanChoice& choice) {
  Plan plan = mechanism.plan;
  if (choice.is_default()) return plan;
  plan.coordinates = choice.coordinates;
  plan.formulation = choice.formulation;
  plan.integrator = choice.integrator;
  plan.tolerance = choice.tolerance;
  plan.step = choice.steps > 0 ? plan.duration / choice.steps : 0;
  return plan;
}

void check_mobility(const Simulation& simulation, const ReferenceTable& reference, Verdict& verdict) {
  const analysis::Mobility found = analysis::mobility(simulation);
  const auto differ = [&](const char* what, int mine, int truth) {
    if (mine != truth)
      verdict.disagreements.push_back({"mobility", fmt::format("{}: {} instead of {}", what, mine, truth)});
  };
  differ("degrees of freedom", found.degrees_of_freedom, reference.freedoms);
  differ("freedom of positions", found.position_freedom, reference.position_freedoms);
  differ("redundant constraints", found.redundant_constraints, reference.redundant);
}

void check_status(const RunSummary& summary, const PlanChoice& choice, double accuracy, Verdict& verdict) {
  const auto say = [&](const char* kind, const std::string& detail) {
    verdict.disagreements.push_back({kind, detail});
  };
  // What a rough method says of itself is false only where its motion is far better than it fears.
  const bool right = verdict.worst < accuracy / kFarBelow;
  if (summary.status == RunStatus::failed && choice.is_default()) say("failed", summary.message);
  if (summary.status == RunStatus::marked && (choice.is_default() || right))
    say("alarm", fmt::format("{} marked steps: {}", summary.marked_steps.size(),
                             summary.marked_steps.empty() ? "" : summary.marked_steps.front().reason));
  if (summary.status == RunStatus::doubtful && (choice.is_default() || right))
    say("alarm", summary.warnings.empty() ? "doubtful" : summary.warnings.front());
  if (summary.status == RunStatus::limited && right && summary.error.failure.empty()) {
    const ErrorEstimate::Kind* limit = summary.error.limit();
    say("limited", fmt::format("errors are {:.2g} of the range at most; {}: {} {}", verdict.worst,
                               limit ? limit->first : "", limit ? limit->largest : 0, summary.error.failure));
  }
}

}  // namespace

std::string PlanChoice::text() const {
  if (is_default()) return "default plan";
  std::string out = fmt::format("--coordinates {} --formulation {}", coordinates, formulation);
  if (integrator != kAutomatic) out += " --integrator " + integrator;
  return out + (tolerance > 0 ? fmt::format(" --tolerance {}", tolerance) : fmt::format(", {} steps", steps));
}

Mechanism mechanism_of(const Specification& spec) {
  return read_model_text(model_text(spec), fmt::format("random-{}.yaml", spec.seed)).value();
}

Verdict judge(const Specification& spec, const Mechanism& mechanism, const ReferenceTable& reference,
              const PlanChoice& choice) {
  Verdict verdict;
  const Plan plan = plan_of(mechanism, choice);
  try {
    Simulation simulation(mechanism, plan);
    Simulation aside(mechanism, plan);
    const AssemblyReport assembly = aside.assemble();
    if (!assembly.report.accepted()) {
      verdict.status = "refused";
      verdict.disagreements.push_back({"assembly", explain(assembly, aside)});
      return verdict;
    }
    if (assembly.largest_move > kRounding * natural_sizes(spec)["m"])
      verdict.disagreements.push_back(
          {"assembly", fmt::format("moves a point by {:.2g} m", assembly.largest_move)});
    check_mobility(aside, reference, verdict);
    // Where a method needs much longer than others, that is counted, not waited for.
    const std::clock_t begin = std::clock();
    const RunResult result = run(simulation, [&](double) {
      return static_cast<double>(std::clock() - begin) < kMostSeconds * CLOCKS_PER_SEC;
    });
    verdict.status = results::to_string(result.summary.status);
    verdict.seconds = result.summary.wall_seconds + result.summary.error.seconds;
    Comparison(spec, reference, result, plan.accuracy).judge(verdict);
    check_status(result.summary, choice, plan.accuracy, verdict);
  } catch (const std::invalid_argument& error) {
    verdict.status = "refused";
    verdict.disagreements.push_back({"refused", error.what()});
  }
  return verdict;
}

// CVODE steps from row to row in the same independent coordinates, and takes up to a million steps where
// these no longer serve: such a run may last minutes.
static bool may_never_end(const PlanChoice& choice) {
  return choice.integrator.starts_with("cvode") && choice.formulation.ends_with("independent");
}

PlanChoice draw_plan(const Mechanism& mechanism, std::uint64_t seed) {
  Dice dice(seed);
  const auto one = [&](const std::vector<std::string>& list) {
    return list[static_cast<std::size_t>(dice.below(static_cast<int>(list.size())))];
  };
  for (int attempt = 0; attempt < 40; ++attempt) {
    PlanChoice choice;
    choice.coordinates = one(simulation::known_coordinates());
    choice.formulation = one(simulation::known_formulations());
    if (!simulation::is_own_rule(choice.formulation))
      choice.integrator = one(simulation::known_integrators());
    if (may_never_end(choice)) continue;
    choice.tolerance = 1e-7;
    if (!simulation::controls_error(plan_of(mechanism, choice)) || dice.chance(0.3)) {
      choice.tolerance = 0;
      choice.steps = 120;
    }
    if (analysis::refusal(mechanism, plan_of(mechanism, choice)).empty()) return choice;
  }
  PlanChoice choice;
  choice.tolerance = 1e-8;
  return choice;
}

}  // namespace trammel::campaigns::random
