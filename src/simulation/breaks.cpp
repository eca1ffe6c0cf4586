#include "simulation/breaks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "mechanism/acting_expressions.h"
#include "mechanism/signals.h"

namespace trammel::simulation {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A search looks at this many pieces of its stretch at least, and into no piece shorter than this part of it.
constexpr int kPieces = 61;
constexpr double kShortest = 1e-9;
// Evaluations of one search; the rest of the stretch is left to the next.
constexpr int kMostLooks = 20000;
// By crossing that is searched: from, to, found (infinite: nothing).
constexpr MemorySlot kSearched{"breaks searched", Lifetime::run};
constexpr std::size_t kOfSearch = 3;
// By function of time: a course.
constexpr MemorySlot kCourses{"peaks searched", Lifetime::run};
using Bits = std::array<double, sizeof(Peaks::Course) / sizeof(double)>;

}  // namespace

Breaks::Breaks(const Mechanism& mechanism, const Samples& samples) : samples_(samples) {
  const auto symbols = mechanism::make_symbols(mechanism);
  std::vector<mechanism::ActingExpression> all = mechanism::acting_expressions(mechanism);
  if (!mechanism.stop_when.empty()) all.push_back({mechanism.stop_when, {}});
  for (const auto& [text, owner] : all) {
    const auto parsed = expressions::Expression::parse(text, *symbols);
    const auto* e = std::get_if<expressions::Expression>(&parsed);
    if (e == nullptr) continue;  // the System says what is wrong with it
    scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(e->scratch_size())));
    const std::vector<expressions::Tape::Crossing> crossings = e->crossings(0);
    for (std::size_t k = 0; k < crossings.size(); ++k) {
      if (!crossings[k].alone) continue;
      watched_.push_back({*e, crossings[k]});
      if (crossings[k].affine) continue;
      ++searches_;
      // Its w may meet a level for a moment only.
      for (expressions::Expression& part : e->crossing_argument(static_cast<int>(k)).parts(0))
        peaks_.emplace_back(std::move(part));
    }
    for (expressions::Expression& part : e->parts(0)) peaks_.emplace_back(std::move(part));
  }
  // Parsing makes symbols of the names that it meets.
  signals_.assign(static_cast<std::size_t>(symbols->size()), 0.0);
}

Breaks::Place Breaks::at(const Watched& watched, double t) {
  signals_[0] = t;
  Place place{t, watched.of.crossing_value(watched.crossing, signals_, 0, scratch_), -kInfinity, kInfinity};
  watched.of.levels_around(watched.crossing, place.w.f, place.below, place.above);
  return place;
}

// w = w(t) + slope (s − t)
double Breaks::on_line(const Watched& watched, double t) {
  const Place here = at(watched, t);
  const double slope = here.w.fd;
  if (slope == 0 || !std::isfinite(slope)) return kInfinity;
  // The level ahead; the one after it where this one is behind by rounding only.
  double level = slope > 0 ? here.above : here.below;
  for (int k = 0; k < 2; ++k) {
    if (!std::isfinite(level)) return kInfinity;
    const double s = t + (level - here.w.f) / slope;
    if (s > passed(t)) return s;
    double below = -kInfinity, above = kInfinity;
    const double beyond = std::nextafter(level, slope > 0 ? kInfinity : -kInfinity);
    watched.of.levels_around(watched.crossing, beyond, below, above);
    level = slope > 0 ? above : below;
  }
  return kInfinity;
}

Breaks::Next Breaks::search(const Watched& watched, const Searched& searched, double t, double until) {
  auto& [from, to, found] = searched;
  if (t < from || t > to) from = to = t, found = kInfinity;
  if (found < kInfinity && found > passed(t)) return {found, true};
  if (found <= passed(t)) to = std::max(to, t);
  found = kInfinity;
  const double start = std::max(t, to);
  if (!(until > start)) return {kInfinity, false};

  const double shortest = kShortest * (until - start);
  // At t = 0 rounding has no size of its own.
  const auto close = [&](double there) { return 0.5 * kRounding * std::max(std::abs(there), shortest); };
  ahead_.clear();
  for (int k = kPieces; k > 0; --k) ahead_.push_back(at(watched, start + (until - start) * k / kPieces));
  Place here = at(watched, start);
  int looks = kPieces;
  while (!ahead_.empty()) {
    const Place there = ahead_.back();
    const double h = there.t - here.t;
    const bool same = here.below == there.below && here.above == there.above;
    const Place middle = at(watched, here.t + 0.5 * h);
    ++looks;
    const double curvature =
        2 * std::max({std::abs(here.w.fdd), std::abs(middle.w.fdd), std::abs(there.w.fdd)});
    const double room = std::min(
        {here.w.f - here.below, here.above - here.w.f, there.w.f - here.below, here.above - there.w.f});
    const bool within = middle.below == here.below && middle.above == here.above;
    // Without curvature it may also rest on the level.
    if (same && within && curvature * h * h / 8 <= room) {
      here = there;
      ahead_.pop_back();
    } else if (h <= (same ? shortest : close(there.t))) {
      if (!same && there.t > passed(t)) {
        to = found = there.t;
        return {there.t, true};
      }
      here = there;
      ahead_.pop_back();
    } else if (looks > kMostLooks) {
      // A search comes further than it began.
      if (here.t > passed(t)) break;
      here = there;
      ahead_.pop_back();
    } else {
      ahead_.push_back(middle);
    }
  }
  to = here.t;
  return {here.t < until ? here.t : kInfinity, false};
}

Breaks::Next Breaks::break_after(State& state, double until) {
  Next next;
  double* memory = nullptr;
  if (searches_ > 0) {
    std::vector<double>& all = state.remember(kSearched, 0);
    for (std::size_t k = all.size() / kOfSearch; k < searches_; ++k) all.insert(all.end(), {0, 0, kInfinity});
    memory = all.data();
  }
  for (const Watched& watched : watched_) {
    Next one;
    if (watched.crossing.affine) {
      one = {on_line(watched, state.t), true};
    } else {
      one = search(watched, {memory[0], memory[1], memory[2]}, state.t, until);
      memory += kOfSearch;
    }
    if (one.t <= until && one.t < next.t) next = one;
  }
  return next;
}

Breaks::Next Breaks::peak_after(State& state, double until, double step) {
  Next next;
  if (peaks_.empty()) return next;
  std::vector<double>& all = state.remember(kCourses, 0);
  const std::size_t known = all.size() / Bits().size();
  all.resize(peaks_.size() * Bits().size());
  for (std::size_t k = 0; k < peaks_.size(); ++k) {
    Bits bits;
    const auto memory = all.begin() + static_cast<std::ptrdiff_t>(k * bits.size());
    std::copy_n(memory, bits.size(), bits.begin());
    Peaks::Course course = k < known ? std::bit_cast<Peaks::Course>(bits) : Peaks::Course();
    const double t = peaks_[k].after(state.t, until, step, course);
    bits = std::bit_cast<Bits>(course);
    std::copy(bits.begin(), bits.end(), memory);
    if (t <= until && t < next.t) next = {t, false};
  }
  return next;
}

Breaks::Next Breaks::sample_after(double t, double until) const {
  if (samples_.every == 0) return {};
  double n = std::floor((t - samples_.first) / samples_.every);
  while (samples_.first + n * samples_.every <= passed(t)) ++n;
  const double next = samples_.first + n * samples_.every;
  return next <= until ? Next{next, true} : Next();
}

bool Breaks::is_sample(double t) const {
  if (samples_.every == 0) return false;
  const double n = std::round((t - samples_.first) / samples_.every);
  return std::abs(samples_.first + n * samples_.every - t) <= passed(std::abs(t)) - std::abs(t);
}

Breaks::Next Breaks::after(State& state, double until, double step) {
  Next next;
  for (const Next& one :
       {break_after(state, until), sample_after(state.t, until), peak_after(state, until, step)})
    if (one.t < next.t) next = one;
  return next;
}

}  // namespace trammel::simulation
