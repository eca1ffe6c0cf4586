#include "simulation/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/rows/rows.h"
#include "mechanism/signals.h"
#include "simulation/impact.h"

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
  return !m.stops.empty() || !m.stop_when.empty() ||
         std::any_of(m.joints.begin(), m.joints.end(), [](const Joint& j) { return j.friction.has_value(); });
}

Events::Events(Running& running, Step step) : running_(running), step_(std::move(step)) {
  const Mechanism& m = running.mechanism;
  watched_.assign(2 * m.stops.size() + (m.stop_when.empty() ? 0 : 1), 0);
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
  return ends() || any_met() || without_pull(state) != running_.holds() ||
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

StepResult Events::move(double h) { return h >= kShort ? step_(h) : running_.creep(h); }

// From `before_`, brackets the first event between the states `early_` and `late_`; h: a time by which
// something has happened.
bool Events::locate(double h, StepResult& total) {
  double low = 0, high = h;
  early_ = before_;
  early_part_ = {};
  early_part_.steps = 0;
  // No closer than two units of round-off in t.
  while (high - low > std::max(kTime, 4e-16 * std::abs(before_.t + h))) {
    const double middle = 0.5 * (low + high);
    running_.restore(before_);
    StepResult one = move(middle);
    total.iterations += one.iterations;
    if (!one.report.accepted()) {
      total.report = one.report;
      return false;
    }
    if (happened(running_.state)) {
      high = middle;
      late_ = running_.state;
      late_part_ = std::move(one);
    } else {
      low = middle;
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

bool Events::need_landings() const { return !running_.mechanism.stop_when.empty() || !contacts_.empty(); }

StepResult Events::advance(double h, const Step& first) {
  StepResult total;
  total.steps = 0;
  const State start = running_.state;
  double end = start.t + h;
  for (int count = 0; count < kMostEvents; ++count) {
    before_ = running_.state;
    StepResult whole = count == 0 && first ? first(h) : move(end - before_.t);
    total.iterations += whole.iterations;
    if (!whole.report.accepted()) {
      total.report = std::move(whole.report);
      break;
    }
    if (count == 0 && first) end = running_.state.t;
    const double rest = end - before_.t;
    late_ = running_.state;
    late_part_ = std::move(whole);
    double by = happened(late_) ? rest : 0;
    if (by == 0) {
      by = dip(before_, late_, rest);
      if (by == 0 || !happened_by(by)) {
        merge(late_part_, total);
        return total;
      }
    }
    if (!locate(by, total) || !handle(total)) break;
    if (total.ended || running_.state.t >= end) return total;
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
