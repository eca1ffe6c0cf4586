#include "analysis/prescribed_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/rows/rounding.h"
#include "formulations/rows/rows.h"
#include "simulation/plan_check.h"
#include "system/decisions.h"

namespace trammel::analysis {
namespace {

// In units of what counts as one: the longest way of a prediction, and of its correction, which is a small
// part of the way but where a driver has a kink. Assembly branches are further apart but next to where they
// meet.
constexpr double kLongestWay = 0.3, kLongestCorrection = 0.01, kPartOfWay = 0.2, kKink = 1e-5;
// Positions are closed: above rounding, below what a reaction feels.
constexpr double kClosed = 1e-11;
// The time interval is halved this often: 2⁻²⁰ is a millionth of it.
constexpr int kTimeHalvings = 20;

double largest_part(const system::Dynamics& system, std::span<const double> way) {
  double largest = 0;
  for (std::size_t k = 0; k < way.size(); ++k)
    largest = formulations::larger(largest, way[k] / system.coordinate_scale()[k]);
  return largest;
}

}  // namespace

std::vector<double> row_times(const Plan& plan, long intervals) {
  const double interval = plan.output_interval > 0 ? plan.output_interval : plan.duration / simulation::kRows;
  const long count = intervals > 0 ? intervals : std::max(1L, std::lround(plan.duration / interval));
  // As many as a run may have.
  if (constexpr long kMost = 100'000'000; count > kMost)
    throw std::invalid_argument(fmt::format("{:.2g} rows are too many; give at most {:.0g}",
                                            static_cast<double>(count), static_cast<double>(kMost)));
  std::vector<double> times;
  for (long k = 0; k <= count; ++k)
    times.push_back(plan.duration * static_cast<double>(k) / static_cast<double>(count));
  return times;
}

PrescribedMotion::PrescribedMotion(std::shared_ptr<const system::System> system)
    : system_(std::move(system)),
      projector_(*system_, SolverChoice::automatic),
      terms_(system_->make_terms()),
      way_(static_cast<std::size_t>(system_->sizes().v)) {}

Report PrescribedMotion::find_rates(State& s) {
  // Expressions see the time itself, from both sides of a break.
  s.after = -std::numeric_limits<double>::infinity();
  s.before = std::numeric_limits<double>::infinity();
  s.remember(system::kDecisions, 0).clear();
  double left = 0;
  projector_.forget();
  Report report = projector_.velocities(s, left);
  if (report.accepted()) report = projector_.accelerations(s, left);
  if (report.accepted() && !std::isfinite(left)) report.outcome = Outcome::not_finite;
  return report;
}

bool PrescribedMotion::try_step(double t, const State& from, State& to, Report& report) {
  const double h = t - from.t;
  to = from;
  to.t = t;
  for (std::size_t k = 0; k < way_.size(); ++k) {
    way_[k] = h * (from.v[k] + 0.5 * h * from.a[k]);
    to.v[k] += h * from.a[k];
  }
  const double length = largest_part(*system_, way_);
  if (!(length <= kLongestWay)) return false;
  system_->retract(to.q, way_);
  const std::vector<double> predicted = to.q;
  projector_.forget();
  report = projector_.positions(to);
  system_->difference(predicted, to.q, way_);
  const double longest = std::min(kLongestCorrection, kPartOfWay * length + kKink);
  if (!report.accepted() || !(largest_part(*system_, way_) <= longest)) return false;
  system_->evaluate(to, system::kAskPosition, terms_);
  if (!(report.violation <= std::max(kClosed, formulations::position_rounding(*system_, terms_, to))))
    return false;
  report = find_rates(to);
  if (!report.accepted()) return false;
  return system_->accept_angles(to, terms_, std::abs(h)).empty();
}

Report PrescribedMotion::move_to(double t, State& s) {
  Report report;
  State next;
  const double whole = t - s.t;
  double part = 1;
  while (s.t != t) {
    const double target = std::abs(t - s.t) <= std::abs(part * whole) * (1 + 1e-9) ? t : s.t + part * whole;
    if (try_step(target, s, next, report)) {
      std::swap(s, next);
      part = std::min(1.0, 2 * part);
      continue;
    }
    part /= 2;
    if (part >= std::ldexp(1.0, -kTimeHalvings)) continue;
    if (report.accepted()) report.outcome = Outcome::not_converged;
    report.message = fmt::format("the joints cannot follow the drivers beyond t = {:.9g} s", s.t);
    return report;
  }
  report = {};
  return report;
}

}  // namespace trammel::analysis
