// A singular position is one in which Φ_v loses rank: σ(t), the smallest singular value of its scaled rows,
// is zero. Either σ passes through zero, where two motions cross and the drivers do not tell which goes on;
// it is found to 1e-9 s from values on both sides. Or time itself turns back there: a dead position, beyond
// which no position belongs to the drivers' values. The curve of positions then goes on into another assembly
// branch while the drivers go back (analysis/arc_length.h), and so do the rows.

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "analysis/arc_length.h"
#include "analysis/asking.h"
#include "analysis/driven_start.h"
#include "analysis/driver_sweep.h"
#include "analysis/kinematic_columns.h"
#include "analysis/near_singular.h"
#include "analysis/prescribed_motion.h"
#include "analysis/singular_search.h"
#include "analysis/standing_drivers.h"
#include "analysis/why_stopped.h"
#include "formulations/projection/assembly.h"
#include "trammel/analyses.h"

namespace trammel::analysis {
namespace {

// Steps along the curve next to a dead position, in units of what counts as one, and how many at most.
constexpr double kArcStep = 0.02, kLeastArc = 1e-6;
constexpr int kArcSteps = 400;
constexpr double kBeyond = 0.1;
// Of the tangent's part along time: the dead position is found.
constexpr double kTurned = 1e-13;
// A time is reached, as a part of the time scale: rounding.
constexpr double kSameTime = 1e-15;

// A row so close to a dead position, as a part of the time scale, is one in it: positions change with the
// root of the time that is left, and are no longer told apart.
constexpr double kAtDead = 1e-8;

struct Turn {
  State dead;                    // where time turns back
  State after;                   // beyond it
  std::optional<State> reached;  // at the time that was wanted, if the curve passes it before
};

// The place on a step of the curve at which `ahead` is zero: regula falsi with a halved weight where one end
// stays (Illinois). It has this value at both ends of the step.
struct OnCurve {
  double way = 0;  // from the step's begin
  ArcLength at;
};
template <typename Ahead>
std::optional<OnCurve> place_on_curve(const ArcLength& begin, double length, double at_a, double at_b,
                                      double exact, const Ahead& ahead) {
  constexpr int kMost = 60;
  double a = 0, b = length;
  OnCurve middle{0, begin};
  for (int k = 0; k < kMost; ++k) {
    const double s = (a * at_b - b * at_a) / (at_b - at_a);
    middle = {s, begin};
    if (!middle.at.step(s).accepted()) return std::nullopt;
    const double value = ahead(middle.at);
    if (std::abs(value) <= exact) break;
    if ((value > 0) == (at_a > 0)) {
      a = s, at_a = value, at_b /= 2;
    } else {
      b = s, at_b = value, at_a /= 2;
    }
  }
  return middle;
}

// Along the curve from a State from which time steps did not lead to `t`; nothing where time does not turn
// back.
std::optional<Turn> pass_dead_position(const std::shared_ptr<const system::System>& system, const State& from,
                                       double t, double time_scale) {
  const double sign = t > from.t ? 1 : -1;
  ArcLength curve(system, time_scale);
  if (!curve.begin(from, sign).accepted()) return std::nullopt;
  const auto rate = [](const ArcLength& at) { return at.time_rate(); };
  const auto time = [t](const ArcLength& at) { return at.state().t - t; };
  double length = kArcStep;
  std::optional<State> reached;
  for (int i = 0; i < kArcSteps; ++i) {
    const ArcLength before = curve;
    if (!curve.step(length).accepted()) {
      length /= 2;
      if (length < kLeastArc) return std::nullopt;
      continue;
    }
    const bool turns = curve.time_rate() * sign <= 0;
    std::optional<OnCurve> dead;
    if (turns) dead = place_on_curve(before, length, before.time_rate(), curve.time_rate(), kTurned, rate);
    if (turns && !dead) return std::nullopt;
    const ArcLength& last = dead ? dead->at : curve;
    if (!reached && time(last) * sign > 0) {
      const double way = dead ? dead->way : length;
      if (const auto there =
              place_on_curve(before, way, time(before), time(last), kSameTime * time_scale, time)) {
        reached = there->at.state();
        reached->t = t;
      }
    }
    if (!turns) {
      length = std::min(kArcStep, 2 * length);
      continue;
    }
    Turn turn{dead->at.state(), {}, std::move(reached)};
    // Far enough that both branches lie apart.
    for (double way = 0; way < kBeyond; way += kArcStep)
      if (!curve.step(kArcStep).accepted()) break;
    turn.after = curve.state();
    return turn;
  }
  return std::nullopt;
}

// Nothing moves, where over the whole duration the way would be rounding: in units of what counts as one.
constexpr double kRestingWay = 1e-12;

// Places that differ by more, as a part of the mechanism's size, belong to two branches.
constexpr double kOtherBranch = 1e-3;

// Ahead of a start in a crossing, and States from which the start follows, in units of what counts as one.
// The start itself is known to the root of rounding.
constexpr double kAheadWay = 0.2, kStartNodes = 0.03, kSameStart = 1e-5;

// A sweep begins in the assembly branch of the model's places, however far from them: the coordinate is moved
// from its value there to the first one. Where that is not possible, the start stays as it was assembled; so
// it does where both are the same, as in a crossing.
void begin_in_own_branch(const Mechanism& given, const DriverSweep& sweep, const DrivenStart& start) {
  // In reference coordinates every joint has its coordinate.
  Plan plan = given.plan;
  plan.coordinates = name_of(CoordinatesKind::reference);
  const auto drawn = bare_simulation(with_masses(with_drivers_standing(given)), plan);
  if (!drawn->assemble().report.accepted()) return;
  const system::System& system = start.simulation->system();
  const double ahead = swept_value(*drawn, sweep) - sweep.from;
  // Angles count their turns from the model's.
  State s = bare_simulation(start.simulation->mechanism(), start.simulation->plan())->state();
  s.t = sweep.to > sweep.from ? ahead : -ahead;
  system.place(start.simulation->mechanism().bodies, drawn->system().poses(drawn->state()), s);
  if (!formulations::assemble_positions(system, s).report.accepted()) return;
  PrescribedMotion motion(start.simulation->shared_system());
  if (!motion.find_rates(s).accepted() || !motion.move_to(0, s).accepted()) return;
  const std::vector<Pose> assembled = system.poses(start.simulation->state()), moved = system.poses(s);
  double away = 0;
  for (std::size_t b = 0; b < moved.size(); ++b)
    away = std::max({away, (moved[b].position - assembled[b].position).norm() / system.length_scale(),
                     (moved[b].axes - assembled[b].axes).norm()});
  if (away > kOtherBranch) start.simulation->restore(s);
}

class Tracing {
 public:
  Tracing(const DrivenStart& start, const std::vector<Driver>& own, const KinematicsOptions& choice,
          const std::vector<double>& times, Kinematics& out)
      : start_(start),
        system_(start.simulation->shared_system()),
        motion_(system_),
        settled_(motion_),
        search_(motion_, times.front(), times.back()),
        columns_(system_, start.simulation->mechanism(), start.simulation->state(), choice, own),
        asking_(choice.go_on),
        times_(times),
        out_(out),
        s_(start.simulation->state()) {
    out.motion.channels = columns_.channels();
    out.still = true;
  }

  // Rows at these times; after a dead position at those that mirror them.
  void trace() {
    follow();
    search_.finish();
    note_crossings();
    out_.undecided = search_.undecided();
  }

 private:
  void follow() {
    out_.report = motion_.find_rates(s_);
    if (!out_.report.accepted()) return;
    const double start = times_.front();
    const std::optional<State> beside =
        smallest_singular_value(*system_, s_) < kSingularStart ? leave_crossing() : std::nullopt;
    settled_.begin(s_, times_.back() - start);
    if (beside) {
      settled_.know(*beside);
      search_.know(*beside);
    }
    const double time_scale = settled_.time_scale();
    double sign = 1, offset = 0;  // the row's time is sign · t + offset
    for (const double planned : times_) {
      if (!asking_.goes_on()) {
        out_.report = Asking::interrupted();
        return;
      }
      bool has_turned = false, is_dead = false;
      while (!is_dead) {
        const double t = sign * planned + offset;
        if (sign < 0 && t < start) {
          out_.returned = true;
          return;
        }
        out_.report = motion_.move_to(t, s_);
        if (out_.report.accepted()) break;
        const std::optional<Turn> turn = pass_dead_position(system_, s_, t, time_scale);
        // Steps of time end before a dead position, where speeds grow without bound; the curve does not.
        if (turn && turn->reached && std::abs(turn->dead.t - t) > kAtDead * time_scale) {
          s_ = *turn->reached;
          out_.report = motion_.find_rates(s_);
          if (!out_.report.accepted()) return;
          break;
        }
        // After a turn neither branch reaches this time.
        if (!turn || has_turned) return tell_stop(sign * (times_[1] - start));
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

  // A start in a crossing does not tell on which motion it leaves, but the model's places do, unless they are
  // in a crossing themselves: from a State ahead on the motion next to them, the result, the motion is
  // followed back.
  std::optional<State> leave_crossing() {
    State ahead = bare_simulation(start_.simulation->mechanism(), start_.simulation->plan())->state();
    const double enough = kNearSingular * MotionScales{}.sigma;
    if (smallest_singular_value(*system_, ahead) < enough) return std::nullopt;
    system::Terms terms = system_->make_terms();
    system_->evaluate(s_, system::kAskPosition, terms);
    double fastest = 0;
    for (std::size_t r = 0; r < system_->rows().size(); ++r)
      fastest = std::max(fastest, std::abs(terms.Phi_t[r]) / system_->rows()[r].scale);
    if (fastest == 0) return std::nullopt;
    ahead.t = s_.t + kAheadWay / fastest;
    if (!formulations::assemble_positions(*system_, ahead).report.accepted()) return std::nullopt;
    if (!motion_.find_rates(ahead).accepted() || smallest_singular_value(*system_, ahead) < enough)
      return std::nullopt;
    const auto nodes = states_around(motion_, ahead, kStartNodes / fastest, s_.t);
    if (!nodes) return std::nullopt;
    const State start = interpolated(*system_, *nodes, s_);
    // Angles may differ by turns.
    const std::vector<Pose> assembled = system_->poses(s_), followed = system_->poses(start);
    for (std::size_t b = 0; b < assembled.size(); ++b) {
      const double away = (assembled[b].position - followed[b].position).norm() / system_->length_scale();
      if (!(away + (assembled[b].axes - followed[b].axes).norm() <= kSameStart)) return std::nullopt;
    }
    s_ = start;
    return ahead;
  }

  void tell_stop(double interval) {
    const std::string place = out_.drive ? fmt::format("{} = {:.9g}", out_.drive->name, out_.drive->at(s_.t))
                                         : fmt::format("t = {:.9g} s", s_.t);
    out_.report.message = why_stopped(*start_.simulation, {s_, interval, place, start_.held_drivers});
  }

  void note_turn(const Turn& turn) {
    SingularPosition one;
    one.t = turn.dead.t;
    one.turns_back = true;
    one.smallest = smallest_singular_value(*system_, turn.dead);
    one.joint = columns_.least_determined(turn.dead, weak_velocities(*system_, turn.dead));
    out_.singular.push_back(std::move(one));
  }

  void note_crossings() {
    for (const SingularSearch::Found& found : search_.take_found())
      out_.singular.push_back({found.t,
                               columns_.least_determined(found.state, weak_velocities(*system_, found.state)),
                               false, found.smallest});
  }

  void add_row() {
    const SettledMotion::Seen seen = settled_.settle(s_);
    if (!seen.known) out_.doubtful.push_back(s_.t);
    search_.see(s_);
    note_crossings();
    const double duration = times_.back() - times_.front();
    for (std::size_t k = 0; k < s_.v.size(); ++k)
      if (std::abs(s_.v[k]) * duration > kRestingWay * system_->coordinate_scale()[k]) out_.still = false;
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
  Asking asking_;
  const std::vector<double>& times_;
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
  if (out.report.accepted() && options.drive) analysis::begin_in_own_branch(given, *options.drive, start);
  if (out.report.accepted())
    analysis::Tracing(start, given.drivers, options, analysis::row_times(mechanism.plan, options.rows), out)
        .trace();
  return out;
}

}  // namespace trammel
