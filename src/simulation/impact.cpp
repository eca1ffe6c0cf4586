#include "simulation/impact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "formulations/reactions/work.h"
#include "mechanism/signals.h"

namespace trammel::simulation {
namespace {

constexpr double kRise = 1e-8;        // of the reach of a stop
constexpr double kLeastReach = 0.01;  // of what counts as one: a bounce of 1e-10 is far above rounding
constexpr double kLeft = 1e-8;        // what an impulse may leave of the constraints' velocities
constexpr double kNoImpulse = 1e-12;  // of the largest impulse

// Stops that nothing can give way to, and what may push.
std::string pushed_text(const Mechanism& mechanism, const Holds& holds) {
  std::vector<std::string> stops, drivers;
  for (std::size_t k = 0; k < holds.size(); ++k)
    if (holds[k] != 0) stops.push_back("'" + mechanism.stops[k].name + "'");
  for (const Driver& driver : mechanism.drivers) drivers.push_back("'" + driver.name + "'");
  return fmt::format(
      "a joint is pushed against its stop ({}) by {}; end the motion before, or remove one of the two",
      fmt::join(stops, ", "),
      drivers.empty() ? "joints that do not give way"
                      : fmt::format("a driver ({}), which does not give way", fmt::join(drivers, ", ")));
}

}  // namespace

std::size_t stop_row(const system::System& system, const std::string& stop) {
  const auto& rows = system.rows();
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const system::RowOwner& r) { return r.name == stop; });
  return static_cast<std::size_t>(at - rows.begin());
}

std::vector<double> stop_scales(const Running& running) {
  const Mechanism& m = running.mechanism;
  std::vector<double> scales;
  for (const EndStop& stop : m.stops) {
    const Joint* joint = m.joint(stop.joint);
    const bool length = joint && !mechanism::has_angle(m, *joint);
    scales.push_back(length ? running.mode->system->length_scale() : 1);
  }
  return scales;
}

double reach(const State& state, std::size_t stop, double scale) {
  const std::vector<double>* falls = state.recall(kFalls);
  return falls == nullptr || (*falls)[stop] == 0 ? scale
                                                 : std::clamp((*falls)[stop], kLeastReach * scale, scale);
}

Impact::Impact(Running& running, Holds sides, const std::vector<double>& scale)
    : running_(running),
      sides_(std::move(sides)),
      holds_(running.holds()),
      scale_(scale),
      impulse_(sides_.size(), 0),
      arriving_(running.state) {
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    if (sides_[k] != 0) holds_[k] = sides_[k];
    restitution_.push_back(running.mechanism.stops[k].restitution);
    before_.push_back(speed(arriving_, k));
  }
}

double Impact::speed(const State& state, std::size_t k) {
  std::vector<double> watched(2 * sides_.size());
  running_.mode->system->watch(state, running_.mode->reader.index1().terms(), watched);
  return watched[watched_speed(k)];
}

std::size_t Impact::row(const system::System& system, std::size_t k) const {
  return stop_row(system, running_.mechanism.stops[k].name);
}

// From the state as it arrived.
Report Impact::jump() {
  Mode& mode = running_.modes.at(holds_, running_.grips());
  running_.state = arriving_;
  std::vector<double> target(static_cast<std::size_t>(mode.system->sizes().rows), 0), by_row = target;
  for (std::size_t k = 0; k < sides_.size(); ++k)
    if (sides_[k] != 0) target[row(*mode.system, k)] = -restitution_[k] * before_[k];
  double left = 0;
  Report report = mode.reader.projector().velocities_to(running_.state, target, by_row, left);
  for (std::size_t k = 0; k < holds_.size(); ++k)
    impulse_[k] = holds_[k] == 0 ? 0 : -by_row[row(*mode.system, k)];
  // A stop's equation does not depend on time: what is left is the work of drivers.
  system::Terms& terms = mode.reader.scratch();
  mode.system->evaluate(running_.state, system::kAskPosition, terms);
  driven_ = formulations::impulsive_work(terms, by_row);
  if (report.accepted() && !(left <= kLeft)) {
    report.outcome = Outcome::not_converged;
    report.message = pushed_text(running_.mechanism, holds_);
  }
  return report;
}

// Stops that would have to pull let go, one after the other.
Report Impact::tear_off(std::vector<Event>& events) {
  Report report = jump();
  for (std::size_t k = 0; k < holds_.size() && report.accepted(); ++k) {
    double most = 0;
    for (double p : impulse_) most = std::max(most, std::abs(p));
    if (sides_[k] != 0 || holds_[k] == 0 || holds_[k] * impulse_[k] <= kNoImpulse * most) continue;
    holds_[k] = 0;
    events.push_back({arriving_.t, Event::Kind::release, running_.mechanism.stops[k].name, 0, 0, 0, 0});
    return tear_off(events);
  }
  return report;
}

// What the reaction presses on its stop and would hardly rise has no speed afterwards; the others go free.
Report Impact::come_to_rest() {
  Mode& mode = running_.modes.at(holds_, running_.grips());
  State pressed = running_.state;
  pressed.lambda.assign(static_cast<std::size_t>(mode.system->sizes().rows), 0.0);
  Report report = mode.reader.index1().accelerations(pressed);
  if (!report.accepted()) return report;
  Holds after = holds_;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    if (sides_[k] == 0) continue;
    const double v = std::abs(before_[k]), rebound = restitution_[k] * v;
    const double push = sides_[k] * pressed.lambda[row(*mode.system, k)];
    const double mass = std::abs(impulse_[k]) / std::max((1 + restitution_[k]) * v, 1e-300);
    double& fall = arriving_.remember(kFalls, sides_.size())[k];
    fall = std::max(fall, push > 0 ? 0.5 * mass * v * v / push : scale_[k]);
    if (push >= 0 && 0.5 * mass * rebound * rebound <= push * kRise * reach(arriving_, k, scale_[k]))
      restitution_[k] = 0;
    else
      after[k] = 0;
  }
  report = jump();
  if (report.accepted()) running_.hold(after);
  return report;
}

Report Impact::strike(std::vector<Event>& events) {
  Report report = tear_off(events);
  if (report.accepted()) report = come_to_rest();
  if (!report.accepted()) return report;
  const Holds holds = running_.holds();
  double energy = driven_;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    if (sides_[k] == 0) continue;
    // An impulse does its work at the mean of the speeds before and after.
    const double after = speed(running_.state, k), work = 0.5 * impulse_[k] * (before_[k] + after);
    energy += work;
    events.push_back({arriving_.t, holds[k] != 0 ? Event::Kind::rest : Event::Kind::impact,
                      running_.mechanism.stops[k].name, before_[k], after, impulse_[k], work});
  }
  running_.state.remember(formulations::kWork, 2)[0] += energy;
  return running_.start();
}

}  // namespace trammel::simulation
