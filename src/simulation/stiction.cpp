#include "simulation/stiction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "formulations/reactions/work.h"
#include "formulations/rows/rows.h"
#include "simulation/impact.h"
#include "simulation/loaded_system.h"

namespace trammel::simulation {
namespace {

using Now = DryFriction::Now;
constexpr double kNoBoundOfSpeed = std::numeric_limits<double>::infinity();
// Of what counts as one in a second: a speed that is none. Above what a step leaves of a constraint of
// velocities.
constexpr double kNoSpeed = 1e-9;
// The same of an acceleration: above rounding. A load that grows so that the acceleration it would make grows
// by one in a second is noticed 1e-10 s late.
constexpr double kAccelerates = 1e-10;
// Of an effort: rounding.
constexpr double kEffortRounding = 1e-12;
// Of a capacity, as of 10*(1 - step(…)): the largest that was seen, times this.
constexpr double kCapacityRounding = 1e-12;
// Of an effort too: rounding of the acceleration that comes back multiplied by the penalty. What would slip
// by less may as well stick, and the other way round.
constexpr double kMultiplierRounding =
    4 * formulations::kPenaltyRatio * std::numeric_limits<double>::epsilon();
// An acceleration of what sticks: it cannot, for a driver moves it.
constexpr double kDrivenAway = 1e-6;
constexpr double kNotStopped = 1e-8;  // what an impulse may leave of the constraints' velocities
constexpr int kMostChoices = 300;

Now slipping(double direction) { return direction > 0 ? Now::forward : Now::backward; }

}  // namespace

Stiction::Stiction(Running& running)
    : running_(running),
      all_(frictions_of(running.mechanism)),
      first_(2 * running.mechanism.stops.size()),
      largest_(all_.size(), 0.0) {}

double Stiction::scale(std::size_t k) const {
  return all_[k].is_angle ? 1 : running_.mode->system->length_scale();
}

double Stiction::least_speed(std::size_t k, Now now) const {
  const bool bounded = now == Now::forward || (now == Now::open && all_[k].one_way);
  return bounded ? -kNoSpeed * scale(k) : -kNoBoundOfSpeed;
}

double Stiction::largest_speed(std::size_t k, Now now) const {
  return now == Now::backward ? kNoSpeed * scale(k) : kNoBoundOfSpeed;
}

bool Stiction::any_stuck() const { return std::ranges::count(running_.grips(), Now::stuck) > 0; }

std::vector<double> Stiction::read() const {
  std::vector<double> watched(first_ + kWatched * all_.size());
  running_.mode->system->watch(running_.state, running_.mode->reader.index1().terms(), watched);
  return watched;
}

Report Stiction::check(std::span<const double> watched) {
  Report report;
  for (std::size_t k = 0; k < all_.size(); ++k) {
    const double capacity = watched[watched_speed(k) + 1], most = watched[watched_speed(k) + 2];
    const auto refuse = [&](const char* what, double value, const char* remedy) {
      report.outcome = Outcome::out_of_range;
      report.message = fmt::format("the {} of '{}' is {:.6g} at t = {:.6g} s; {}", what, all_[k].name, value,
                                   running_.state.t, remedy);
    };
    largest_[k] = std::max(largest_[k], capacity);
    if (!(capacity >= -kCapacityRounding * largest_[k]))
      refuse("capacity", capacity, "it must be zero or more, as max(…, 0) is");
    if (capacity >= 0 && !(most >= (1 - kCapacityRounding) * capacity))
      refuse("static capacity", most, "it must not be below the capacity while it slips");
  }
  return report;
}

double Stiction::static_capacity(Mode& mode, std::size_t k, const State& solved,
                                 std::span<const double> watched) const {
  const Friction& friction = all_[k];
  if (!friction.is_loaded()) return watched[watched_speed(k) + 2];
  return friction.most_per_load * load_of({friction.name, friction.contact}, *mode.system, solved);
}

std::vector<double> Stiction::excess_in(Mode& mode, const Grips& grips, const State& solved,
                                        std::span<const double> watched,
                                        std::vector<double>& rounding) const {
  std::vector<double> out(all_.size(), -kNoBoundOfSpeed);
  const system::Terms& terms = mode.reader.index1().terms();
  const std::vector<double> mobility = formulations::effective_mobility(*mode.system, terms);
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if (grips[k] != Now::stuck) continue;
    const std::size_t row = stop_row(*mode.system, all_[k].name);
    const double effort = -solved.lambda[row], most = static_capacity(mode, k, solved, watched);
    const double over = all_[k].one_way ? -effort : std::abs(effort) - most;
    const double compliance =
        formulations::row_compliance(mode.system->jacobian(), terms.Phi_v, row, mobility);
    const double size = std::max(std::abs(effort), most) * compliance;
    out[k] = over * compliance - kEffortRounding * size - kAccelerates * scale(k);
    rounding[k] = kMultiplierRounding * size;
  }
  return out;
}

std::vector<double> Stiction::excess(const State& solved, std::span<const double> watched) {
  std::vector<double> rounding(all_.size());
  return excess_in(*running_.mode, running_.grips(), solved, watched, rounding);
}

double Stiction::since_zero(const State& solved, std::span<const double> watched) {
  const Grips grips = running_.grips();
  Mode& held = running_.modes.at(running_.holds(), Grips(all_.size(), Now::stuck));
  system::Terms& terms = held.reader.scratch();
  held.system->evaluate(solved, system::kAskPosition | system::kAskGamma, terms);
  double since = -kNoBoundOfSpeed;
  for (std::size_t k = 0; k < all_.size(); ++k) {
    const double speed = watched[watched_speed(k)];
    const bool forward = least_speed(k, grips[k]) > -kNoBoundOfSpeed,
               backward = largest_speed(k, grips[k]) < kNoBoundOfSpeed;
    if (!(forward && speed < 0) && !(backward && speed > 0)) continue;
    const std::size_t row = stop_row(*held.system, all_[k].name);
    const double rate =
        formulations::row_times(held.system->jacobian(), terms.Phi_v, row, solved.a) + terms.gamma[row];
    if (rate * speed > 0) since = std::max(since, speed / rate);
  }
  return since;
}

Grips Stiction::loosen() {
  Grips before = running_.grips();
  running_.grip(Grips(all_.size(), Now::open));
  return before;
}

// One-way clutches that an impulse has made to run the wrong way stop at once.
Report Stiction::lock_one_way(std::vector<double>& watched, std::vector<Event>& events) {
  Grips grips(all_.size(), Now::open);
  std::vector<std::size_t> locking;
  for (std::size_t k = 0; k < all_.size(); ++k)
    if (all_[k].one_way && watched[watched_speed(k)] < -kNoSpeed * scale(k)) {
      grips[k] = Now::stuck;
      locking.push_back(k);
    }
  if (locking.empty()) return {};
  Mode& mode = running_.modes.at(running_.holds(), grips);
  const double before = mode.reader.energy(running_.state).kinetic;
  std::vector<double> target(static_cast<std::size_t>(mode.system->sizes().rows), 0), impulse = target;
  double left = 0;
  Report report = mode.reader.projector().velocities_to(running_.state, target, impulse, left);
  if (!report.accepted()) return report;
  if (!(left <= kNotStopped)) {
    report.outcome = Outcome::not_converged;
    report.message = fmt::format("a driver turns one-way clutch '{}' the wrong way, and neither gives way",
                                 all_[locking.front()].name);
    return report;
  }
  const double energy = mode.reader.energy(running_.state).kinetic - before;
  running_.state.remember(formulations::kWork, 2)[0] += energy;
  for (const std::size_t k : locking) {
    const double along = -impulse[stop_row(*mode.system, all_[k].name)], speed = watched[watched_speed(k)];
    events.push_back(
        {running_.state.t, Event::Kind::stick, all_[k].name, speed, 0, along, 0.5 * along * speed});
  }
  watched = read();
  return {};
}

// What each friction at rest does: the others keep their grips.
Report Stiction::choose(const std::vector<bool>& at_rest, std::span<const double> watched, Grips& grips) {
  const Holds holds = running_.holds();
  Mode& held = running_.modes.at(holds, grips);
  system::Terms& rows = held.reader.scratch();
  held.system->evaluate(running_.state, system::kAskPosition | system::kAskGamma, rows);
  const std::vector<double> Phi_v = rows.Phi_v, gamma = rows.gamma;
  // Where choices come again although they differ by rounding alone, those that let go slip.
  std::vector<double> rounding(all_.size(), 0);
  bool is_close = false;
  const auto wish = [&](std::size_t k, const State& solved, Mode& mode, double excess) {
    const std::size_t row = stop_row(*held.system, all_[k].name);
    const double rate = formulations::row_times(held.system->jacobian(), Phi_v, row, solved.a) + gamma[row];
    const double least = kAccelerates * scale(k);
    if (grips[k] == Now::stuck) {
      const bool moved = std::abs(rate) > kDrivenAway * scale(k);
      if (all_[k].one_way) return excess > 0 || (moved && rate > 0) ? Now::open : Now::stuck;
      if (moved) return slipping(rate);
      const double effort = -solved.lambda[stop_row(*mode.system, all_[k].name)];
      return excess > 0 ? slipping(-effort) : Now::stuck;
    }
    const double along = grips[k] == Now::backward ? -rate : rate;
    return along < -(is_close ? std::max(least, rounding[k]) : least) ? Now::stuck : grips[k];
  };
  std::set<Grips> seen;
  for (int count = 0; count < kMostChoices; ++count) {
    Mode& mode = running_.modes.at(holds, grips);
    State solved = running_.state;
    solved.lambda.assign(static_cast<std::size_t>(mode.system->sizes().rows), 0.0);
    if (Report report = mode.reader.index1().accelerations(solved); !report.accepted()) return report;
    const std::vector<double> over = excess_in(mode, grips, solved, watched, rounding);
    const bool one_by_one = !seen.insert(grips).second;
    is_close = is_close || one_by_one;
    Grips next = grips;
    for (std::size_t k = 0; k < all_.size() && !(one_by_one && next != grips); ++k)
      if (at_rest[k]) next[k] = wish(k, solved, mode, over[k]);
    if (next == grips) return {};
    grips = std::move(next);
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < all_.size(); ++k)
    if (at_rest[k]) names.push_back("'" + all_[k].name + "'");
  Report report;
  report.outcome = Outcome::not_converged;
  report.message = fmt::format(
      "no choice of which of {} stick and which slip agrees with the forces at t = {:.6g} s; bring their "
      "static "
      "capacities nearer to their capacities",
      fmt::join(names, ", "), running_.state.t);
  return report;
}

void Stiction::tell(const Grips& before, const Grips& after, std::vector<Event>& events) const {
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if ((before[k] == Now::stuck) == (after[k] == Now::stuck)) continue;
    const auto kind = after[k] == Now::stuck ? Event::Kind::stick
                      : all_[k].one_way      ? Event::Kind::release
                                             : Event::Kind::slide;
    const bool told = std::ranges::any_of(events, [&](const Event& e) {
      return e.t == running_.state.t && e.kind == kind && e.name == all_[k].name;
    });
    if (!told) events.push_back({running_.state.t, kind, all_[k].name, 0, 0, 0, 0});
  }
}

Report Stiction::settle(const Grips& before, std::vector<Event>& events) {
  double left = 0;
  if (any_stuck()) {
    // What the formulation has left of the speeds that were zero goes before they may change.
    formulations::Projector& projector = running_.mode->reader.projector();
    projector.forget();
    if (Report report = projector.velocities(running_.state, left); !report.accepted()) return report;
  }
  std::vector<double> watched = read();
  if (Report report = check(watched); !report.accepted()) return report;
  if (Report report = lock_one_way(watched, events); !report.accepted()) return report;
  Grips grips = before;
  std::vector<bool> at_rest(all_.size());
  for (std::size_t k = 0; k < all_.size(); ++k) {
    const double speed = watched[watched_speed(k)];
    at_rest[k] = std::abs(speed) <= kNoSpeed * scale(k);
    grips[k] = at_rest[k] ? Now::stuck : all_[k].one_way ? Now::open : slipping(speed);
  }
  if (std::ranges::count(at_rest, true) > 0)
    if (Report report = choose(at_rest, watched, grips); !report.accepted()) return report;
  running_.grip(grips);
  tell(before, grips, events);
  // The same of those that are zero from now on.
  formulations::Projector& projector = running_.mode->reader.projector();
  projector.forget();
  Report report = projector.velocities(running_.state, left);
  if (report.accepted()) report = running_.start();
  if (!report.accepted()) return report;
  report.message = running_.mode->method->refusal(running_.state);
  if (!report.message.empty()) report.outcome = Outcome::refused;
  return report;
}

}  // namespace trammel::simulation
