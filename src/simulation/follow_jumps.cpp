#include "simulation/follow_jumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expressions/expression.h"
#include "formulations/reactions/work.h"
#include "formulations/rows/rows.h"
#include "mechanism/signals.h"
#include "simulation/impact.h"
#include "simulation/stiction.h"

namespace trammel::simulation {
namespace {

constexpr double kSame = 1e-9;         // of what counts as one, and per second: no jump
constexpr double kNotFollowed = 1e-8;  // what an impulse may leave of the constraints' velocities

Report refused(std::string message) {
  Report report;
  report.outcome = Outcome::out_of_range;
  report.message = std::move(message);
  return report;
}

// A driver whose position jumps between two times, in words; empty: none does.
std::string driver_that_jumps(const Running& running, const State& before) {
  const State& after = running.state;
  const auto symbols = mechanism::make_symbols(running.mechanism);
  for (const Driver& driver : running.mechanism.drivers) {
    if (driver.of_speed) continue;
    const std::vector<system::RowOwner>& rows = running.mode->system->rows();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const system::RowOwner& one) { return one.name == driver.name; });
    const double scale = row == rows.end() ? 1 : row->scale;
    for (const std::string& text : driver.equals) {
      if (text.empty()) continue;
      const auto f = std::get<expressions::Expression>(expressions::Expression::parse(text, *symbols));
      std::vector<double> signals(static_cast<std::size_t>(symbols->size()), 0.0),
          scratch(static_cast<std::size_t>(f.scratch_size()));
      const auto at = [&](double t) {
        signals[0] = t;
        return f.value(signals, scratch);
      };
      const double left = at(before.seen_time()), right = at(after.seen_time());
      if (std::abs(right - left) > kSame * std::max(scale, std::abs(left)))
        return fmt::format(
            "driver '{}' jumps from {:.6g} to {:.6g} at t = {:.6g} s, and no body can; let it "
            "rise in some time, as step(t, {:.6g}, {:.6g}, {:.6g}, {:.6g}) does",
            driver.name, left, right, after.t, after.t, left, after.t + 0.1, right);
    }
  }
  return {};
}

// What the rows ask for at a state, seen from the state's side of a jump.
struct Asked {
  std::vector<double> position, speed, size, drift;  // Φ, Φ_v v + Φ_t, |Φ_t|, |γ|
};

Asked asked_at(Running& running, const State& s) {
  const system::System& system = *running.mode->system;
  system::Terms& terms = running.mode->reader.scratch();
  system.evaluate(s, system::kAskPosition | system::kAskGamma, terms);
  Asked asked{terms.Phi, terms.Phi_t, terms.Phi_t, terms.gamma};
  for (std::size_t r = 0; r < asked.speed.size(); ++r) {
    asked.speed[r] += formulations::row_times(system.jacobian(), terms.Phi_v, r, s.v);
    asked.drift[r] = std::isfinite(terms.gamma[r]) ? std::abs(terms.gamma[r]) : 0;
  }
  return asked;
}

// The rows whose speed jumps between both sides; refused, in the report: a position does.
std::vector<std::size_t> jumps_of(Running& running, const State& before, Report& report) {
  const State& s = running.state;
  if (std::string driver = driver_that_jumps(running, before); !driver.empty()) {
    report = refused(std::move(driver));
    return {};
  }
  const std::vector<system::RowOwner>& rows = running.mode->system->rows();
  const Asked left = asked_at(running, before), right = asked_at(running, s);
  // Both sides are a little apart in time.
  const double apart = s.seen_time() - before.seen_time();
  const bool own = running.mechanism.generalized.has_value();
  double place = 1;  // of one's own coordinates
  for (const double q : s.q) place = std::max(place, std::abs(q));
  std::vector<std::size_t> jumps;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double size = std::max({rows[r].scale, std::abs(left.size[r]), std::abs(right.size[r])}),
                 drift = 2 * apart * std::max(left.drift[r], right.drift[r]);
    const double by = right.position[r] - left.position[r];
    if (own && std::abs(by) > kSame * std::max(size, place))
      report =
          refused(fmt::format("constraint '{}' jumps by {:.6g} at t = {:.6g} s, and no coordinate can; let "
                              "it change in some time",
                              rows[r].name, by, s.t));
    if (std::abs(right.speed[r] - left.speed[r]) > kSame * size + drift) jumps.push_back(r);
  }
  return jumps;
}

// The impulse by which the mechanism follows, and its work.
Report strike(Running& running, const std::vector<std::size_t>& jumps, std::vector<Event>& events) {
  State& s = running.state;
  const system::System& system = *running.mode->system;
  const std::vector<double> arriving = s.v;
  std::vector<double> target(static_cast<std::size_t>(system.sizes().rows), 0), impulse = target;
  double left = 0;
  Report report = running.mode->reader.projector().velocities_to(s, target, impulse, left);
  if (!report.accepted()) return report;
  if (!(left <= kNotFollowed))
    return refused(fmt::format("at t = {:.6g} s '{}' asks for a speed that the joints do not allow", s.t,
                               system.rows()[jumps.front()].name));
  system::Terms& terms = running.mode->reader.scratch();
  system.evaluate(s, system::kAskPosition, terms);
  double work = 0;
  for (std::size_t r = 0; r < impulse.size(); ++r) {
    const auto speed = [&](std::span<const double> v) {
      return formulations::row_times(system.jacobian(), terms.Phi_v, r, v);
    };
    const double before = speed(arriving), after = speed(s.v), along = -impulse[r],
                 energy = 0.5 * along * (before + after);
    // Rows that do not jump have to hold their speed.
    work += energy;
    if (std::binary_search(jumps.begin(), jumps.end(), r))
      events.push_back({s.t, Event::Kind::jump, system.rows()[r].name, before, after, along, energy});
  }
  s.remember(formulations::kWork, 2)[0] += work;
  return report;
}

// What rested on stops while the rows jumped: it has left, stays, or is hit by its stop.
Report meet_stops(Running& running, const Holds& rested, std::vector<Event>& events) {
  const std::vector<double> scale = stop_scales(running);
  std::vector<double> watched(2 * rested.size());
  running.mode->system->watch(running.state, running.mode->reader.index1().terms(), watched);
  Holds hit(rested.size(), 0), stay = hit;
  for (std::size_t k = 0; k < rested.size(); ++k) {
    if (rested[k] == 0) continue;
    const double towards = rested[k] * watched[watched_speed(k)];
    if (std::abs(towards) <= kSame * scale[k])
      stay[k] = rested[k];
    else if (towards > 0)
      hit[k] = rested[k];
    else
      events.push_back({running.state.t, Event::Kind::release, running.mechanism.stops[k].name, 0, 0, 0, 0});
  }
  const auto any = [](const Holds& holds) {
    return std::any_of(holds.begin(), holds.end(), [](int side) { return side != 0; });
  };
  if (any(stay)) running.hold(stay);
  return any(hit) ? Impact(running, hit, scale).strike(events) : running.start();
}

}  // namespace

Report follow_jumps(Running& running, const State& before, std::vector<Event>& events) {
  Report report;
  std::vector<std::size_t> jumps = jumps_of(running, before, report);
  if (!report.accepted()) return report;
  if (jumps.empty()) return running.start();
  // Stops push and do not pull: the rows jump as if nothing rested on one, then each stop hits what it meets.
  const Holds rested = running.holds();
  const Holds none(rested.size(), 0);
  Stiction stiction(running);
  const Grips grips = stiction.none() ? Grips() : stiction.loosen();
  if (rested != none) running.hold(none);
  if (rested != none || !stiction.none()) jumps = jumps_of(running, before, report);
  report = strike(running, jumps, events);
  if (report.accepted()) report = rested != none ? meet_stops(running, rested, events) : running.start();
  return report.accepted() && !stiction.none() ? stiction.settle(grips, events) : report;
}

}  // namespace trammel::simulation
