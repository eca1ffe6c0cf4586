#include "simulation/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "forms/take_state.h"
#include "formulations/rows/rows.h"
#include "mechanism/signals.h"
#include "simulation/breaks.h"
#include "simulation/follow_jumps.h"
#include "simulation/impact.h"
#include "simulation/plan_check.h"
#include "system/decisions.h"

namespace trammel::simulation {
namespace {

// How far beyond a limit a coordinate on its way back is not an impact: above what penalty leaves of the
// constraint that held it, below what a step could have passed unseen.
constexpr double kHair = 1e-6;
constexpr int kMostEvents = 10000;
// So long after a switch stood at its level exactly, as sign(v) does at rest, its side is known.
constexpr double kLeave = 1e-9;  // s
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
// Of a contact's force: beyond rounding, and safely inside its limits again.
constexpr double kRounding = 1e-12, kRegained = 1e-10;
// A step that is shorter by less than this part is whole.
constexpr double kWhole = 1e-9;

bool is_held_cam(const Joint& joint) { return joint.kind == Joint::Kind::cam && joint.keeps_contact; }

// Whether a real contact could not bear every force of the joint: friction is limited, one flank of its teeth
// presses, or a cam pushes.
bool is_contact(const Joint& joint) {
  return joint.friction.has_value() || joint.teeth.flank != 0 || is_held_cam(joint);
}

// By how much a contact pushes, and the force along it that friction has to bear.
struct ContactForce {
  double push, along;
};
ContactForce contact_force(const Joint& joint, const system::Wrench& w, bool is_planar) {
  if (joint.teeth.flank != 0) {
    // Along the pitch circle of the first gear, which the other gear's reaction opposes.
    const double sense = w.body == joint.markers[0].body ? joint.teeth.flank : -joint.teeth.flank;
    return {sense * w.force.dot(w.axes.col(1)), 0};
  }
  if (is_held_cam(joint)) {
    const double sense = w.body == joint.markers[0].body ? 1 : -1;
    return {sense * w.force.dot(w.axes.col(0)), 0};
  }
  const Vec3 normal = w.axes.col(is_planar ? 1 : 2);
  const double push = w.force.dot(normal);
  return {push, (w.force - push * normal).norm()};
}

// Adds a part of a step that was taken: the worst of both, and a mark stays.
void merge(const StepResult& part, StepResult& total) {
  total.steps += part.steps;
  if (part.report.outcome != Outcome::ok || total.report.outcome != Outcome::marked)
    total.report = part.report;
  total.violation.take_larger(part.violation);
}

}  // namespace

bool Events::any(const Mechanism& m) {
  return !m.stops.empty() || !m.stop_when.empty() || !switches_of(m).empty() || !frictions_of(m).empty() ||
         !Passages(m).signals().empty() || std::any_of(m.joints.begin(), m.joints.end(), is_contact);
}

Events::Events(Running& running, Pieces& pieces, Step step, std::vector<FunctionOfState> functions)
    : running_(running),
      pieces_(pieces),
      step_(std::move(step)),
      stiction_(running),
      switches_(switches_of(running.mechanism)),
      chatter_(running, switches_),
      passages_(running.mechanism),
      functions_(std::move(functions)),
      values_(functions_.size()),
      function_ranges_(functions_.size()) {
  const Mechanism& m = running.mechanism;
  watched_.assign(watched_signal(passages_.signals().size()) + (m.stop_when.empty() ? 0 : 1), 0);
  ranges_.resize(m.stops.size() + switches_.size() + stiction_.size());
  scale_ = stop_scales(running);
  for (const Joint& joint : m.joints)
    if (is_contact(joint)) contacts_.push_back(&joint);
  if (!contacts_.empty()) running.state.remember(kContacts, contacts_.size());
}

void Events::read(const State& state) {
  Mode& mode = *running_.mode;
  if (mode.system->watches_reactions()) {
    // A condition on accelerations or reactions wants those that belong to the state.
    Report solved;
    const State exact = mode.reader.with_reactions(state, solved);
    mode.system->watch(exact, mode.reader.index1().terms(), watched_);
  } else {
    mode.system->watch(state, mode.reader.index1().terms(), watched_);
  }
  for (std::size_t k = 0; k < functions_.size(); ++k) values_[k] = functions_[k].value(state);
}

// Free coordinates beyond a limit, at the state last read.
Events::Sides Events::met() const {
  Sides sides(scale_.size(), 0);
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const EndStop& stop = running_.mechanism.stops[k];
    const auto [below, above] = ranges_[k];
    if (coordinate(k) < below) sides[k] = -1;
    if (coordinate(k) > above) sides[k] = 1;
    // From the limit on, and on its way back from a hair's breadth: what a formulation left of the constraint
    // that held it.
    const bool from_limit = sides[k] < 0 ? below != stop.lower : above != stop.upper;
    const double past = sides[k] < 0 ? below - coordinate(k) : coordinate(k) - above;
    if (from_limit && sides[k] * speed(k) <= 0 && past <= kHair * scale_[k]) sides[k] = 0;
  }
  return sides;
}

bool Events::any_met() const {
  const Sides sides = met();
  return std::any_of(sides.begin(), sides.end(), [](int side) { return side != 0; });
}

std::size_t Events::watched_by_range(std::size_t range) const {
  if (range < scale_.size()) return watched_coordinate(range);
  range -= scale_.size();
  return range < switches_.size() ? watched_switch(range) : stiction_.watched_speed(range - switches_.size());
}

// Whether a friction that slips has passed zero speed, or a one-way clutch runs the wrong way.
bool Events::turned(std::size_t friction) const {
  const double speed = watched_[stiction_.watched_speed(friction)];
  const Range& range = ranges_[scale_.size() + switches_.size() + friction];
  return speed < range.below || speed > range.above;
}

bool Events::any_turned() const {
  for (std::size_t k = 0; k < stiction_.size(); ++k)
    if (turned(k)) return true;
  return false;
}

// Whether the state last read lies on another side of it than the beginning of the step, not at the level.
bool Events::passed(std::size_t k) const {
  const double w = watched_[watched_switch(k)];
  const Range& range = ranges_[scale_.size() + k];
  return switches_[k].acts() && (w < range.below || w > range.above);
}

bool Events::any_passed() const {
  for (std::size_t k = 0; k < switches_.size(); ++k)
    if (passed(k)) return true;
  return false;
}

// Whether a function has come to zero since the beginning of the step, or beyond.
bool Events::crossed(std::size_t k) const {
  const Range& range = function_ranges_[k];
  return values_[k] <= range.below || values_[k] >= range.above;
}

bool Events::any_crossed() const {
  for (std::size_t k = 0; k < functions_.size(); ++k)
    if (crossed(k)) return true;
  return false;
}

// The State remembers the branches of the state last read; whether one is new.
bool Events::decide() {
  std::vector<double>& all = running_.state.remember(system::kDecisions, 0);
  all.resize(switches_.size(), NAN);
  bool changed = false;
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    const double w = watched_[watched_switch(k)];
    Range now, then;
    switches_[k].cell(w, now.below, now.above);
    // At its level exactly it has a value of its own, which the next moment does not.
    const double decided = !switches_[k].acts() || chatter_.rests(k) || w == now.below ? NAN : w;
    switches_[k].cell(all[k], then.below, then.above);
    const bool same = std::isnan(decided)
                          ? std::isnan(all[k])
                          : !std::isnan(all[k]) && now.below == then.below && now.above == then.above;
    if (same) continue;
    all[k] = decided;
    changed = true;
  }
  return changed;
}

bool Events::any_at_level() const {
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    const double w = watched_[watched_switch(k)];
    Range now;
    switches_[k].cell(w, now.below, now.above);
    if (switches_[k].acts() && !chatter_.rests(k) && w == now.below) return true;
  }
  return false;
}

// Chooses the branches of a step of size h from here. A constraint of velocities may jump with its branch.
Report Events::take_sides(double h, std::vector<Event>& events) {
  read(running_.state);
  if (Report report = stiction_.check(watched_); !report.accepted()) return report;
  if (switches_.empty()) return {};
  bool left = h > 10 * kLeave && any_at_level();
  if (left) {
    const State here = running_.state;
    const std::vector<double> values = watched_;
    running_.creep(kLeave);
    read(running_.state);
    left = !any_at_level();
    if (!left) {
      running_.restore(here);
      watched_ = values;
    }
  }
  const std::vector<double>* const taken = running_.state.recall(system::kDecisions);
  const bool first = taken == nullptr;
  const std::vector<double> decisions = first ? std::vector<double>() : *taken;
  const bool changed = decide();
  if (!changed || first) return left ? running_.start() : Report();
  State before = running_.state;
  before.remember(system::kDecisions, 0) = decisions;
  return follow_jumps(running_, before, events);
}

// Of the state last read, from which a step is to be taken.
void Events::set_ranges() {
  const Holds holds = running_.holds();
  for (std::size_t k = 0; k < holds.size(); ++k)
    ranges_[k] = holds[k] == 0 ? range_of_stop(k) : Range{-kNoLimit, kNoLimit};
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    Range& range = ranges_[holds.size() + k] = {-kNoLimit, kNoLimit};
    if (!chatter_.rests(k)) switches_[k].cell(watched_[watched_switch(k)], range.below, range.above);
  }
  const Grips grips = running_.grips();
  for (std::size_t k = 0; k < stiction_.size(); ++k)
    ranges_[holds.size() + switches_.size() + k] = {stiction_.least_speed(k, grips[k]),
                                                    stiction_.largest_speed(k, grips[k])};
  for (std::size_t k = 0; k < functions_.size(); ++k) function_ranges_[k] = range_of_function(k);
}

// A coordinate that begins at a limit, or has just bounced there, passes it by more than a step leaves of a
// constraint.
Events::Range Events::range_of_stop(std::size_t k) const {
  const EndStop& stop = running_.mechanism.stops[k];
  const double margin = kBeyond * reach(running_.state, k, scale_[k]);
  Range range{-kNoLimit, kNoLimit};
  if (stop.lower) range.below = *stop.lower - (coordinate(k) > *stop.lower + margin ? 0 : margin);
  if (stop.upper) range.above = *stop.upper + (coordinate(k) < *stop.upper - margin ? 0 : margin);
  return range;
}

// A function that has just come to zero is on its new side: it comes back when it is beyond zero.
Events::Range Events::range_of_function(std::size_t k) const {
  const std::vector<double>* memory = running_.state.recall(kCrossings);
  const bool comes_from_zero = values_[k] == 0 && memory != nullptr;
  const double sign = comes_from_zero ? (*memory)[k] : values_[k];
  const double zero = comes_from_zero ? std::numeric_limits<double>::min() : 0;
  return {sign > 0 ? -zero : -kNoLimit, sign < 0 ? zero : kNoLimit};
}

// How far the state last read lies beyond its ranges; negative within. Where only stops and
// switches matter it is zero at the event.
double Events::beyond() const {
  double most = -kNoLimit;
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    if (is_switch(k) && !switches_[k - scale_.size()].acts()) continue;
    const double value = watched_[watched_by_range(k)];
    most = std::max({most, ranges_[k].below - value, value - ranges_[k].above});
  }
  for (std::size_t k = 0; k < functions_.size(); ++k)
    most = std::max({most, function_ranges_[k].below - values_[k], values_[k] - function_ranges_[k].above});
  return most;
}

bool Events::any_holds() const {
  const Holds holds = running_.holds();
  return std::any_of(holds.begin(), holds.end(), [](int side) { return side != 0; });
}

// By stop: the acceleration by which it would have to pull, less what rounding makes of none; without bound
// where it does not hold. Then by friction: with which it would slip. Empty: none holds or sticks. The state
// is the one last read.
std::vector<double> Events::pulls(const State& state) {
  if (!any_holds() && !stiction_.any_stuck()) return {};
  const Holds holds = running_.holds();
  Mode& mode = *running_.mode;
  State s = state;
  std::vector<double> out(holds.size() + stiction_.size(), -kNoLimit);
  if (!mode.reader.index1().accelerations(s).accepted()) return out;
  const std::vector<double> mobility =
      formulations::effective_mobility(*mode.system, mode.reader.index1().terms());
  for (std::size_t k = 0; k < holds.size(); ++k) {
    if (holds[k] == 0) continue;
    const std::size_t row = stop_row(*mode.system, running_.mechanism.stops[k].name);
    const double compliance = formulations::row_compliance(mode.system->jacobian(),
                                                           mode.reader.index1().terms().Phi_v, row, mobility);
    // −λ pushes up from the lower limit, down from the upper
    out[k] = (holds[k] < 0 ? s.lambda[row] : -s.lambda[row]) * compliance - kOff * scale_[k];
  }
  if (!stiction_.none())
    std::ranges::copy(stiction_.excess(s, watched_), out.begin() + static_cast<std::ptrdiff_t>(holds.size()));
  return out;
}

// The stops that go on holding: those that would have to pull let go.
Holds Events::without_pull(const State& state) {
  Holds holds = running_.holds();
  const std::vector<double> pulled = pulls(state);
  for (std::size_t k = 0; k < std::min(holds.size(), pulled.size()); ++k)
    if (pulled[k] > 0) holds[k] = 0;
  return holds;
}

// A stop would have to pull, or friction to hold more than it can.
bool Events::any_lets_go(const State& state) {
  const std::vector<double> pulled = pulls(state);
  return std::ranges::any_of(pulled, [](double pull) { return pull > 0; });
}

const std::vector<double>& Events::remembered() const { return *running_.state.recall(kContacts); }

// By contact: 0 holds, 1 would slip, 2 would lift off.
std::vector<double> Events::lost(const State& state, std::vector<Event>* events) {
  std::vector<double> now(contacts_.size(), 0);
  if (contacts_.empty()) return now;
  Mode& mode = *running_.mode;
  State s = state;
  if (!mode.reader.index1().reactions(s).accepted()) return remembered();
  const std::vector<system::Wrench> wrenches = mode.system->reactions(s, mode.reader.index1().terms());
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    for (const system::Wrench& w : wrenches) {
      if (w.joint != contacts_[k]->name) continue;
      const auto [push, needed] = contact_force(*contacts_[k], w, running_.mechanism.is_planar);
      // A contact that is lost is regained a little inside its limit, so that rounding does not decide.
      const double margin = remembered()[k] != 0 ? -kRegained : kRounding;
      const std::optional<double>& friction = contacts_[k]->friction;
      if (friction && needed > *friction * std::max(push, 0.0) + margin * w.force.norm()) now[k] = 1;
      if (push < -margin * w.force.norm()) now[k] = 2;
      if (events && now[k] != remembered()[k])
        // Known to lie between `early_` and the state: a contact that is lost from the start is so at t = 0.
        events->push_back({early_.t,
                           now[k] == 0   ? Event::Kind::grip
                           : now[k] == 1 ? Event::Kind::slip
                                         : Event::Kind::lift,
                           w.joint, push, needed, 0, 0});
    }
  return now;
}

bool Events::happened(const State& state) {
  read(state);
  return ends() || any_met() || any_passed() || any_crossed() || any_turned() || any_lets_go(state) ||
         !stiction_.check(watched_).accepted() ||
         (!contacts_.empty() && lost(state, nullptr) != remembered());
}

// By a part of a step. Steps of fixed length are cut at the same places in the second run of an error
// estimate as in the first: it goes there in two.
StepResult Events::move(double h) {
  if (h < kShort) return running_.creep(h);
  const bool in_parts = running_.state.recall(kSecondRun) != nullptr;
  if (!in_parts || h >= (1 - kWhole) * whole_) return chatter_.take([&] { return step_(h); });
  const auto half = [&] { return 0.5 * h < kShort ? running_.creep(0.5 * h) : step_(0.5 * h); };
  StepResult both = chatter_.take(half);
  if (both.report.accepted()) both.take(chatter_.take(half));
  return both;
}

bool Events::handle(StepResult& total) {
  running_.restore(late_);
  read(late_);
  const Sides sides = met();
  const Holds holds = without_pull(late_);
  const bool ended = ends();
  const bool impact = std::any_of(sides.begin(), sides.end(), [](int side) { return side != 0; });
  const bool release = holds != running_.holds();
  // At rest is an event of its own; speeds are watched values at late_.
  const bool comes_to_rest = !impact && !release && any_turned(),
             slips = !impact && !release && !comes_to_rest && any_lets_go(late_);
  if (impact) go_to_limit(sides);
  if (comes_to_rest) go_to_zero_speed();
  const bool earlier = impact || comes_to_rest;
  merge(earlier ? early_part_ : late_part_, total);
  running_.restore(earlier ? early_ : late_);
  Report report;
  if (impact) {
    // Friction is finite, and does not resist an impulse.
    const Grips grips = stiction_.none() ? Grips() : stiction_.loosen();
    report = Impact(running_, sides, scale_).strike(total.events);
    if (report.accepted() && !stiction_.none()) report = stiction_.settle(grips, total.events);
  } else if (comes_to_rest || slips) {
    report = stiction_.settle(running_.grips(), total.events);
  } else if (release) {
    for (std::size_t k = 0; k < holds.size(); ++k)
      if (holds[k] != running_.holds()[k])
        total.events.push_back({late_.t, Event::Kind::release, running_.mechanism.stops[k].name, 0, 0, 0, 0});
    // What the formulation has left of the constraint goes before it does.
    double left = 0;
    formulations::Projector& projector = running_.mode->reader.projector();
    projector.forget();
    report = projector.positions(running_.state);
    if (report.accepted()) report = projector.velocities(running_.state, left);
    running_.hold(holds);
    if (report.accepted()) report = running_.start();
  } else if (ended || any_crossed()) {
    for (std::size_t k = 0; k < functions_.size(); ++k) {
      if (!crossed(k)) continue;
      const double sign = function_ranges_[k].below > -kNoLimit ? -1 : 1;
      running_.state.remember(kCrossings, functions_.size())[k] = sign;
      total.events.push_back({late_.t, Event::Kind::crossing, functions_[k].name, -sign, sign, 0, 0});
      total.ended = total.ended || functions_[k].ends;
    }
    if (ended) total.events.push_back({late_.t, Event::Kind::stop, running_.mechanism.stop_when, 0, 0, 0, 0});
    total.ended = total.ended || ended;
  } else if (any_passed()) {
    for (std::size_t k = 0; k < switches_.size(); ++k)
      if (passed(k)) chatter_.pass(k);
  } else if (!contacts_.empty()) {
    const std::vector<double> now = lost(late_, &total.events);
    for (std::size_t k = 0; k < now.size(); ++k)
      total.ended = total.ended || (now[k] != 0 && contacts_[k]->ends_run && now[k] != remembered()[k]);
    running_.state.remember(kContacts, now.size()) = now;
  }
  if (!report.accepted()) total.report = std::move(report);
  return total.report.accepted();
}

bool Events::need_landings() const {
  const bool compared =
      std::any_of(switches_.begin(), switches_.end(), [](const Switch& s) { return !s.acts(); });
  return (!running_.mechanism.stop_when.empty() && !compared) || !contacts_.empty();
}

// Takes a shorter step from `before_` instead of the one that ended in `late_`.
bool Events::step_instead(double h, StepResult& total) {
  pieces_.lose_dense_output();
  running_.restore(before_);
  late_part_ = move(h);
  total.iterations += late_part_.iterations;
  if (!late_part_.report.accepted()) {
    total.report = late_part_.report;
    return false;
  }
  forms::take(running_.state, late_);
  return true;
}

// Repeats the step until it passes no pulse. taken: its length. False: a shorter step fails.
bool Events::end_at_pulse(double& taken, bool dense, StepResult& total) {
  constexpr int kMostRepeats = 50;  // halves of a second are too short to count after 26
  for (int count = 0; count < kMostRepeats; ++count) {
    const double part = pulse_within(taken, dense);
    if (part == 0) break;
    taken = part;
    if (!step_instead(taken, total)) return false;
  }
  return true;
}

StepResult Events::advance(double h, bool own_size) {
  StepResult total;
  total.steps = 0;
  forms::take(running_.state, start_);
  const double end = start_.t + h;
  whole_ = h;
  pieces_.clear();
  chatter_.begin();
  for (int count = 0; count < kMostEvents; ++count) {
    if (Report report = take_sides(end - running_.state.t, total.events); !report.accepted()) {
      // What was done until then stands. The next advance tells why it does not go on.
      if (own_size && running_.state.t > start_.t) return total;
      total.report = std::move(report);
      break;
    }
    forms::take(running_.state, before_);
    set_ranges();
    const double rest = chatter_.any_rests() ? chatter_.most(start_.t, before_, end) : end - before_.t;
    const bool in_parts = rest < end - before_.t;
    const bool dense = own_size && rest >= kShort && running_.mode->method->dense(before_);
    pieces_.begin(running_, dense);
    StepResult whole =
        dense ? chatter_.take([&] { return running_.mode->method->advance(running_.state, rest); })
              : move(rest);
    total.iterations += whole.iterations;
    if (!whole.report.accepted()) {
      chatter_.blame(whole.report);
      total.report = std::move(whole.report);
      break;
    }
    if (whole.report.outcome == Outcome::marked) chatter_.blame(whole.report);
    forms::take(running_.state, late_);
    late_part_ = std::move(whole);
    double taken = late_.t - before_.t;
    const double whole_step = taken;
    if (!end_at_pulse(taken, dense, total)) break;
    const bool shortened = taken < whole_step;
    double by = happened(late_) ? taken : 0;
    if (dense && !shortened && taken > 0) {
      const double earlier = within(taken);
      if (earlier > 0 && earlier < taken && happened_by(earlier)) by = earlier;
    } else {
      by = dipped_by(by, taken);
    }
    if (by == 0) {
      merge(late_part_, total);
      if (in_parts) {
        if (Report report = chatter_.forecast(); !report.accepted()) {
          total.report = std::move(report);
          break;
        }
      }
      if (shortened || (in_parts && !own_size)) continue;
      chatter_.end();
      return total;
    }
    pieces_.lose_dense_output();
    if (!locate(by, total) || !handle(total)) break;
    if (total.ended || running_.state.t >= end) {
      chatter_.end();
      return total;
    }
  }
  if (total.report.accepted()) {
    total.report.outcome = Outcome::not_converged;
    total.report.message = fmt::format(
        "more than {} events within one step: a joint meets its stop and leaves it, or friction sticks and "
        "slips, "
        "without end; "
        "take a smaller step, or look at the forces that act there",
        kMostEvents);
  }
  running_.restore(start_);
  return total;
}

}  // namespace trammel::simulation
