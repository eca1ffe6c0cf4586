#include "simulation/follow_drivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expressions/expression.h"
#include "formulations/reactions/work.h"
#include "mechanism/signals.h"
#include "simulation/impact.h"

namespace trammel::simulation {
namespace {

constexpr double kSame = 1e-9;         // of what counts as one, and per second: no jump
constexpr double kNotFollowed = 1e-8;  // what an impulse may leave of the constraints' velocities

struct Jump {
  std::string driver;
  std::size_t row;
  double before, after;  // speed
};

Report refused(std::string message) {
  Report report;
  report.outcome = Outcome::out_of_range;
  report.message = std::move(message);
  return report;
}

// The drivers whose speed jumps between two times; refused, in the report: a position does.
std::vector<Jump> jumps_of(const Running& running, double before, Report& report) {
  const State& s = running.state;
  const system::System& system = *running.mode->system;
  const auto symbols = mechanism::make_symbols(running.mechanism);
  std::vector<Jump> jumps;
  for (const Driver& driver : running.mechanism.drivers) {
    std::size_t row = 0;
    const auto next_row = [&] {
      while (row < system.rows().size() && system.rows()[row].name != driver.name) ++row;
      return row++;
    };
    for (const std::string& text : driver.equals) {
      if (text.empty()) continue;
      const std::size_t own = next_row();
      const auto f = std::get<expressions::Expression>(expressions::Expression::parse(text, *symbols));
      std::vector<double> signals(static_cast<std::size_t>(symbols->size()), 0.0),
          scratch(static_cast<std::size_t>(f.scratch_size()));
      const auto at = [&](double t) {
        signals[0] = t;
        return f.taylor(signals, 0, scratch);
      };
      const auto left = at(before), right = at(s.seen_time());
      const double scale = own < system.rows().size() ? system.rows()[own].scale : 1;
      if (!driver.of_speed && std::abs(right.f - left.f) > kSame * std::max(scale, std::abs(left.f)))
        report = refused(
            fmt::format("driver '{}' jumps from {:.6g} to {:.6g} at t = {:.6g} s, and no body can; let it "
                        "rise in some time, "
                        "as step(t, {:.6g}, {:.6g}, {:.6g}, {:.6g}) does",
                        driver.name, left.f, right.f, s.t, s.t, left.f, s.t + 0.1, right.f));
      const double from = driver.of_speed ? left.f : left.fd, to = driver.of_speed ? right.f : right.fd;
      if (std::abs(to - from) > kSame * std::max(scale, std::abs(from)))
        jumps.push_back({driver.name, own, from, to});
    }
  }
  return jumps;
}

// The impulse by which the mechanism follows, and its work.
Report strike(Running& running, const std::vector<Jump>& jumps, std::vector<Event>& events) {
  State& s = running.state;
  const system::System& system = *running.mode->system;
  std::vector<double> target(static_cast<std::size_t>(system.sizes().rows), 0), impulse = target;
  double left = 0;
  Report report = running.mode->reader.projector().velocities_to(s, target, impulse, left);
  if (!report.accepted()) return report;
  if (!(left <= kNotFollowed))
    return refused(fmt::format("at t = {:.6g} s driver '{}' asks for a speed that the joints do not allow",
                               s.t, jumps.front().driver));
  system::Terms& terms = running.mode->reader.scratch();
  system.evaluate(s, system::kAskPosition, terms);
  double work = 0;
  for (const Jump& jump : jumps) {
    const double along = -impulse[jump.row], energy = 0.5 * along * (jump.before + jump.after);
    work += energy;
    events.push_back({s.t, Event::Kind::jump, jump.driver, jump.before, jump.after, along, energy});
    impulse[jump.row] = 0;
  }
  // Drivers whose speed does not jump have to hold it.
  work += formulations::impulsive_work(terms, impulse);
  s.remember(formulations::kWork, 2)[0] += work;
  return report;
}

// What rested on stops while the drivers jumped: it has left, stays, or is hit by its stop.
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

Report follow_drivers(Running& running, double before, std::vector<Event>& events) {
  Report report;
  std::vector<Jump> jumps = jumps_of(running, before, report);
  if (!report.accepted()) return report;
  if (jumps.empty()) return running.start();
  // Stops push and do not pull: the drivers jump as if nothing rested on one, then each stop hits what it
  // meets.
  const Holds rested = running.holds();
  const Holds none(rested.size(), 0);
  if (rested != none) {
    running.hold(none);
    jumps = jumps_of(running, before, report);
  }
  report = strike(running, jumps, events);
  if (!report.accepted()) return report;
  return rested != none ? meet_stops(running, rested, events) : running.start();
}

}  // namespace trammel::simulation
