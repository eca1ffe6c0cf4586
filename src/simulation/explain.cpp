// Why something failed, in words for a person: explain() of trammel/run.h.
#include "simulation/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "expressions/expression.h"
#include "mechanism/signals.h"
#include "simulation/acting_values.h"
#include "simulation/over_driven.h"
#include "simulation/own_parts.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "simulation/state_reader.h"
#include "system/system.h"
#include "trammel/run.h"

namespace trammel {
namespace {

// A spring that has no direction where the mechanism stands, for its ends coincide; empty: there is none.
std::string spring_without_direction(const Simulation& simulation) {
  const auto place = [&](const Marker& marker) {
    const Body* body = simulation.mechanism().body(marker.body);
    if (body == nullptr) return marker.frame.at;
    const Pose pose = simulation.pose(marker.body);
    return Vec3(pose.position + pose.axes * (marker.frame.at - body->com));
  };
  constexpr double kSamePlace = 1e-12;  // of the mechanism's size
  for (const Force& force : simulation.mechanism().forces) {
    const auto* spring = std::get_if<SpringDamper>(&force.law);
    if (spring == nullptr) continue;
    const bool smooth = spring->law.empty() && spring->length == 0 && spring->preload == 0;
    const double apart = (place(spring->a) - place(spring->b)).norm();
    if (!smooth && apart <= kSamePlace * simulation.system().length_scale())
      return fmt::format(
          "the ends of spring '{}' coincide, where its force has no direction; place them apart, or give it "
          "the "
          "free length 0",
          force.name);
  }
  return {};
}

// The positions that the joints allow at a later time, near those of now.
enum class Reach { not_asked, closes, stays_open };
Reach reach_after(const Simulation& simulation, double later) {
  // Of the mechanism's size: what drivers ask for, beyond rounding and not so far that Newton's method loses
  // its way; and the part of it that stays open where no position closes.
  constexpr double kLeastAsked = 1e-9, kMostAsked = 0.2, kStaysOpen = 0.05;
  formulations::Projector& projector = simulation.reader(simulation.state()).projector();
  State state = simulation.state();
  state.t += later;
  projector.forget();
  const double asked = projector.violation(state).position;
  if (!(asked > kLeastAsked && asked < kMostAsked)) return Reach::not_asked;
  const Report report = projector.positions(state);
  projector.forget();
  return report.outcome == Outcome::ok && report.violation < kStaysOpen * asked ? Reach::closes
                                                                                : Reach::stays_open;
}

// What a driver asks for at a time, and its rates.
expressions::Expression::Taylor asked_at(const Simulation& simulation, const std::string& text, double t) {
  const auto symbols = mechanism::make_symbols(simulation.mechanism());
  const auto f = std::get<expressions::Expression>(expressions::Expression::parse(text, *symbols));
  std::vector<double> signals(static_cast<std::size_t>(symbols->size()), 0.0),
      scratch(static_cast<std::size_t>(f.scratch_size()));
  signals[0] = t;
  return f.taylor(signals, 0, scratch);
}

// The speed that a driver asks for at the start.
double first_speed(const Simulation& simulation, const Driver& driver, const std::string& text) {
  const expressions::Expression::Taylor at = asked_at(simulation, text, simulation.state().t);
  return driver.of_speed ? at.f : at.fd;
}

// A driver that soon has no value or speed, as sqrt(1 - t) beyond t = 1; empty: none.
std::string driver_ends(const Simulation& simulation) {
  constexpr int kAhead = 32, kHalvings = 30;
  const double start = simulation.state().t, interval = simulation::landing_interval(simulation.plan());
  for (const Driver& driver : simulation.mechanism().drivers)
    for (const std::string& text : driver.equals) {
      const auto ends = [&](double t) {
        const expressions::Expression::Taylor at = asked_at(simulation, text, t);
        return !std::isfinite(at.f) || !std::isfinite(at.fd);
      };
      if (text.empty() || ends(start)) continue;
      for (int k = 1; k <= kAhead; ++k) {
        double before = start + interval * (k - 1) / kAhead, after = start + interval * k / kAhead;
        if (!ends(after)) continue;
        for (int i = 0; i < kHalvings; ++i) {
          const double middle = (before + after) / 2;
          (ends(middle) ? after : before) = middle;
        }
        return fmt::format(
            "driver '{}': '{}' has no finite value or speed from t = {:.6g} s on; write another expression, "
            "or end the run before",
            driver.name, text, after);
      }
    }
  return {};
}

// Whether drivers soon ask for positions that the joints do not allow, as at the end of a linkage's reach;
// empty: they do not, or nothing is driven.
std::string out_of_reach(const Simulation& simulation) {
  constexpr std::array kLater = {1e-3, 1e-2, 0.1, 1.0, 10.0};  // output intervals
  constexpr int kHalvings = 10;
  if (simulation.mechanism().drivers.empty()) return {};
  const double interval = simulation::landing_interval(simulation.plan());
  double closes = 0, open = 0;  // s from now
  for (const double part : kLater) {
    const Reach reach = reach_after(simulation, part * interval);
    if (reach == Reach::closes) closes = part * interval;
    if (reach == Reach::stays_open) open = part * interval;
    if (open > 0) break;
  }
  if (open == 0) return {};
  if (std::string many = simulation::over_driven(simulation); !many.empty()) return many;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (closes + open) / 2;
    (reach_after(simulation, middle) == Reach::stays_open ? open : closes) = middle;
  }
  std::vector<std::string> drivers;
  for (const Driver& driver : simulation.mechanism().drivers) drivers.push_back("'" + driver.name + "'");
  return fmt::format(
      "from about t = {:.4g} s on the joints cannot follow what the drivers ({}) ask for, as a linkage at "
      "the "
      "end of its reach; change the drivers or the lengths, or end the run before",
      simulation.state().t + open, fmt::join(drivers, ", "));
}

// A body that turns so far in the shortest step that was tried that no iteration follows it; empty: none
// does.
std::string turns_too_far(const Simulation& simulation, double step) {
  constexpr double kTooFar = 0.3;  // rad
  const std::vector<Pose> poses = simulation.system().poses(simulation.state());
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const double rate = poses[k].angular_velocity.norm();
    if (rate * step > kTooFar)
      return fmt::format(
          "'{}' turns at {:.3g} rad/s, too far in one step for it to converge, even in steps of {:.2g} s; "
          "take "
          "steps below {:.1g} s, or a tolerance",
          simulation.mechanism().bodies[k].name, rate, step, kTooFar / rate);
  }
  return {};
}

// Positions so far from the origin that rounding of them is more than the steps allow; empty: they are not.
std::string far_away(const Simulation& simulation) {
  // Of the mechanism's size: positions of marked steps are closed to kMarked; a tolerance has to be a few
  // times the rounding.
  constexpr double kMarked = 1e-7, kOfTolerance = 0.1;
  double far = 0;
  for (const Pose& pose : simulation.system().poses(simulation.state()))
    far = std::max(far, pose.position.norm());
  const double size = simulation.system().length_scale();
  const double rounding = std::numeric_limits<double>::epsilon() * far;
  const ResolvedPlan& plan = simulation.resolved();
  const double allowed =
      simulation::controls_error(plan) ? kOfTolerance * simulation::step_tolerance(plan) : kMarked;
  if (!(rounding > allowed * size)) return {};
  // What has gone so far away does so for another reason.
  constexpr double kGone = 1e3;
  double start = size;
  for (const Pose& pose : simulation.system().poses(simulation.system().initial_state()))
    start = std::max(start, pose.position.norm());
  if (far > kGone * start) return {};
  return fmt::format(
      "the mechanism stands {:.1g} m from the origin, where positions are rounded to {:.1g} m: too coarse "
      "for "
      "a mechanism of {:.2g} m and for what the steps have to hold; place the origin near the mechanism",
      far, rounding, size);
}

// The expression that has no value here, or grows beyond all bounds, where that may be why a step failed;
// empty: there is none. A pole lies between the times that steps meet.
std::string at_fault(Outcome outcome, const Simulation& simulation) {
  if (outcome != Outcome::not_finite && outcome != Outcome::not_converged) return {};
  constexpr double kNoNumber = 1e3, kNoStep = 1e6;  // times the value at the start
  std::string expression = simulation::own_part_not_finite(simulation);
  if (expression.empty()) expression = simulation::expression_not_finite(simulation);
  if (expression.empty())
    expression =
        simulation::expression_grown(simulation, outcome == Outcome::not_finite ? kNoNumber : kNoStep);
  if (expression.empty()) return {};
  return expression + "; " + simulation::kLookWhy;
}

// A driver whose speed at the start is not finite, or two that ask for different speeds of one coordinate;
// empty: there are none.
std::string drivers_at_fault(const Simulation& simulation) {
  const std::vector<Driver>& drivers = simulation.mechanism().drivers;
  for (const Driver& driver : drivers)
    for (const std::string& text : driver.equals)
      if (!text.empty() && !std::isfinite(first_speed(simulation, driver, text)))
        return fmt::format(
            "driver '{}': the speed of '{}' is not finite at t = {:.6g} s, and no body can follow; write an "
            "expression that starts with a finite speed, such as step(t, 0, 0, 1, 1)",
            driver.name, text, simulation.state().t);
  for (std::size_t a = 0; a < drivers.size(); ++a)
    for (std::size_t b = a + 1; b < drivers.size(); ++b) {
      if (drivers[a].kind != drivers[b].kind || drivers[a].of != drivers[b].of ||
          drivers[a].markers != drivers[b].markers)
        continue;
      for (std::size_t k = 0; k < std::min(drivers[a].equals.size(), drivers[b].equals.size()); ++k) {
        if (drivers[a].equals[k].empty() || drivers[b].equals[k].empty()) continue;
        const double one = first_speed(simulation, drivers[a], drivers[a].equals[k]),
                     other = first_speed(simulation, drivers[b], drivers[b].equals[k]);
        if (one != other)
          return fmt::format(
              "drivers '{}' and '{}' move the same coordinate{}, and ask for speeds of {:.6g} and {:.6g} at "
              "the "
              "start; remove one of them",
              drivers[a].name, drivers[b].name,
              drivers[a].of.empty() ? "" : fmt::format(", that of '{}'", drivers[a].of), one, other);
      }
    }
  return {};
}

}  // namespace

std::string simulation::row_name(const Simulation& simulation, int row) {
  if (row < 0) return {};
  const system::RowOwner& owner = simulation.system().rows()[static_cast<std::size_t>(row)];
  if (owner.kind == system::RowOwner::Kind::body && !owner.joints.empty()) return owner.joints.front();
  return owner.name;
}

std::string explain(const Report& report, const Simulation& simulation) {
  if (report.outcome == Outcome::not_finite)
    if (std::string spring = spring_without_direction(simulation); !spring.empty()) return spring;
  if (report.outcome == Outcome::not_finite || report.outcome == Outcome::not_converged) {
    system::Terms terms = simulation.system().make_terms();
    if (std::string range = simulation.system().out_of_range(simulation.state(), terms); !range.empty())
      return range;
  }
  // What gave up, without its advice.
  const std::string what = report.message.substr(0, report.message.find(';'));
  if (report.outcome == Outcome::not_converged || report.outcome == Outcome::not_finite)
    if (std::string pole = simulation::expression_with_pole(simulation, simulation.state()); !pole.empty())
      return what.empty() ? pole : pole + " (" + what + ")";
  if (report.outcome == Outcome::not_converged)
    if (std::string far = far_away(simulation); !far.empty()) return far;
  if (report.outcome == Outcome::not_converged || report.outcome == Outcome::not_finite)
    if (std::string driver = driver_ends(simulation); !driver.empty()) return driver;
  if (report.outcome == Outcome::not_converged)
    if (std::string reach = out_of_reach(simulation); !reach.empty()) return reach;
  if (std::string expression = at_fault(report.outcome, simulation); !expression.empty()) {
    return report.outcome == Outcome::not_finite || what.empty() ? expression
                                                                 : expression + " (" + what + ")";
  }
  if (!report.message.empty()) return report.message;
  const double step = report.step > 0 ? report.step : simulation::landing_interval(simulation.plan()) / 64;
  if (report.outcome == Outcome::not_converged && simulation.plan().tolerance == 0)
    if (std::string turns = turns_too_far(simulation, step); !turns.empty()) return turns;
  const std::string joint = simulation::row_name(simulation, report.worst_row);
  const std::string where = joint.empty()
                                ? ""
                                : fmt::format("; the worst constraint is that of '{}' ({:.1e} of its size)",
                                              joint, report.violation);
  switch (report.outcome) {
    case Outcome::ok:
    case Outcome::marked:
      return {};
    case Outcome::not_converged:
      return fmt::format(
          "the step did not converge, even in steps of {:.2g} s{}; try a smaller step{}, look whether the "
          "joints can go "
          "on from here (a linkage at the end of its reach), or whether forces jump or become very stiff",
          step, where, simulation.plan().tolerance > 0 ? "" : " or a tolerance, which chooses the steps");
    case Outcome::singular:
      return fmt::format(
          "the equations are singular{}; some direction has neither mass nor a joint to hold it", where);
    case Outcome::not_finite:
      return fmt::format(
          "a number is no longer finite{}; look for a force or driver that divides by zero or takes the "
          "root of a negative number here",
          where);
    default:
      return report.message;
  }
}

std::string explain(const AssemblyReport& report, const Simulation& simulation) {
  if (report.report.accepted()) return {};
  if (!report.conflicts.empty()) {
    std::string names;
    for (std::size_t k = 0; k < std::min<std::size_t>(report.conflicts.size(), 5); ++k)
      names += (names.empty() ? "'" : ", '") + report.conflicts[k] + "'";
    if (report.conflicts.size() > 5) names += fmt::format(" and {} more", report.conflicts.size() - 5);
    bool given = false;
    for (const Point& point : simulation.mechanism().points) given = given || point.velocity;
    for (const Body& body : simulation.mechanism().bodies)
      given = given || body.velocity || body.angular_velocity;
    for (const Joint& joint : simulation.mechanism().joints) given = given || joint.speed;
    if (const auto& own = simulation.mechanism().generalized)
      for (const auto& q : own->coordinates) given = given || q.rate;
    if (given)
      return fmt::format(
          "the given initial velocities contradict each other, the drivers or the joints, at {}; give fewer "
          "of them",
          names);
    if (std::string drivers = drivers_at_fault(simulation); !drivers.empty()) return drivers;
    if (std::string many = simulation::over_driven(simulation); !many.empty()) return many;
    return fmt::format(
        "the drivers ask for velocities at the start that the joints or each other do not allow, at {}; look "
        "at their derivatives at t = {:.6g} s",
        names, simulation.state().t);
  }
  const std::string many = simulation::over_driven(simulation);
  if (!report.report.message.empty())
    return many.empty() ? report.report.message : fmt::format("{} ({})", many, report.report.message);
  if (report.open.empty()) return explain(report.report, simulation);
  std::string text = "the mechanism cannot be assembled";
  for (std::size_t k = 0; k < std::min<std::size_t>(report.open.size(), 5); ++k)
    text += fmt::format("{} '{}' stays open by {:.3g} {}", k == 0 ? ":" : ",", report.open[k].owner,
                        report.open[k].gap, report.open[k].is_angle ? "rad" : "m");
  if (report.open.size() > 5) text += fmt::format(" and {} more", report.open.size() - 5);
  // rad, and of the mechanism's length: numbers of six digits leave as much
  constexpr double kRoundedNumbers = 1e-6;
  const bool nearly_fits = std::ranges::all_of(report.open, [&](const AssemblyReport::Open& open) {
    return open.gap < kRoundedNumbers * (open.is_angle ? 1 : simulation.system().length_scale());
  });
  if (nearly_fits)
    return text +
           "; they fit but for the last digits of the dimensions, because more joints than needed hold the "
           "same "
           "motion, as the third of three parallel rods does: give exact dimensions, or leave out or free "
           "what "
           "repeats";
  return text + "; check lengths and places, or give a better starting position";
}

}  // namespace trammel
