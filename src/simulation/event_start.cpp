// Events at the start: what is refused, and which stops hold at once.
#include <fmt/format.h>

#include <cmath>

#include "simulation/events.h"

namespace trammel::simulation {
namespace {

// So long after the start its speed tells whether a coordinate is pressed against its stop.
constexpr double kPress = 1e-6;  // s
// Beyond a limit, of what counts as one: what numbers with few digits leave of a place on it.
constexpr double kFewDigits = 1e-6;

}  // namespace

Report Events::refusal() const {
  Report report;
  const std::vector<EndStop>& stops = running_.mechanism.stops;
  for (std::size_t k = 0; k < stops.size(); ++k) {
    const bool low = stops[k].lower && coordinate(k) < *stops[k].lower - kBeyond * scale_[k];
    const bool high = stops[k].upper && coordinate(k) > *stops[k].upper + kBeyond * scale_[k];
    if (low || high)
      report.message = fmt::format(
          "'{}' starts at {:.6g}, beyond the {} limit of its stop '{}'; place it between the limits, or move "
          "them",
          stops[k].joint, coordinate(k), low ? "lower" : "upper", stops[k].name);
  }
  if (ends())
    report.message = fmt::format("the condition that ends the run, '{}', holds from the start",
                                 running_.mechanism.stop_when);
  if (!report.message.empty()) report.outcome = Outcome::refused;
  return report;
}

// Coordinates that start a hair's breadth beyond a limit are placed on it.
Report Events::close_hairs() {
  const Holds none = running_.holds();
  Holds near(scale_.size(), 0);
  for (std::size_t k = 0; k < near.size(); ++k) {
    const EndStop& stop = running_.mechanism.stops[k];
    const auto is_hair = [&](double past) {
      return past > kBeyond * scale_[k] && past <= kFewDigits * scale_[k];
    };
    if (stop.lower && is_hair(*stop.lower - coordinate(k))) near[k] = -1;
    if (stop.upper && is_hair(coordinate(k) - *stop.upper)) near[k] = 1;
  }
  if (near == none) return {};
  running_.hold(near);
  formulations::Projector& projector = running_.mode->reader.projector();
  projector.forget();
  Report report = projector.positions(running_.state);
  running_.hold(none);
  if (report.accepted()) report = running_.start();
  read(running_.state);
  return report;
}

// Coordinates at rest on a limit that would pass it if they were free.
Holds Events::pressed() {
  Sides at(scale_.size(), 0);
  bool any = false;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const EndStop& stop = running_.mechanism.stops[k];
    const double margin = kBeyond * scale_[k];
    if (std::abs(speed(k)) > margin) continue;
    if (stop.lower && std::abs(coordinate(k) - *stop.lower) <= margin) at[k] = -1;
    if (stop.upper && std::abs(coordinate(k) - *stop.upper) <= margin) at[k] = 1;
    any = any || at[k] != 0;
  }
  if (!any) return at;
  const State here = running_.state;
  const std::vector<double> values = watched_;
  const bool moved = running_.creep(kPress).report.accepted();
  if (moved) read(running_.state);
  for (std::size_t k = 0; k < at.size(); ++k)
    if (!moved || at[k] * (speed(k) - values[watched_speed(k)]) <= kOff * scale_[k] * kPress) at[k] = 0;
  running_.restore(here);
  watched_ = values;
  return at;
}

Report Events::rest_on_stops() {
  const Holds none = running_.holds();
  for (Holds holds = pressed(); holds != none;) {
    running_.hold(holds);
    if (Report report = running_.start(); !report.accepted()) {
      running_.hold(none);
      return running_.start();
    }
    const Holds pushed = without_pull(running_.state);
    if (pushed == holds) return {};
    running_.hold(none);
    holds = pushed;
    if (holds == none) return running_.start();
  }
  return {};
}

Report Events::start() {
  read(running_.state);
  Report report = close_hairs();
  if (report.accepted()) report = refusal();
  if (report.accepted() && !running_.mechanism.stops.empty()) report = rest_on_stops();
  if (!report.accepted() || stiction_.none()) return report;
  std::vector<Event> events;  // nobody saw the time before
  return stiction_.settle(running_.grips(), events);
}

}  // namespace trammel::simulation
