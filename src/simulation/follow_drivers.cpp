#include "simulation/follow_drivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expressions/expression.h"
#include "formulations/reactions/work.h"
#include "mechanism/signals.h"

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

}  // namespace

Report follow_drivers(Running& running, double before, std::vector<Event>& events) {
  State& s = running.state;
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
        return refused(
            fmt::format("driver '{}' jumps from {:.6g} to {:.6g} at t = {:.6g} s, and no body can; let it "
                        "rise in some time, "
                        "as step(t, {:.6g}, {:.6g}, {:.6g}, {:.6g}) does",
                        driver.name, left.f, right.f, s.t, s.t, left.f, s.t + 0.1, right.f));
      const double from = driver.of_speed ? left.f : left.fd, to = driver.of_speed ? right.f : right.fd;
      if (std::abs(to - from) > kSame * std::max(scale, std::abs(from)))
        jumps.push_back({driver.name, own, from, to});
    }
  }
  if (!jumps.empty()) {
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
  }
  return running.start();
}

}  // namespace trammel::simulation
