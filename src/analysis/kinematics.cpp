// A singular position is one in which Φ_v loses rank: σ(t), the smallest singular value of its scaled rows,
// is zero. Either σ passes through zero, where two motions cross and the drivers do not tell which goes on;
// it is found to 1e-9 s from values on both sides. Or time itself turns back there: a dead position, beyond
// which no position belongs to the drivers' values. The curve of positions then goes on into another assembly
// branch while the drivers go back (analysis/arc_length.h), and so do the rows.

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "analysis/arc_length.h"
#include "analysis/driven_start.h"
#include "analysis/driver_sweep.h"
#include "analysis/kinematic_columns.h"
#include "analysis/near_singular.h"
#include "analysis/prescribed_motion.h"
#include "analysis/singular_search.h"
#include "analysis/why_stopped.h"
#include "trammel/analyses.h"

namespace trammel::analysis {
namespace {

// Steps along the curve next to a dead position, in units of what counts as one, and how many at most.
constexpr double kArcStep = 0.02, kLeastArc = 1e-6;
constexpr int kArcSteps = 400;
constexpr double kBeyond = 0.1;
// Of the tangent's part along time: the dead position is found.
constexpr double kTurned = 1e-13;

// A row so close to a dead position, as a part of the time scale, is one in it: positions change with the
// root of the time that is left, and are no longer told apart.
constexpr double kAtDead = 1e-8;

struct Turn {
  State dead;   // where time turns back
  State after;  // beyond it
};

// Along the curve from a State that time steps did not lead beyond; nothing where time does not turn back.
std::optional<Turn> pass_dead_position(const std::shared_ptr<const system::System>& system, const State& from,
                                       double sign, double time_scale) {
  ArcLength curve(system, time_scale);
  if (!curve.begin(from, sign).accepted()) return std::nullopt;
  double length = kArcStep;
  for (int i = 0; i < kArcSteps; ++i) {
    const ArcLength before = curve;
    if (!curve.step(length).accepted()) {
      length /= 2;
      if (length < kLeastArc) return std::nullopt;
      continue;
    }
    if (curve.time_rate() * sign > 0) {
      length = std::min(kArcStep, 2 * length);
      continue;
    }
    // dt/ds = 0 between both: regula falsi with a halved weight where one end stays (Illinois).
    double a = 0, b = length, at_a = before.time_rate(), at_b = curve.time_rate();
    Turn turn{before.state(), curve.state()};
    for (int k = 0; k < 60; ++k) {
      const double s = (a * at_b - b * at_a) / (at_b - at_a);
      ArcLength middle = before;
      if (!middle.step(s).accepted()) return std::nullopt;
      const double rate = middle.time_rate();
      turn.dead = middle.state();
      if (std::abs(rate) <= kTurned) break;
      if ((rate > 0) == (at_a > 0)) {
        a = s, at_a = rate, at_b /= 2;
      } else {
        b = s, at_b = rate, at_a /= 2;
      }
    }
    // Far enough that both branches lie apart.
    for (double way = 0; way < kBeyond; way += kArcStep)
      if (!curve.step(kArcStep).accepted()) break;
    turn.after = curve.state();
    return turn;
  }
  return std::nullopt;
}

class Tracing {
 public:
  Tracing(const DrivenStart& start, const std::vector<Driver>& own, const KinematicsOptions& choice,
          Kinematics& out)
      : start_(start),
        system_(start.simulation->shared_system()),
        motion_(system_),
        settled_(motion_),
        search_(motion_),
        columns_(system_, start.simulation->mechanism(), start.simulation->state(), choice, own),
        out_(out),
        s_(start.simulation->state()) {
    out.motion.channels = columns_.channels();
  }

  // Rows at these times; after a dead position at those that mirror them.
  void trace(const std::vector<double>& times) {
    out_.report = motion_.find_rates(s_);
    if (!out_.report.accepted()) return;
    const double start = times.front();
    settled_.begin(s_, times.back() - start);
    const double time_scale = settled_.time_scale();
    double sign = 1, offset = 0;  // the row's time is sign · t + offset
    for (const double planned : times) {
      bool has_turned = false, is_dead = false;
      while (!is_dead) {
        const double t = sign * planned + offset;
        if (sign < 0 && t < start) {
          out_.returned = true;
          return;
        }
        out_.report = motion_.move_to(t, s_);
        if (out_.report.accepted()) break;
        std::optional<Turn> turn;
        // After a turn neither branch reaches this time.
        if (!has_turned) turn = pass_dead_position(system_, s_, sign, time_scale);
        if (!turn) return tell_stop(sign * (times[1] - start));
        note_turn(*turn);
        // Both t = sign · planned + offset and its mirror image pass the dead position at the same time.
        offset = 2 * turn->dead.t - offset;
        sign = -sign;
        s_ = turn->after;
        out_.report = motion_.find_rates(s_);
        if (!out_.report.accepted()) return;
        search_.forget();
        settled_.forget();
        has_turned = true;
        // In the dead position itself rates have no value.
        is_dead = std::abs(sign * planned + offset - turn->dead.t) <= kAtDead * time_scale;
      }
      if (!is_dead) add_row();
    }
  }

 private:
  void tell_stop(double interval) {
    const std::string place = out_.drive ? fmt::format("{} = {:.9g}", out_.drive->name, out_.drive->at(s_.t))
                                         : fmt::format("t = {:.9g} s", s_.t);
    out_.report.message = why_stopped(*start_.simulation, {s_, interval, place, start_.held_drivers});
  }

  void note_turn(const Turn& turn) {
    SingularPosition one;
    one.t = turn.dead.t;
    one.turns_back = true;
    std::vector<double> direction;
    one.smallest = smallest_singular_value(*system_, turn.dead, &direction);
    one.joint = columns_.fastest(turn.dead, direction);
    out_.singular.push_back(std::move(one));
  }

  void add_row() {
    const SettledMotion::Seen seen = settled_.settle(s_);
    if (!seen.known) out_.doubtful.push_back(s_.t);
    if (const auto found = search_.see(s_, seen.sigma))
      out_.singular.push_back(
          {found->t, columns_.fastest(found->state, found->direction), false, found->smallest});
    const Violation violation = motion_.violation(s_);
    out_.violation = std::max(out_.violation, violation.position);
    columns_.add_row(s_, violation, out_.motion.values);
  }

  const DrivenStart& start_;
  std::shared_ptr<const system::System> system_;
  PrescribedMotion motion_;
  SettledMotion settled_;
  SingularSearch search_;
  KinematicColumns columns_;
  Kinematics& out_;
  State s_;
};

}  // namespace

}  // namespace trammel::analysis

namespace trammel {

Kinematics solve_kinematics(const Mechanism& given, const KinematicsOptions& options) {
  const Mechanism mechanism = options.drive ? analysis::swept(given, *options.drive) : given;
  Kinematics out;
  out.drive = options.drive;
  const analysis::DrivenStart start =
      analysis::driven_start(analysis::with_masses(mechanism), mechanism.plan, analysis::Undriven::held);
  out.report = start.report;
  out.held = start.held;
  if (out.report.accepted())
    analysis::Tracing(start, given.drivers, options, out)
        .trace(analysis::row_times(mechanism.plan, options.rows));
  return out;
}

}  // namespace trammel
