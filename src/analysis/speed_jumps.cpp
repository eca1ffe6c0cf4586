#include "analysis/speed_jumps.h"

#include <algorithm>
#include <cmath>

namespace trammel::analysis {
namespace {

// Of what counts as one, and per second: no jump.
constexpr double kSameSpeed = 1e-9;

}  // namespace

SpeedJumps::SpeedJumps(const system::System& system, const Mechanism& mechanism, double end)
    : system_(system),
      end_(end),
      breaks_(mechanism, {}),
      left_(system.make_terms()),
      right_(system.make_terms()) {}

Report SpeedJumps::move_to(double t, PrescribedMotion& motion, State& s,
                           std::vector<InverseDynamics::Jump>& jumps) {
  for (;;) {
    search_.t = s.t;
    const simulation::Breaks::Next next = breaks_.none()
                                              ? simulation::Breaks::Next{}
                                              : breaks_.after(search_, simulation::Breaks::passed(t), 0);
    // A break that differs from t by rounding is at t.
    const bool at_end = simulation::Breaks::passed(next.t) >= t;
    Report report = motion.move_to(at_end ? t : next.t, s);
    if (report.accepted() && next.breaks && next.t <= simulation::Breaks::passed(t) &&
        simulation::Breaks::passed(next.t) < end_)
      look(next, s, jumps);
    if (at_end || !report.accepted()) return report;
  }
}

void SpeedJumps::look(const simulation::Breaks::Next& next, const State& s,
                      std::vector<InverseDynamics::Jump>& jumps) {
  State before = s, after = s;
  before.before = next.before();
  after.after = next.after();
  system_.evaluate(before, system::kAskPosition | system::kAskGamma, left_);
  system_.evaluate(after, system::kAskPosition | system::kAskGamma, right_);
  const double apart = after.seen_time() - before.seen_time();
  for (std::size_t r = 0; r < system_.rows().size(); ++r) {
    const double size =
        std::max({system_.rows()[r].scale, std::abs(left_.Phi_t[r]), std::abs(right_.Phi_t[r])});
    const double drift = 2 * apart * std::max(std::abs(left_.gamma[r]), std::abs(right_.gamma[r]));
    if (!(std::abs(right_.Phi_t[r] - left_.Phi_t[r]) > kSameSpeed * size + drift)) continue;
    const bool told =
        !jumps.empty() && jumps.back().t == next.t && jumps.back().driver == system_.rows()[r].name;
    if (!told) jumps.push_back({next.t, system_.rows()[r].name});
  }
}

}  // namespace trammel::analysis
