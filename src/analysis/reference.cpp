#include "analysis/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "analysis/timed_run.h"
#include "simulation/plan_check.h"

namespace trammel::analysis {
namespace {

// Of the motion's extent: what differs by more is another motion.
constexpr double kLost = 0.1;
constexpr const char* kLostReason =
    "the motion departs from the reference by more than a tenth of its extent";

// Times at which motions are compared, about; few, because rules that choose their steps land on each.
constexpr double kSamples = 40;
constexpr double kReferenceSteps = 2e5;      // of the finest run of index 3
constexpr int kFinest = 64, kCoarsest = 16;  // parts of the plan's step in that run

// Two tolerances, so that the steps of the two runs differ and do not share their errors; below these dopri5
// gains nothing: rounding.
struct Tight {
  FormulationKind formulation;
  double tolerance;
};
constexpr Tight kTight[] = {{FormulationKind::lagrange, 1e-12},
                            {FormulationKind::augmented_lagrangian, 5e-12}};

// A way to the reference: a motion, or why there is none.
struct Candidate {
  std::string name;
  SampledMotion motion;
  bool usable = false;
  std::string problem;
};

// Nothing of the plan but what it computes: its own settings must not limit the reference.
Plan plain(const Plan& plan, FormulationKind formulation, IntegratorKind integrator) {
  Plan out;
  out.coordinates = plan.coordinates;
  out.formulation = name_of(formulation);
  out.integrator = name_of(integrator);
  out.duration = plan.duration;
  return out;
}

Candidate run_tight(const Mechanism& mechanism, const Plan& plan, const Tight& tight, double interval,
                    const Ask& ask) {
  Plan own = plain(plan, tight.formulation, IntegratorKind::dopri5);
  own.tolerance = tight.tolerance;
  own.step = 0;
  own.output_interval = interval;
  own.project_positions = own.project_velocities = true;
  TimedRun result = timed_run(mechanism, own, interval, ask);
  return {fmt::format("{} by dopri5 at tolerance {:.0e}", name_of(tight.formulation), tight.tolerance),
          std::move(result.motion), result.status == "ok", result.reason};
}

// Index 3, extrapolated from its finest two steps, and from the two before.
std::vector<Candidate> extrapolated(const Mechanism& mechanism, const Plan& plan, double interval,
                                    const Ask& ask) {
  const double step = simulation::landing_interval(plan);
  int finest = kFinest;
  while (finest > kCoarsest && plan.duration / step * finest > kReferenceSteps) finest /= 2;
  std::vector<SampledMotion> motions;
  for (const int parts : {finest / 4, finest / 2, finest}) {
    Plan own = plain(plan, FormulationKind::augmented_lagrangian_index3, IntegratorKind::trapezoidal);
    own.step = step / parts;
    TimedRun result = timed_run(mechanism, own, interval, ask);
    if (result.status != "ok" && result.status != "marked") return {{kIndex3, {}, false, result.reason}};
    motions.push_back(std::move(result.motion));
  }
  const auto name = [&](int parts) {
    return fmt::format("augmented-lagrangian-index3 extrapolated from steps of {:.3g} s and {:.3g} s",
                       2 * step / parts, step / parts);
  };
  return {{name(finest), SampledMotion::extrapolated(motions[1], motions[2]), true, ""},
          {name(finest / 2), SampledMotion::extrapolated(motions[0], motions[1]), true, ""}};
}

Reference pair_of(const Candidate& a, const Candidate& b) {
  return {a.motion, a.name, b.name, SampledMotion::largest_difference(a.motion, b.motion), ""};
}

// The two of different formulations that agree best.
std::optional<Reference> best_pair(const std::vector<Candidate>& candidates) {
  std::optional<Reference> best;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      if (!candidates[i].usable || !candidates[j].usable) continue;
      Reference pair = pair_of(candidates[i], candidates[j]);
      if (!best || pair.agreement < best->agreement) best = std::move(pair);
    }
  return best;
}

}  // namespace

double sample_interval(const Plan& plan) {
  const double coarsest = kCoarsestFactor * simulation::landing_interval(plan);
  return std::min(plan.duration, coarsest * std::max(1.0, std::round(plan.duration / kSamples / coarsest)));
}

Reference make_reference(const Mechanism& mechanism, const Plan& plan, double interval, const Announce& next,
                         const Ask& ask) {
  std::vector<Candidate> candidates;
  for (const Tight& tight : kTight) {
    if (next) next(fmt::format("reference by {}", name_of(tight.formulation)));
    candidates.push_back(run_tight(mechanism, plan, tight, interval, ask));
  }
  if (next) next("reference by augmented-lagrangian-index3");
  const std::vector<Candidate> index3 = extrapolated(mechanism, plan, interval, ask);
  candidates.push_back(index3.front());
  std::optional<Reference> best = best_pair(candidates);
  if (index3.front().usable) {
    const auto departs = [&](const SampledMotion& motion) {
      return SampledMotion::largest_difference(motion, index3.front().motion) >
             kLost * index3.front().motion.extent();
    };
    if (!best || departs(best->motion)) best = pair_of(index3[0], index3[1]);
  }
  if (best && best->agreement <= kLost * best->motion.extent()) return *best;
  Reference none;
  if (best) {
    none.problem = fmt::format(
        "no two reference runs agree: the best pair, {} and {}, differs by {:.2g}; errors grow to the size "
        "of "
        "the motion, so compare over a shorter duration",
        best->first, best->second, best->agreement);
    return none;
  }
  none.problem = "no reference run succeeded, or only one";
  for (const Candidate& c : candidates)
    if (!c.usable) none.problem += fmt::format("; {}: {}", c.name, c.problem);
  return none;
}

void judge(const Reference& reference, double difference, double accuracy, std::string& status,
           std::string& reason) {
  const double part = difference / reference.motion.extent();
  if (part > kLost && status != "failed") {
    status = "lost";
    reason = kLostReason;
  } else if (part > accuracy && status == "ok") {
    status = "limited";
    reason =
        fmt::format("differs from the reference by {:.2g} of the motion's extent, more than accuracy {:g}",
                    part, accuracy);
  }
}

}  // namespace trammel::analysis
