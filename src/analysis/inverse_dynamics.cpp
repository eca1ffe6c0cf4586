//   Φ_vᵀλ = Q − M v̇                       of the motion q(t), v(t), v̇(t) that the drivers prescribe
//
// Nothing is integrated (analysis/prescribed_motion.h). Where more drivers act than there are freedoms the
// multipliers may change by any y with Φ_vᵀy = 0; then the efforts e are those of least Σ w e², and the
// effort of an idle driver is zero (analysis/effort_sharing.h).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/asking.h"
#include "analysis/driven_start.h"
#include "analysis/effort_sharing.h"
#include "analysis/near_singular.h"
#include "analysis/prescribed_motion.h"
#include "analysis/speed_jumps.h"
#include "analysis/state_rows.h"
#include "analysis/why_stopped.h"
#include "analysis/without_stiction.h"
#include "math/spans.h"
#include "trammel/analyses.h"

namespace trammel::analysis {
namespace {

// Multipliers that have not grown so much since the last row do not come from a singular position.
constexpr double kGrownReactions = 3;

Report refused_inverse(std::string message) {
  Report report;
  report.outcome = Outcome::refused;
  report.message = std::move(message);
  return report;
}

std::string unknown_driver(const Mechanism& mechanism, const InverseOptions& options) {
  std::set<std::string> named(options.idle.begin(), options.idle.end());
  for (const auto& [name, weight] : options.weights) {
    named.insert(name);
    if (!(weight > 0) || !std::isfinite(weight))
      return fmt::format("the weight of '{}' is {}; give a positive number", name, weight);
  }
  for (const std::string& name : named) {
    const auto driver = std::ranges::find(mechanism.drivers, name, &Driver::name);
    std::vector<std::string> known;
    for (const Driver& one : mechanism.drivers) known.push_back(one.name);
    if (driver == mechanism.drivers.end())
      return fmt::format("there is no driver '{}'; the drivers are: {}", name, fmt::join(known, ", "));
    if (driver->kind == Driver::Kind::position)
      return fmt::format("driver '{}' moves a point: it has forces, no effort to be weighted", name);
  }
  return {};
}

StateRows::Layout layout(const InverseOptions& options, ReactionAxes axes) {
  StateRows::Layout out;
  out.idle = options.idle;
  out.axes = axes;
  return out;
}

class InverseRows {
 public:
  InverseRows(const DrivenStart& start, const Mechanism& mechanism, const InverseOptions& options,
              InverseDynamics& out)
      : start_(start),
        system_(start.simulation->shared_system()),
        motion_(system_),
        settled_(motion_),
        jumps_(*system_, start.simulation->mechanism(), start.simulation->plan().duration),
        solver_(start.simulation->reader(start.simulation->state())),
        rows_(system_, start.simulation->mechanism(), start.simulation->state(),
              layout(options, start.simulation->plan().reaction_axes)),
        sharing_(*system_, mechanism, options.weights, options.idle),
        asking_(options.go_on),
        out_(out),
        s_(start.simulation->state()) {}

  void trace(const std::vector<double>& times) {
    out_.report = motion_.find_rates(s_);
    settled_.begin(s_, times.back());
    for (const double t : times) {
      if (out_.report.accepted() && !asking_.goes_on()) out_.report = Asking::interrupted();
      if (!out_.report.accepted()) break;
      out_.report = jumps_.move_to(t, motion_, s_, out_.jumps);
      if (out_.report.accepted())
        add_row(t);
      else
        out_.report.message =
            why_stopped(*start_.simulation,
                        {s_, times[1] - times[0], fmt::format("t = {:.9g} s", s_.t), start_.held_drivers});
    }
    out_.motion = std::move(rows_.table);
    out_.reactions = rows_.reactions();
    out_.shared = sharing_.shared();
  }

 private:
  void add_row(double t) {
    const SettledMotion::Seen seen = settled_.settle(s_);
    State exact = solver_.with_reactions(s_, out_.report);
    if (!out_.report.accepted()) return;
    if (!is_known(seen, exact)) out_.doubtful.push_back(t);
    out_.report = sharing_.share(exact);
    if (!out_.report.accepted()) return;
    const Violation violation = motion_.violation(exact);
    out_.violation = std::max(out_.violation, violation.position);
    rows_.add(exact, violation, t);
  }

  // Next to a singular position multipliers grow, and rounding with them.
  bool is_known(const SettledMotion::Seen& seen, State& exact) {
    bool known = seen.known;
    if (seen.is_near) {
      exact.a = s_.a;
      known = settle_multipliers(*system_, exact) && known;
    }
    const double size = math::largest(exact.lambda);
    if (!seen.is_near && size > kGrownReactions * usual_) known = solver_.reactions_hold(exact);
    if (known) usual_ = size;
    return known;
  }

  const DrivenStart& start_;
  std::shared_ptr<const system::System> system_;
  PrescribedMotion motion_;
  SettledMotion settled_;
  SpeedJumps jumps_;
  simulation::StateReader& solver_;
  StateRows rows_;
  EffortSharing sharing_;
  Asking asking_;
  InverseDynamics& out_;
  State s_;
  double usual_ = 0;  // the largest multiplier of the last row that is known
};

}  // namespace
}  // namespace trammel::analysis

namespace trammel {

InverseDynamics solve_inverse(const Mechanism& mechanism, const InverseOptions& options) {
  using namespace analysis;
  InverseDynamics out;
  std::string wrong = unknown_driver(mechanism, options);
  if (wrong.empty()) wrong = stiction_refusal(mechanism, "inverse dynamics");
  if (!wrong.empty()) {
    out.report = refused_inverse(std::move(wrong));
    return out;
  }
  const Plan& plan = mechanism.plan;
  const DrivenStart start = driven_start(mechanism, plan, options.hold ? Undriven::held : Undriven::refused);
  out.report = start.report;
  if (!out.report.accepted()) return out;
  out.held = start.held;
  InverseRows(start, mechanism, options, out).trace(row_times(plan, options.rows));
  return out;
}

}  // namespace trammel
