// Events: where in a step they are.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "forms/take_state.h"
#include "simulation/events.h"
#include "simulation/step_cubic.h"
#include "system/decisions.h"

namespace trammel::simulation {
namespace {

// To which the time of an event is known: where a watched value passes a bound, and other conditions.
constexpr double kPassing = 1e-14, kTime = 1e-10;  // s
// Looks into one step, for it may lie next to a limit all along.
constexpr int kMostLooksIntoAStep = 300;
// Of what is left of a step after an event was seen: where the next look is.
constexpr double kFirstLook = 1e-6;
constexpr double kNoBound = std::numeric_limits<double>::infinity();
// Of a step: how far from its ends values are read for central differences.
constexpr double kAside = 1e-3;
// The same for the one-sided differences of cubics: they err by half of this part of the next derivative, far
// below what a cubic errs by, and above the rounding of values.
constexpr double kLittleAside = 1e-5;

// Whether what acts is the same at two states: their motions, and on which branch it is.
bool is_same(const State& a, const State& b) {
  const std::vector<double>*one = a.recall(system::kDecisions), *other = b.recall(system::kDecisions);
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.t == b.t && a.q == b.q && a.v == b.v && a.a == b.a && a.x == b.x && a.inputs == b.inputs &&
         (one == nullptr) == (other == nullptr) && (one == nullptr || std::ranges::equal(*one, *other, same));
}

}  // namespace

// Reads watched values at one end of a step of length h, unless they are those last read, and by how much
// they would change in the step at their rates there: by one-sided differences over kLittleAside of the step.
// Speeds of stops are watched themselves.
void Events::read_rates(const State& at, double h, bool is_read, Rates& out) {
  forms::take(at, out.at);
  out.h = h;
  if (!is_read) read(at);
  out.values = watched_;
  out.changes.assign(watched_.size(), 0.0);
  if (std::any_of(ranges_.begin() + static_cast<std::ptrdiff_t>(scale_.size()), ranges_.end(), is_bound)) {
    if (!at.x.empty()) first_ = state_rates(at);
    second_.assign(at.x.size(), 0.0);
    jerk_.assign(at.v.size(), 0.0);
    go_aside(at, kLittleAside * h);
    read(aside_);
    for (std::size_t k = 0; k < out.changes.size(); ++k)
      out.changes[k] = (watched_[k] - out.values[k]) / kLittleAside;
  }
  for (std::size_t k = 0; k < scale_.size(); ++k)
    out.changes[watched_coordinate(k)] = h * out.values[watched_speed(k)];
}

// Times within a step that no dense output tells of, in order, at which something may have happened although
// it has not at the end, which was read last: by the cubics of watched values, where one turns beyond its
// range, and between the times at which comparisons of the condition that ends the run change.
const std::vector<double>& Events::dips(double h) {
  dips_.clear();
  if (h < kShort || std::ranges::none_of(ranges_, is_bound)) return dips_;
  std::swap(first_rates_, last_rates_);
  read_rates(late_, h, true, last_rates_);
  // The end of the last step, of the same length, is the beginning of this one.
  if (first_rates_.h != h || !is_same(first_rates_.at, before_)) read_rates(before_, h, false, first_rates_);
  changes_.clear();
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    if (!is_bound(ranges_[k])) continue;
    const auto [below, above] = ranges_[k];
    const std::size_t at = watched_by_range(k);
    const StepCubic way(first_rates_.values[at], first_rates_.changes[at], last_rates_.values[at],
                        last_rates_.changes[at]);
    if (is_switch(k) && !switches_[k - scale_.size()].acts()) {
      for (const double bound : {below, above})
        if (std::isfinite(bound))
          for (const double theta : way.passes(bound)) changes_.push_back(theta);
      continue;
    }
    for (const double theta : way.turns())
      if (way.at(theta) < below || way.at(theta) > above) dips_.push_back(theta * h);
  }
  std::ranges::sort(changes_);
  for (std::size_t k = 1; k < changes_.size(); ++k)
    dips_.push_back(0.5 * (changes_[k - 1] + changes_[k]) * h);
  std::ranges::sort(dips_);
  return dips_;
}

// By what time something has happened within the step, whose end is `late_`; `by`: what is known, or 0.
double Events::dipped_by(double by, double h) {
  for (const double dip : dips(h))
    if ((by == 0 || dip < by) && happened_by(dip)) return dip;
  return by;
}

// At a time within the dense step that was taken from before_.
Events::Look Events::look(double at) {
  ++looks_;
  State state = before_;
  const bool positions_alone = switches_.empty() && functions_.empty() && stiction_.none() && !any_holds();
  const Wanted wanted = positions_alone ? Wanted::positions : Wanted::all;
  if (!running_.mode->method->between(before_.t + at, state, wanted).report.accepted())
    return {at, std::vector<double>(watched_.size(), NAN), std::vector<double>(functions_.size(), NAN),
            std::vector<double>(scale_.size() + stiction_.size(), NAN)};
  read(state);
  return {at, watched_, values_, pulls(state)};
}

namespace {

// Whether a value stays between two bounds, from looks at equal distances: a parabola through three of them,
// that errs by twice what the other two show.
bool stays_between(double below, double above, const std::array<double, 5>& at) {
  const auto [start, first, middle, last, end] = at;
  // p(θ) = start + θ slope + θ² bend
  const double slope = 4 * middle - 3 * start - end, bend = 2 * (start + end) - 4 * middle;
  const auto parabola = [&, start = start](double theta) { return start + theta * (slope + theta * bend); };
  const double error = 2 * std::max(std::abs(first - parabola(0.25)), std::abs(last - parabola(0.75)));
  const double turn = bend == 0 ? 0.0 : std::clamp(-slope / (2 * bend), 0.0, 1.0);
  const auto [least, most] = std::minmax({start, middle, end, parabola(turn)});
  return least - error > below && most + error < above;
}

}  // namespace

// Whether every watched value stays in its range and no stop that holds would have to pull.
bool Events::clear(const Look& a, const Look& q, const Look& m, const Look& r, const Look& b) const {
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    const auto [below, above] = ranges_[k];
    if (!is_bound(ranges_[k])) continue;
    const std::size_t at = watched_by_range(k);
    if (!stays_between(below, above, {a.values[at], q.values[at], m.values[at], r.values[at], b.values[at]}))
      return false;
  }
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    const auto [below, above] = function_ranges_[k];
    if (!is_bound(function_ranges_[k])) continue;
    if (!stays_between(below, above,
                       {a.functions[k], q.functions[k], m.functions[k], r.functions[k], b.functions[k]}))
      return false;
  }
  for (std::size_t k = 0; k < m.pulls.size(); ++k)
    if (m.pulls[k] != -kNoBound &&
        !stays_between(-kNoBound, 0, {a.pulls[k], q.pulls[k], m.pulls[k], r.pulls[k], b.pulls[k]}))
      return false;
  return true;
}

bool Events::seen(const Look& one) {
  watched_ = one.values;
  values_ = one.functions;
  return ends() || any_met() || any_passed() || any_crossed() || any_turned() ||
         std::any_of(one.pulls.begin(), one.pulls.end(), [](double pull) { return pull > 0; });
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
  if (!any_holds() && !stiction_.any_stuck() && std::ranges::none_of(ranges_, is_bound) &&
      std::ranges::none_of(function_ranges_, is_bound))
    return 0;
  looks_ = 0;
  read(before_);
  const Look first{0, watched_, values_, pulls(before_)};
  read(late_);
  const Look last{h, watched_, values_, pulls(late_)};
  const double by = search(first, look(0.5 * h), last);
  return by > 0 ? deepest(by, h) : 0;
}

void Events::read_signals(const State& state, std::vector<double>& values) {
  read(state);
  const auto first = watched_.begin() + static_cast<std::ptrdiff_t>(watched_signal(0));
  values.assign(first, first + static_cast<std::ptrdiff_t>(passages_.signals().size()));
}

// The rates of auxiliary states.
const std::vector<double>& Events::state_rates(const State& state) {
  Mode& mode = *running_.mode;
  system::Terms& terms = mode.reader.scratch();
  mode.system->evaluate(state, system::kAskForces, terms);
  return terms.x_dot;
}

// The derivatives of auxiliary states at a state, for go_aside.
void Events::derive_states(const State& at, double aside) {
  jerk_.assign(at.v.size(), 0.0);
  second_.assign(at.x.size(), 0.0);
  if (at.x.empty()) return;
  first_ = state_rates(at);
  go_aside(at, aside);
  rates_after_ = state_rates(aside_);
  go_aside(at, -aside);
  const std::vector<double>& before = state_rates(aside_);
  for (std::size_t i = 0; i < second_.size(); ++i) second_[i] = (rates_after_[i] - before[i]) / (2 * aside);
}

// The rates of the accelerations at a state, for go_aside; zero if one of these is not known.
void Events::derive_accelerations(const State& at, double aside) {
  formulations::Index1Solver& index1 = running_.mode->reader.index1();
  go_aside(at, aside);
  if (!index1.accelerations(aside_).accepted()) return;
  rates_after_ = aside_.a;
  go_aside(at, -aside);
  if (!index1.accelerations(aside_).accepted()) return;
  for (std::size_t i = 0; i < jerk_.size(); ++i) jerk_[i] = (rates_after_[i] - aside_.a[i]) / (2 * aside);
}

// Takes `aside_` by so much time from a state: by its accelerations, their rates `jerk_`, and the derivatives
// `first_` and `second_` of auxiliary states.
void Events::go_aside(const State& at, double by) {
  forms::take(at, aside_);
  way_.resize(at.v.size());
  for (std::size_t i = 0; i < at.v.size(); ++i) {
    way_[i] = by * (at.v[i] + 0.5 * by * (at.a[i] + by / 3 * jerk_[i]));
    aside_.v[i] += by * (at.a[i] + 0.5 * by * jerk_[i]);
  }
  running_.mode->system->retract(aside_.q, way_);
  for (std::size_t i = 0; i < at.x.size(); ++i) aside_.x[i] += by * (first_[i] + 0.5 * by * second_[i]);
  aside_.t += by;
}

// The signals of smooth pulses at one end of the last step, and their derivatives by central differences over
// this part of its length: they err by 1e-6 of what the next derivatives change in the step.
void Events::read_end(const State& at, double h, bool has_jerk, Passages::End& end) {
  const double aside = kAside * h;
  end.t = at.t;
  end.signals.resize(passages_.signals().size());
  read_signals(at, signals_);
  derive_states(at, aside);
  if (has_jerk) derive_accelerations(at, aside);
  go_aside(at, aside);
  read_signals(aside_, signals_after_);
  go_aside(at, -aside);
  read_signals(aside_, signals_before_);
  for (std::size_t k = 0; k < end.signals.size(); ++k) {
    const double s = signals_[k], after = signals_after_[k] - s, before = signals_before_[k] - s;
    end.signals[k] = {s, (after - before) / (2 * aside)};
    if (passages_.has_second(k, has_jerk)) end.signals[k].second = (after + before) / (aside * aside);
  }
}

// Where the step of length h from `before_` to `late_` has to end because of a pulse; 0: it has none.
// With dense output the accelerations are those of the motion; others may err as much as a step does, which
// their derivatives would tell many times over.
double Events::pulse_within(double h, bool dense) {
  if (passages_.signals().empty() || h < kShort) return 0;
  const bool has_jerk = dense && passages_.any_rates();
  read_end(before_, h, has_jerk, first_end_);
  read_end(late_, h, has_jerk, last_end_);
  const double part = passages_.within(first_end_, last_end_);
  // The rest of the step is worth a step of its own.
  return part >= kShort && h - part >= kShort ? part : 0;
}

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
  const auto passes = [&] { return at_low < 0 && at_high > 0 && std::isfinite(at_low); };
  // No closer than two units of round-off in t.
  const double close = std::max(passes() ? kPassing : kTime, 4e-16 * std::abs(before_.t + h));
  for (int count = 0; high - low > close; ++count) {
    double trial = 0.5 * (low + high);
    if (count % 4 != 3 && passes())
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

// An impact is noticed a hair beyond the limit. `early_` goes to the limit itself: on a short way back and
// forth that hair would make each of its ways longer.
void Events::go_to_limit(const Sides& sides) {
  read(early_);
  double back = -kNoBound;  // s, to the first limit
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const EndStop& stop = running_.mechanism.stops[k];
    if (sides[k] * speed(k) > 0)
      back = std::max(back, (coordinate(k) - (sides[k] < 0 ? *stop.lower : *stop.upper)) / speed(k));
  }
  go_back(back);
}

// So it is with friction, which is noticed to have passed zero speed a hair beyond it.
void Events::go_to_zero_speed() {
  State solved = early_;
  running_.restore(early_);
  read(early_);
  if (running_.mode->reader.index1().accelerations(solved).accepted())
    go_back(stiction_.since_zero(solved, watched_));
}

// Moves `early_` back by so many seconds, if that is after `before_`.
void Events::go_back(double back) {
  const double from_before = early_.t - before_.t;
  if (!(back > 0 && back < from_before)) return;
  running_.restore(before_);
  StepResult one = move(from_before - back);
  if (!one.report.accepted()) return;
  early_ = running_.state;
  early_part_ = std::move(one);
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

}  // namespace trammel::simulation
