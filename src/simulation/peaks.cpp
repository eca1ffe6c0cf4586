#include "simulation/peaks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulation/breaks.h"

namespace trammel::simulation {
namespace {

using expressions::Enclosure;
using expressions::Interval;

constexpr double kNever = std::numeric_limits<double>::infinity();
// A search begins with so many pieces of its stretch, and divides none that is shorter than this part of it.
constexpr int kFirstPieces = 16;
constexpr double kShortestPiece = 1e-13;
// Pieces of one search; the rest of the stretch is left to the next. A function of which so many pieces do
// not cover this part of the stretch cannot be searched.
constexpr int kMostPieces = 20000;
constexpr double kLeastProgress = 1e-3;
// Steps of fixed length that are searched at once.
constexpr double kStepsAhead = 64;
// A change by less than this part of the function's range, or of the way to a peak, is rest.
constexpr double kRest = 1e-6;
constexpr int kHalvingsOfWay = 30;
// Ways of less than this part of the range are no peaks: rest hides most of them.
constexpr double kLeastWay = 30 * kRest;
// A peak is narrow by these parts of the time, of a step, and of the way.
constexpr double kOfTime = 0.25, kOfStep = 0.5, kOfWay = 0.3;
// The stages of a step see what takes an eighth of it: it counts as steps a quarter as long.
constexpr double kOfPassage = 0.25;
// A peak beside a path matters if it exceeds this part of the largest value near the path; a lower one
// changes the motion little and is left to the error control. If so many pieces find none, the search ends.
constexpr double kSlight = 0.05;
constexpr int kMostPiecesBeside = 2000;
// A step that begins so early on the way to a peak, as one that follows another to there, ends at the peak.
constexpr double kOnTheWay = 0.1;

}  // namespace

double Peaks::Course::next(double passed) const { return begins > passed ? begins : peak; }

bool Peaks::Course::rests(double change) const { return !(std::abs(change) > kRest * range); }

Peaks::Peaks(expressions::Expression of)
    : of_(std::move(of)),
      signals_(static_cast<std::size_t>(of_.slots().back()) + 1, 0.0),
      scratch_(static_cast<std::size_t>(of_.scratch_size())) {
  // A piece is halved until it is as short as the shortest.
  ahead_.reserve(static_cast<std::size_t>(kFirstPieces - std::log2(kShortestPiece)));
}

void Peaks::follow_path(int slot, const SignalPath& path) {
  paths_.resize(signals_.size());
  paths_[static_cast<std::size_t>(slot)] = path;
}

double Peaks::value(double t) {
  for (std::size_t k = 1; k < paths_.size(); ++k) signals_[k] = paths_[k].at(t);
  signals_[0] = t;
  return of_.value(signals_, scratch_);
}

Enclosure Peaks::over(double from, double to, bool beside) {
  enclosures_.clear();
  for (const int slot : of_.slots()) {
    const auto k = static_cast<std::size_t>(slot);
    if (slot == 0) {
      enclosures_.push_back({{from, to}, Interval::one(beside ? 0 : 1)});
    } else if (k >= paths_.size()) {
      enclosures_.push_back({{}, {0, 0}});
    } else {
      Enclosure e = paths_[k].over(from, to);
      if (beside) e = {{e.f.lo - paths_[k].bend(), e.f.hi + paths_[k].bend()}, {0, 0}};
      enclosures_.push_back(e);
    }
  }
  return of_.enclosure(enclosures_);
}

bool Peaks::is_monotonic(double from, double to) {
  const Interval slope = over(from, to).d;
  return slope.lo >= 0 || slope.hi <= 0;
}

void Peaks::begin(double t, Course& course) {
  course = Course();
  course.from = course.to = t;
  course.extreme = course.before = course.base = {t, value(t)};
}

// As far as it is bounded. Rounding counts: it is no motion of the function.
double Peaks::range(double from, double to) {
  Interval all{value(from), value(from)};
  for (int k = 0; k < kFirstPieces; ++k) {
    const auto end = [&](int n) { return from + (to - from) * n / kFirstPieces; };
    const Interval f = over(end(k), end(k + 1)).f;
    if (std::isfinite(f.width())) all = {std::min(all.lo, f.lo), std::max(all.hi, f.hi)};
  }
  const double rounding = 1e-12 / kRest * std::max(std::abs(all.lo), std::abs(all.hi));
  return std::max(all.width(), rounding);
}

bool Peaks::rises_or_rests(double from, double to, const Course& course) {
  const Enclosure e = over(from, to);
  if (e.d.lo >= 0 || e.d.hi <= 0 || (std::isnan(value(from)) && std::isnan(value(to)))) return true;
  return course.rests(std::min(e.f.width(), std::max(-e.d.lo, e.d.hi) * (to - from)));
}

// On from the last time to t. True: the function has turned, at `before`.
bool Peaks::follow(Course& course, double t) {
  course.to = t;
  const double f = value(t), change = f - course.extreme.f;
  const bool goes_on = course.direction * change > 0;
  if (!goes_on && course.rests(change)) return false;
  const bool turned = !goes_on && course.direction != 0;
  if (!goes_on) {
    course.base = std::exchange(course.before, course.extreme);
    course.direction = change > 0 ? 1 : -1;
  }
  course.extreme = {t, f};
  return turned;
}

// A time shortly before the peak, by what counts as short.
double Peaks::before_peak(const Course& course, double step) const {
  const Point peak = course.before, base = course.base;
  return std::max(base.t, peak.t - std::max(kOfTime * (peak.t - base.t), kOfStep * step));
}

bool Peaks::is_narrow(const Course& course, double step) {
  const Point peak = course.before, base = course.base;
  const double way = std::abs(peak.f - base.f);
  return way > kLeastWay * course.range && std::abs(peak.f - value(before_peak(course, step))) > kOfWay * way;
}

// From rest, or from the last extremum.
double Peaks::way_begins(const Course& course, double step) {
  const Point peak = course.before;
  double rests = before_peak(course, step), moves = peak.t;
  const double rest = value(rests);
  for (int k = 0; k < kHalvingsOfWay; ++k) {
    const double middle = 0.5 * (rests + moves);
    (std::abs(value(middle) - rest) > kRest * std::abs(peak.f - rest) ? moves : rests) = middle;
  }
  return rests;
}

double Peaks::search(double end, double step, double passed, Course& course) {
  const double start = course.to;
  course.range = std::max(course.range, range(start, end));
  const double shortest = kShortestPiece * (end - start);
  ahead_.clear();
  for (int k = kFirstPieces; k > 0; --k) ahead_.push_back(start + (end - start) * k / kFirstPieces);
  for (int pieces = 0; !ahead_.empty() && pieces < kMostPieces; ++pieces) {
    const double from = course.to, to = ahead_.back();
    const bool smooth = rises_or_rests(from, to, course);
    if (!smooth && to - from > shortest) {
      ahead_.push_back(from + 0.5 * (to - from));
      continue;
    }
    ahead_.pop_back();
    const bool turned = follow(course, to);
    if (!smooth) {
      course.extreme = course.before = course.base = {to, value(to)};
      course.direction = 0;
    } else if (turned && course.before.t > passed && is_narrow(course, step)) {
      course.peak = course.before.t;
      course.begins = way_begins(course, step);
      break;
    }
  }
  return course.next(passed);
}

double Peaks::after(double t, double until, double step, Course& course) {
  if (t < course.from || t > course.to) begin(t, course);
  const double passed = Breaks::passed(t);
  if (course.peak <= passed) course.begins = course.peak = kNever;
  const double start = course.to, end = std::max(until, start + kStepsAhead * step);
  if (course.peak < kNever || !(until > start)) return course.next(passed);

  const double next = search(end, step, passed, course);
  if (course.peak < kNever) return next;
  if (course.to < end && course.to - start < kLeastProgress * (end - start)) {
    begin(end, course);
    course.from = t;
  }
  return course.to < until ? course.to : kNever;
}

double Peaks::within(double from, double to) {
  if (is_monotonic(from, to)) return kNever;
  Course course;
  begin(from, course);
  search(to, kOfPassage * (to - from), Breaks::passed(from), course);
  if (!(course.peak < to)) return kNever;
  return course.begins - from > kOnTheWay * (course.peak - from) ? course.begins : course.peak;
}

// How far an interval of values reaches beyond those at both ends of a piece.
double Peaks::beyond(const Interval& f, double from, double to) {
  const auto [low, high] = std::minmax({value(from), value(to)});
  return std::max(f.hi - high, low - f.lo);
}

// A piece in which neither the paths nor what lies beside them reach beyond its ends has no peak. One in
// which the paths alone do not reach beyond is not divided any more. A jump beside the paths, where also a
// variable that stays has a slope without bound, is no peak: it ends the step where the motion comes to it.
bool Peaks::may_miss(double from, double to) {
  if (std::ranges::all_of(paths_, [](const SignalPath& path) { return path.bend() == 0; })) return false;
  const auto end = [&](int n) { return from + (to - from) * n / kFirstPieces; };
  double most = 0;
  for (int k = 0; k < kFirstPieces; ++k) {
    const Interval f = over(end(k), end(k + 1), true).f;
    if (std::isfinite(f.width())) most = std::max({most, std::abs(f.lo), std::abs(f.hi)});
  }
  const double slight = kSlight * most;
  ahead_.clear();
  for (int k = kFirstPieces; k > 0; --k) ahead_.push_back(end(k));
  for (int pieces = 0; !ahead_.empty() && pieces < kMostPiecesBeside; ++pieces) {
    const double last = ahead_.back(), middle = 0.5 * (from + last);
    const Enclosure beside = over(from, last, true);
    const bool jumps = beside.d.lo != 0 || beside.d.hi != 0;
    const bool reaches = !jumps && beyond(beside.f, from, last) > slight;
    if (reaches && !(beyond(over(from, last).f, from, last) > slight)) return true;
    if (reaches && ahead_.size() < ahead_.capacity() && from < middle && middle < last) {
      ahead_.push_back(middle);
      continue;
    }
    from = last;
    ahead_.pop_back();
  }
  return false;
}

}  // namespace trammel::simulation
