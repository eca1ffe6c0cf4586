#include "simulation/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/rows/rows.h"
#include "mechanism/signals.h"
#include "simulation/impact.h"
#include "system/decisions.h"

namespace trammel::simulation {
namespace {

constexpr double kTime = 1e-10;    // s
constexpr double kBeyond = 1e-10;  // of what counts as one: above what a step leaves of a constraint
// How far beyond a limit a coordinate on its way back is not an impact: above what penalty leaves of the
// constraint that held it, below what a step could have passed unseen.
constexpr double kHair = 1e-6;
// An acceleration off the stop, per second squared of what counts as one, that is more than rounding.
constexpr double kOff = 1e-8;
constexpr int kMostEvents = 10000;
// Looks into one step, for it may lie next to a limit all along.
constexpr int kMostLooksIntoAStep = 300;
// Of what is left of a step after an event was seen: where the next look is.
constexpr double kFirstLook = 1e-6;
// A switch that is passed so often within one step goes back and forth. It is left alone for as many steps as
// a power of two, with one more each time, up to this one.
constexpr int kBackAndForth = 4, kLongestRest = 6;
// So long after a switch stood at its level exactly, as sign(v) does at rest, its side is known.
constexpr double kLeave = 1e-9;  // s
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
// By switch: for how many steps it is left alone, and the power of two of the last time.
constexpr MemorySlot kSwitches{"switches", Lifetime::run};
// Of a contact's force: beyond rounding, and safely inside its limits again.
constexpr double kRounding = 1e-12, kRegained = 1e-6;

Report failure(Outcome outcome, std::string message) {
  Report report;
  report.outcome = outcome;
  report.message = std::move(message);
  return report;
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
  return !m.stops.empty() || !m.stop_when.empty() || !switches_of(m).empty() ||
         std::any_of(m.joints.begin(), m.joints.end(), [](const Joint& j) { return j.friction.has_value(); });
}

Events::Events(Running& running, Pieces& pieces, Step step)
    : running_(running), pieces_(pieces), step_(std::move(step)), switches_(switches_of(running.mechanism)) {
  const Mechanism& m = running.mechanism;
  watched_.assign(2 * m.stops.size() + switches_.size() + (m.stop_when.empty() ? 0 : 1), 0);
  ranges_.resize(m.stops.size() + switches_.size());
  times_.resize(switches_.size());
  for (const EndStop& stop : m.stops) {
    const Joint* joint = m.joint(stop.joint);
    const bool length = joint && !mechanism::has_angle(m, *joint);
    scale_.push_back(length ? running.mode->system->length_scale() : 1);
  }
  for (const Joint& joint : m.joints)
    if (joint.friction) contacts_.push_back(&joint);
  if (!contacts_.empty()) running.state.remember(kContacts, contacts_.size());
}

void Events::read(const State& state) {
  running_.mode->system->watch(state, running_.mode->reader.index1().terms(), watched_);
}

// Free coordinates beyond a limit, at the state last read.
Events::Sides Events::met() const {
  const Holds holds = running_.holds();
  Sides sides(holds.size(), 0);
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const EndStop& stop = running_.mechanism.stops[k];
    const double margin = kBeyond * scale_[k];
    if (holds[k] != 0) continue;
    if (stop.lower && coordinate(k) < *stop.lower - margin) sides[k] = -1;
    if (stop.upper && coordinate(k) > *stop.upper + margin) sides[k] = 1;
    // On its way back from a hair's breadth: what a formulation left of the constraint that held it.
    const double past = sides[k] < 0   ? *stop.lower - coordinate(k)
                        : sides[k] > 0 ? coordinate(k) - *stop.upper
                                       : 0;
    if (sides[k] * speed(k) <= 0 && past <= kHair * scale_[k]) sides[k] = 0;
  }
  return sides;
}

bool Events::any_met() const {
  const Sides sides = met();
  return std::any_of(sides.begin(), sides.end(), [](int side) { return side != 0; });
}

// Whether the state last read lies on another side of it than the beginning of the step.
bool Events::passed(std::size_t k) const {
  const double w = watched_[watched_switch(k)];
  const Range& range = ranges_[scale_.size() + k];
  return switches_[k].acts() && (w < range.below || w >= range.above);
}

bool Events::any_passed() const {
  for (std::size_t k = 0; k < switches_.size(); ++k)
    if (passed(k)) return true;
  return false;
}

bool Events::rests(std::size_t k) const {
  const std::vector<double>* memory = running_.state.recall(kSwitches);
  return times_[k] >= kBackAndForth ||
         (memory != nullptr && memory->size() == 2 * switches_.size() && (*memory)[2 * k] > 0);
}

// Whether the branches are others than those that the State remembers. Of the state last read.
bool Events::decide() {
  std::vector<double>& all = running_.state.remember(system::kDecisions, 0);
  all.resize(switches_.size(), NAN);
  bool changed = false;
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    const double w = watched_[watched_switch(k)];
    Range now, then;
    switches_[k].cell(w, now.below, now.above);
    // At its level exactly it has a value of its own, which the next moment does not.
    const double decided = !switches_[k].acts() || rests(k) || w == now.below ? NAN : w;
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
    if (switches_[k].acts() && !rests(k) && w == now.below) return true;
  }
  return false;
}

// Chooses the branches of a step of size h from here.
Report Events::take_sides(double h) {
  read(running_.state);
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
  const bool first = running_.state.recall(system::kDecisions) == nullptr;
  const bool changed = decide();
  return left || (changed && !first) ? running_.start() : Report();
}

// Of the state last read, from which a step is to be taken.
void Events::set_ranges() {
  const Holds holds = running_.holds();
  for (std::size_t k = 0; k < holds.size(); ++k) {
    const EndStop& stop = running_.mechanism.stops[k];
    const double margin = kBeyond * scale_[k];
    const bool free = holds[k] == 0;
    ranges_[k] = {free && stop.lower ? *stop.lower - margin : -kNoLimit,
                  free && stop.upper ? *stop.upper + margin : kNoLimit};
  }
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    Range& range = ranges_[holds.size() + k] = {-kNoLimit, kNoLimit};
    if (!rests(k)) switches_[k].cell(watched_[watched_switch(k)], range.below, range.above);
  }
}

// At the end of an advance.
void Events::count_switching() {
  const bool any = std::any_of(times_.begin(), times_.end(), [](int times) { return times > 0; });
  if (!any && running_.state.recall(kSwitches) == nullptr) return;
  std::vector<double>& memory = running_.state.remember(kSwitches, 2 * switches_.size());
  memory.resize(2 * switches_.size());
  for (std::size_t k = 0; k < switches_.size(); ++k) {
    double &rest = memory[2 * k], &power = memory[2 * k + 1];
    if (times_[k] >= kBackAndForth) {
      power = std::min(power + 1, double{kLongestRest});
      rest = std::exp2(power);
    } else if (rest > 0) {
      --rest;
    } else if (times_[k] > 0) {
      power = 0;
    }
  }
}

// How far the state last read lies beyond what means nothing new; negative within. Where only stops and
// switches matter it is zero at the event.
double Events::beyond() const {
  double most = -kNoLimit;
  const auto see = [&](std::size_t range, std::size_t watched) {
    most =
        std::max({most, ranges_[range].below - watched_[watched], watched_[watched] - ranges_[range].above});
  };
  for (std::size_t k = 0; k < scale_.size(); ++k) see(k, watched_coordinate(k));
  for (std::size_t k = 0; k < switches_.size(); ++k)
    if (switches_[k].acts()) see(scale_.size() + k, watched_switch(k));
  return most;
}

// The stops that go on holding: those that would have to pull let go.
Holds Events::without_pull(const State& state) {
  Holds holds = running_.holds();
  if (std::all_of(holds.begin(), holds.end(), [](int side) { return side == 0; })) return holds;
  Mode& mode = *running_.mode;
  State s = state;
  if (!mode.reader.index1().accelerations(s).accepted()) return holds;
  const std::vector<double> mobility =
      formulations::effective_mobility(*mode.system, mode.reader.index1().terms());
  for (std::size_t k = 0; k < holds.size(); ++k) {
    if (holds[k] == 0) continue;
    const std::size_t row = stop_row(*mode.system, running_.mechanism.stops[k].name);
    // −λ pushes up from the lower limit, down from the upper
    const double pull = holds[k] < 0 ? s.lambda[row] : -s.lambda[row];
    const double compliance = formulations::row_compliance(mode.system->jacobian(),
                                                           mode.reader.index1().terms().Phi_v, row, mobility);
    if (pull * compliance > kOff * scale_[k]) holds[k] = 0;
  }
  return holds;
}

const std::vector<double>& Events::remembered() const { return *running_.state.recall(kContacts); }

// By contact: 0 holds, 1 would slip, 2 would lift off.
std::vector<double> Events::lost(const State& state, std::vector<Event>* events) {
  std::vector<double> now(contacts_.size(), 0);
  if (contacts_.empty()) return now;
  Mode& mode = *running_.mode;
  State s = state;
  if (!mode.reader.index1().accelerations(s).accepted()) return remembered();
  const std::vector<system::Wrench> wrenches = mode.system->reactions(s, mode.reader.index1().terms());
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    for (const system::Wrench& w : wrenches) {
      if (w.joint != contacts_[k]->name) continue;
      const Vec3 normal = w.axes.col(running_.mechanism.is_planar ? 1 : 2);
      const double push = w.force.dot(normal), needed = (w.force - push * normal).norm();
      // A contact that is lost is regained a little inside its limit, so that rounding does not decide.
      const double margin = remembered()[k] != 0 ? -kRegained : kRounding;
      if (needed > *contacts_[k]->friction * std::max(push, 0.0) + margin * w.force.norm()) now[k] = 1;
      if (push < -margin * w.force.norm()) now[k] = 2;
      if (events && now[k] != remembered()[k])
        events->push_back({state.t,
                           now[k] == 0   ? Event::Kind::grip
                           : now[k] == 1 ? Event::Kind::slip
                                         : Event::Kind::lift,
                           w.joint, push, needed, 0, 0});
    }
  return now;
}

bool Events::happened(const State& state) {
  read(state);
  return ends() || any_met() || any_passed() || without_pull(state) != running_.holds() ||
         (!contacts_.empty() && lost(state, nullptr) != remembered());
}

// A time within a step at which a coordinate may have been beyond a limit although it is not at the ends:
// where the cubic through values and speeds at the ends turns, if it turns beyond; else 0.
double Events::dip(const State& from, const State& to, double h) {
  read(from);
  const std::vector<double> first = watched_;
  read(to);
  const Holds holds = running_.holds();
  for (std::size_t k = 0; k < holds.size(); ++k) {
    if (holds[k] != 0) continue;
    const double s0 = first[watched_coordinate(k)], v0 = h * first[watched_speed(k)];
    const double s1 = coordinate(k), v1 = h * speed(k);
    if (v0 * v1 >= 0) continue;
    // s(θ) = s0 + v0 θ + b θ² + a θ³
    const double a = v0 + v1 - 2 * (s1 - s0), b = 3 * (s1 - s0) - 2 * v0 - v1;
    const double root = std::sqrt(std::max(0.0, b * b - 3 * a * v0));
    for (const double theta : {(-b + root) / (3 * a), (-b - root) / (3 * a), -v0 / (2 * b)}) {
      if (!(theta > 0 && theta < 1)) continue;
      const double s = s0 + theta * (v0 + theta * (b + theta * a));
      const EndStop& stop = running_.mechanism.stops[k];
      if ((stop.lower && s < *stop.lower) || (stop.upper && s > *stop.upper)) return theta * h;
    }
  }
  return 0;
}

// At a time within the dense step that was taken from before_.
Events::Look Events::look(double at) {
  ++looks_;
  State state = before_;
  if (!running_.mode->method
           ->between(before_.t + at, state, switches_.empty() ? Wanted::positions : Wanted::all)
           .report.accepted())
    return {at, std::vector<double>(watched_.size(), NAN)};
  read(state);
  return {at, watched_};
}

// Whether every watched value stays in its range, from looks at equal distances.
bool Events::clear(const Look& a, const Look& q, const Look& m, const Look& r, const Look& b) const {
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    const auto [below, above] = ranges_[k];
    if (below == -kNoLimit && above == kNoLimit) continue;
    const std::size_t at = k < scale_.size() ? watched_coordinate(k) : watched_switch(k - scale_.size());
    const double start = a.values[at], middle = m.values[at], end = b.values[at];
    // p(θ) = start + θ slope + θ² bend
    const double slope = 4 * middle - 3 * start - end, bend = 2 * (start + end) - 4 * middle;
    const auto parabola = [&](double theta) { return start + theta * (slope + theta * bend); };
    const double error =
        2 * std::max(std::abs(q.values[at] - parabola(0.25)), std::abs(r.values[at] - parabola(0.75)));
    const double turn = bend == 0 ? 0.0 : std::clamp(-slope / (2 * bend), 0.0, 1.0);
    const auto [least, most] = std::minmax({start, middle, end, parabola(turn)});
    if (!(least - error > below && most + error < above)) return false;
  }
  return true;
}

bool Events::seen(const Look& one) {
  watched_ = one.values;
  return ends() || any_met() || any_passed();
}

double Events::search(const Look& a, const Look& m, const Look& b) {
  if (looks_ > kMostLooksIntoAStep || b.at - a.at < kTime) return 0;
  const Look q = look(0.5 * (a.at + m.at)), r = look(0.5 * (m.at + b.at));
  if (clear(a, q, m, r, b)) return 0;
  if (const double by = search(a, q, m); by > 0) return by;
  if (seen(m)) return m.at;
  if (const double by = search(m, r, b); by > 0) return by;
  return seen(b) ? b.at : 0;
}

// The step will be repeated up to the time found, and its error must not decide on what is seen there: so
// that is a time after `by` where the motion is well beyond, before it comes back.
double Events::deepest(double by, double h) {
  double deep = by, most = beyond();
  for (double later = std::max(kTime, kFirstLook * (h - by)); by + later < h; later *= 2) {
    if (!seen(look(by + later))) break;
    if (beyond() < most) break;
    most = beyond();
    deep = by + later;
  }
  return deep;
}

// A time within the dense step by which something may have happened; 0: there is none.
double Events::within(double h) {
  if (std::all_of(ranges_.begin(), ranges_.end(),
                  [](const Range& range) { return range.below == -kNoLimit && range.above == kNoLimit; }))
    return 0;
  looks_ = 0;
  read(before_);
  const Look first{0, watched_};
  read(late_);
  const Look last{h, watched_};
  const double by = search(first, look(0.5 * h), last);
  return by > 0 ? deepest(by, h) : 0;
}

StepResult Events::move(double h) { return h >= kShort ? step_(h) : running_.creep(h); }

// From `before_`, brackets the first event between the states `early_` and `late_`; h: a time by which
// something has happened. By the Illinois rule (Dowell & Jarratt, 1971) where stops and switches alone
// matter, else by halves.
bool Events::locate(double h, StepResult& total) {
  double low = 0, high = h;
  early_ = before_;
  early_part_ = {};
  early_part_.steps = 0;
  read(before_);
  double at_low = beyond();
  read(late_);
  double at_high = beyond();
  int side = 0;  // of the last trial, which was kept
  // No closer than two units of round-off in t.
  const double close = std::max(kTime, 4e-16 * std::abs(before_.t + h));
  for (int count = 0; high - low > close; ++count) {
    double trial = 0.5 * (low + high);
    if (count % 4 != 3 && at_low < 0 && at_high > 0 && std::isfinite(at_low))
      trial =
          std::clamp(low + (high - low) * at_low / (at_low - at_high), low + 0.5 * close, high - 0.5 * close);
    running_.restore(before_);
    StepResult one = move(trial);
    total.iterations += one.iterations;
    if (!one.report.accepted()) {
      total.report = one.report;
      return false;
    }
    if (happened(running_.state)) {
      high = trial;
      at_high = beyond();
      if (side > 0) at_low *= 0.5;
      side = 1;
      late_ = running_.state;
      late_part_ = std::move(one);
    } else {
      low = trial;
      at_low = beyond();
      if (side < 0) at_high *= 0.5;
      side = -1;
      early_ = running_.state;
      early_part_ = std::move(one);
    }
  }
  return true;
}

bool Events::handle(StepResult& total) {
  running_.restore(late_);
  read(late_);
  const Sides sides = met();
  const Holds holds = without_pull(late_);
  const bool ended = ends();
  const bool impact = std::any_of(sides.begin(), sides.end(), [](int side) { return side != 0; });
  merge(impact ? early_part_ : late_part_, total);
  Report report;
  if (impact) {
    running_.restore(early_);
    report = Impact(running_, sides, scale_).strike(total.events);
  } else if (holds != running_.holds()) {
    for (std::size_t k = 0; k < holds.size(); ++k)
      if (holds[k] != running_.holds()[k])
        total.events.push_back({late_.t, Event::Kind::release, running_.mechanism.stops[k].name, 0, 0, 0, 0});
    // What the formulation has left of the constraint goes before it does.
    double left = 0;
    report = running_.mode->reader.projector().positions(running_.state);
    if (report.accepted()) report = running_.mode->reader.projector().velocities(running_.state, left);
    running_.hold(holds);
    if (report.accepted()) report = running_.start();
  } else if (ended) {
    total.events.push_back({late_.t, Event::Kind::stop, running_.mechanism.stop_when, 0, 0, 0, 0});
    total.ended = true;
  } else if (any_passed()) {
    for (std::size_t k = 0; k < switches_.size(); ++k)
      if (passed(k)) ++times_[k];
  } else if (!contacts_.empty()) {
    const std::vector<double> now = lost(late_, &total.events);
    for (std::size_t k = 0; k < now.size(); ++k)
      total.ended = total.ended || (now[k] != 0 && contacts_[k]->ends_run && now[k] != remembered()[k]);
    running_.state.remember(kContacts, now.size()) = now;
  }
  if (!report.accepted()) total.report = std::move(report);
  return total.report.accepted();
}

// Looks into the step; the state is again its end when nothing had happened.
bool Events::happened_by(double h) {
  pieces_.lose_dense_output();
  running_.restore(before_);
  StepResult probe = move(h);
  if (!probe.report.accepted() || !happened(running_.state)) {
    running_.restore(late_);
    return false;
  }
  late_ = running_.state;
  late_part_ = std::move(probe);
  return true;
}

// A step of an implicit rule cannot settle where a force has no branch.
void Events::blame_switches(Report& report) const {
  for (std::size_t k = 0; k < switches_.size(); ++k)
    if (switches_[k].acts() && rests(k))
      report.message = fmt::format(
          "'{}' jumps back and forth, as sign(v) does where dry friction should stick; smooth_sign(v, width) "
          "does not",
          switches_[k].watched.text);
}

bool Events::need_landings() const {
  const bool compared =
      std::any_of(switches_.begin(), switches_.end(), [](const Switch& s) { return !s.acts(); });
  return (!running_.mechanism.stop_when.empty() && !compared) || !contacts_.empty();
}

StepResult Events::advance(double h, bool own_size) {
  StepResult total;
  total.steps = 0;
  const State start = running_.state;
  const double end = start.t + h;
  pieces_.clear();
  std::fill(times_.begin(), times_.end(), 0);
  for (int count = 0; count < kMostEvents; ++count) {
    if (Report report = take_sides(end - running_.state.t); !report.accepted()) {
      total.report = std::move(report);
      break;
    }
    before_ = running_.state;
    set_ranges();
    const double rest = end - before_.t;
    const bool dense = own_size && rest >= kShort && running_.mode->method->dense(before_);
    pieces_.begin(running_, dense);
    StepResult whole = dense ? running_.mode->method->advance(running_.state, rest) : move(rest);
    total.iterations += whole.iterations;
    if (!whole.report.accepted()) {
      total.report = std::move(whole.report);
      break;
    }
    if (whole.report.outcome == Outcome::marked) blame_switches(whole.report);
    late_ = running_.state;
    late_part_ = std::move(whole);
    const double taken = late_.t - before_.t;
    double by = happened(late_) ? taken : 0;
    if (dense && taken > 0) {
      const double earlier = within(taken);
      if (earlier > 0 && earlier < taken && happened_by(earlier)) by = earlier;
    } else if (by == 0) {
      by = dip(before_, late_, taken);
      if (by > 0 && !happened_by(by)) by = 0;
    }
    if (by == 0) {
      merge(late_part_, total);
      count_switching();
      return total;
    }
    pieces_.lose_dense_output();
    if (!locate(by, total) || !handle(total)) break;
    if (total.ended || running_.state.t >= end) {
      count_switching();
      return total;
    }
  }
  if (total.report.accepted())
    total.report =
        failure(Outcome::not_converged,
                fmt::format("more than {} events within one step: a joint meets its stop and leaves it "
                            "without end; take a smaller step, or look at the forces that act there",
                            kMostEvents));
  running_.restore(start);
  return total;
}

Report Events::start() {
  read(running_.state);
  const std::vector<EndStop>& stops = running_.mechanism.stops;
  for (std::size_t k = 0; k < stops.size(); ++k) {
    const bool low = stops[k].lower && coordinate(k) < *stops[k].lower - kBeyond * scale_[k];
    const bool high = stops[k].upper && coordinate(k) > *stops[k].upper + kBeyond * scale_[k];
    if (low || high)
      return failure(
          Outcome::refused,
          fmt::format("'{}' starts at {:.6g}, beyond the {} limit of its stop '{}'; place it between "
                      "the limits, or move them",
                      stops[k].joint, coordinate(k), low ? "lower" : "upper", stops[k].name));
  }
  if (ends())
    return failure(Outcome::refused,
                   fmt::format("the condition that ends the run, '{}', holds from the start",
                               running_.mechanism.stop_when));
  return {};
}

}  // namespace trammel::simulation
