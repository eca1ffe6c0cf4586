#include "simulation/start_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "formulations/projection/assembly.h"
#include "mechanism/couplers.h"
#include "mechanism/teeth.h"
#include "simulation/held_start.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
// Parts of the way to the start: rad, and of the mechanism's size. Newton's method closes joints from there.
constexpr double kAnglePart = 0.4, kLengthPart = 0.3;
// Ways of angles beyond this can take other angles beyond half a turn.
constexpr double kFar = std::numbers::pi / 2;
// Each part takes a new System: so many take seconds.
constexpr double kMostParts = 5000;
// By this much of a part all parts but the last end early: a round angle would often be a singular position.
constexpr double kUnequal = 0.31;
// The end of a way is found by this many halvings of a part, to nine digits of it.
constexpr int kHalvings = 30;

struct Place {
  Vec3 at;
  Mat3 axes;
};
Place place_of(const Mechanism& mechanism, const std::vector<Pose>& poses, const Marker& marker) {
  for (std::size_t b = 0; b < poses.size(); ++b)
    if (mechanism.bodies[b].name == marker.body)
      return {poses[b].position + poses[b].axes * (marker.frame.at - mechanism.bodies[b].com),
              poses[b].axes * marker.frame.axes};
  return {marker.frame.at, marker.frame.axes};
}

// How fast what is geared turns beside what gears it, at most.
double fastest(const Mechanism& mechanism) {
  double all = 1;
  for (const Joint& joint : mechanism.joints) {
    if (joint.kind == Joint::Kind::gear) all *= std::max(std::abs(joint.value), 1 / std::abs(joint.value));
    // One more where the line of centres turns too.
    if (const double ratio = mechanism::speed_ratio(mechanism, joint); ratio > 0)
      all *= 1 + std::max(ratio, 1 / ratio);
  }
  return all;
}

// What a given coordinate reads in these poses, angles up to whole turns.
double reading(const Mechanism& mechanism, const std::vector<Pose>& poses, const GivenCoordinate& given) {
  if (given.driver.kind == Driver::Kind::body_angle) {
    for (std::size_t b = 0; b < poses.size(); ++b)
      if (mechanism.bodies[b].name == given.driver.of) return poses[b].angle;
    return 0;
  }
  const Joint& joint = *mechanism.joint(given.driver.of);
  const Place moving = place_of(mechanism, poses, joint.markers[0]),
              base = place_of(mechanism, poses, joint.markers[1]);
  if (given.angle) {
    const Vec3 x = moving.axes.col(0);
    return std::atan2(x.dot(base.axes.col(1)), x.dot(base.axes.col(0))) + joint.offset;
  }
  return (moving.at - base.at).dot(base.axes.col(mechanism.is_planar ? 0 : 2)) + joint.offset;
}

// Ways of given coordinates from where the joints close while none is given, all at once.
class StartPath {
 public:
  // Throws std::invalid_argument where natural coordinates cannot express the mechanism.
  StartPath(const Mechanism& mechanism, std::vector<GivenCoordinate> given)
      : undriven_(mechanism), given_(std::move(given)) {
    fastest_ = fastest(mechanism);
    std::erase_if(undriven_.drivers, gives_coordinate);
    // Constants of couplers are those of the drawn places all along.
    for (Joint& joint : undriven_.joints)
      for (const GivenCoordinate& one : given_)
        if (one.driver.kind == Driver::Kind::joint && one.driver.of == joint.name) joint.held = one.value;
    const auto system = system::compile(undriven_);
    State state = system->initial_state();
    closes_ = formulations::assemble_positions(*system, state).report.accepted();
    if (!closes_) return;
    closed_ = {system->poses(state), system->turns(state)};
    for (const GivenCoordinate& one : given_) {
      from_.push_back(reading(mechanism, closed_.poses, one));
      const double whole = one.value - from_.back();
      way_.push_back(one.angle ? std::remainder(whole, kTurn) : whole);
    }
    length_part_ = kLengthPart * system->length_scale();
    divide();
  }

  bool closes() const { return closes_; }

  // With all turns of angles whose start is not drawn. False: none goes far enough for other joints to turn
  // by half a turn.
  bool take_turns() {
    bool far = false;
    for (std::size_t i = 0; i < way_.size(); ++i) {
      const bool drawn_there = !given_[i].initial && std::abs(way_[i]) < mechanism::kDrawnThere;
      if (!given_[i].angle || drawn_there || !is_tied(undriven_, given_[i])) continue;
      way_[i] = given_[i].value - from_[i];
      far = far || std::abs(way_[i]) * fastest_ > kFar;
    }
    divide();
    return far;
  }

  // The other way round, for angles.
  void turn_round() {
    for (std::size_t i = 0; i < way_.size(); ++i)
      if (given_[i].angle && way_[i] != 0) way_[i] -= std::copysign(kTurn, way_[i]);
    divide();
  }

  bool too_many_turns() const { return needed_ > kMostParts; }

  // To the end, by small parts. None: the way is blocked.
  std::optional<StartPosition> lead() {
    at_ = before_ = {closed_, {}, 0};
    for (taken_ = 0; taken_ < parts_; ++taken_) {
      std::optional<Reached> next = closed_at(end_of(taken_));
      if (!next) return std::nullopt;
      before_ = std::exchange(at_, *std::move(next));
    }
    StartPosition start = at_.position;
    for (const GivenCoordinate& one : given_)
      if (one.angle) start.turns[one.driver.of + ".angle"] = one.value;
    return start;
  }

  // After a lead that was blocked: how much of the first coordinate's way lies beyond what the joints allow.
  double beyond() const {
    double allowed = at_.part, blocked = end_of(taken_);
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (allowed + blocked);
      (closed_at(middle) ? allowed : blocked) = middle;
    }
    return (1 - allowed) * way_.front();
  }

 private:
  // Into parts that Newton's method can take, of what is geared too.
  void divide() {
    needed_ = 1;
    for (std::size_t i = 0; i < way_.size(); ++i)
      needed_ = std::max(
          needed_, std::ceil(std::abs(way_[i]) / (given_[i].angle ? kAnglePart / fastest_ : length_part_)));
    parts_ = std::min(needed_, kMostParts);
  }

  // Of a part, counted from 0. Unequal, so that none ends just where a parallelogram is flat, half a turn on.
  double end_of(double part) const { return part + 1 < parts_ ? (part + 1 - kUnequal) / parts_ : 1; }

  struct Reached {
    StartPosition position;
    std::vector<double> q;
    double part;
  };

  // At that part of the ways, straight on from where the last two have led: so a singular position is passed
  // without a change to another branch. None where the joints do not close.
  std::optional<Reached> closed_at(double part) const {
    Mechanism mechanism = undriven_;
    for (std::size_t i = 0; i < given_.size(); ++i)
      mechanism.drivers.push_back(held_at(given_[i].driver, from_[i] + way_[i] * part));
    const auto system = system::compile(mechanism);
    State state = system->initial_state();
    system->place(mechanism.bodies, at_.position.poses, state);
    if (before_.q.size() == state.q.size() && at_.part > before_.part) {
      const double on = (part - at_.part) / (at_.part - before_.part);
      for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] = at_.q[i] + on * (at_.q[i] - before_.q[i]);
    }
    system->take_turns(at_.position.turns, state);
    if (!formulations::assemble_positions(*system, state).report.accepted()) return std::nullopt;
    return Reached{{system->poses(state), system->turns(state)}, state.q, part};
  }

  Mechanism undriven_;
  std::vector<GivenCoordinate> given_;
  bool closes_ = false;
  StartPosition closed_;
  Reached at_, before_;
  std::vector<double> from_, way_;  // by given coordinate
  double length_part_ = 0;
  double fastest_ = 1;                         // of what is geared, over what is given
  double needed_ = 1, parts_ = 1, taken_ = 0;  // whole numbers
};

std::string in_units(double value, bool angle) {
  return angle ? fmt::format("{:.4g} rad ({:.4g} deg)", value, value * 180 / std::numbers::pi)
               : fmt::format("{:.4g} m", value);
}

std::string asked_for(const GivenCoordinate& one) {
  const char* what = one.angle ? "angle" : "displacement";
  return one.initial
             ? fmt::format("the initial {} of '{}', {},", what, one.driver.of, in_units(one.value, one.angle))
             : fmt::format("the {} of '{}' that driver '{}' gives at the start, {},", what, one.driver.of,
                           one.driver.name, in_units(one.value, one.angle));
}

// What of a coordinate lies beyond the joints' reach when it alone is given, by the shorter of both ways;
// none where it can be reached.
std::optional<double> beyond_reach(const Mechanism& mechanism, const GivenCoordinate& one) {
  StartPath path(mechanism, {one});
  if (!path.closes() || path.lead()) return std::nullopt;
  double beyond = path.beyond();
  if (!one.angle) return beyond;
  path.turn_round();
  if (path.lead()) return std::nullopt;
  const double other = path.beyond();
  return std::abs(other) < std::abs(beyond) ? other : beyond;
}

}  // namespace

std::optional<StartPosition> lead_along_turns(const Mechanism& mechanism) {
  const std::vector<GivenCoordinate> given = given_coordinates(mechanism);
  // The drawn place of a driven angle is rarely far from zero.
  const double turns = fastest(mechanism);
  const auto may_turn = [&](const GivenCoordinate& one) {
    return one.angle && (one.initial || std::abs(one.value) * turns > kFar);
  };
  if (std::ranges::none_of(given, may_turn)) return std::nullopt;
  try {
    StartPath path(mechanism, given);
    if (!path.closes() || !path.take_turns() || path.too_many_turns()) return std::nullopt;
    return path.lead();
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::optional<StartPosition> lead_to_start(const Mechanism& mechanism) {
  const std::vector<GivenCoordinate> given = given_coordinates(mechanism);
  if (given.empty()) return std::nullopt;
  try {
    StartPath path(mechanism, given);
    if (!path.closes()) return std::nullopt;
    if (const auto found = path.lead()) return found;
    path.turn_round();
    return path.lead();
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // natural coordinates cannot express every mechanism
  }
}

std::string too_many_turns(const Mechanism& mechanism) {
  const std::vector<GivenCoordinate> given = given_coordinates(mechanism);
  try {
    StartPath path(mechanism, given);
    if (!path.closes() || !path.take_turns() || !path.too_many_turns()) return {};
  } catch (const std::invalid_argument&) {
    return {};
  }
  return "a start so many turns from the places in the model cannot be followed by what is geared or in a "
         "loop; "
         "give fewer turns";
}

std::string out_of_reach(const Mechanism& mechanism) {
  const std::vector<GivenCoordinate> given = given_coordinates(mechanism);
  try {
    if (given.empty() || !StartPath(mechanism, given).closes()) return {};
    for (const GivenCoordinate& one : given)
      if (const std::optional<double> beyond = beyond_reach(mechanism, one))
        return fmt::format(
            "{} cannot be reached; the nearest that the joints allow from the places in the model is {}",
            asked_for(one), in_units(one.value - *beyond, one.angle));
  } catch (const std::invalid_argument&) {
    return {};
  }
  if (given.size() == 1) return {};
  std::vector<std::string> names;
  for (const GivenCoordinate& one : given) names.push_back(asked_for(one));
  return fmt::format("{} cannot be reached together, though each of them can; give fewer of them",
                     fmt::join(names, " and "));
}

}  // namespace trammel::simulation
