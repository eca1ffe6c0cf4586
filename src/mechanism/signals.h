// Signals: the names that expressions may use, besides t, parameters, states, inputs and functions.
//
//   JOINT.angle JOINT.displacement JOINT.rate      a joint's coordinate and its speed (cylindrical: angle,
//                                                  displacement, angle_rate, displacement_rate)
//   BODY.angle BODY.rate                           planar bodies: rotation of the body's axes
//   BODY.alpha                                     planar bodies: the angular acceleration
//   SPRING.length SPRING.rate                      a spring's length and its speed
//   BELT.first BELT.second BELT.tangent            of an elastic span: the angles of its line of centres on
//                                                  its pulleys, what depends on their distance; also _rate
//   POINT.x .y .z .vx … .ax …                      a named point; also BODY.POINT.x for a body's own point;
//                                                  .v.x and .a.x are .vx and .ax
//   BODY.x … BODY.az                               the body's centre of mass
//   BODY.ex.x … BODY.ez.z                          components of its axes in the world; likewise .vx, .ax
//   JOINT.force.x JOINT.torque.x JOINT.effort      a reaction, as columns are named; also of drivers
//   COORDINATE COORDINATE.rate                     generalized models: their own coordinates and speeds
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expressions/expression.h"
#include "trammel/mechanism.h"

namespace trammel::mechanism {

struct Signal {
  enum class Kind {
    joint_angle,
    joint_displacement,
    body_angle,
    spring_length,
    belt_part,
    coordinate,
    body_axis,
    reaction,
    effort
  };
  Kind kind = Kind::coordinate;
  bool rate = false;          // the time derivative instead of the value
  std::string object;         // joint, driver, body or spring
  Marker point;               // coordinate; body_axis: the axis is the marker's x axis
  int axis = 0;               // coordinate, body_axis, reaction, belt_part: 0, 1, 2
  bool acceleration = false;  // the second derivative by time instead of the value
  bool torque = false;        // reaction: of the torque, else of the force
  bool joint_axes = false;    // reaction: in the joint's axes, else in the world's
  std::string body{};         // reaction: the body that receives it, where three or more meet

  // Known only when the forces are: accelerations and reactions.
  bool follows_forces() const { return acceleration || kind == Kind::reaction || kind == Kind::effort; }
};

// What a dotted name means in this mechanism, if anything.
std::optional<Signal> resolve_signal(const Mechanism&, const std::string& name);

// Every name that resolve_signal knows, for suggestions.
std::vector<std::string> signal_names(const Mechanism&);

// Which coordinates a joint has.
bool has_angle(const Mechanism&, const Joint&);
// A screw in its nut: its angle and its displacement are one motion.
bool is_thread(const Joint&);
// Dry friction can act on it: it has one coordinate, or is a thread, on whose angle it acts.
bool can_rub(const Mechanism&, const Joint&);
bool has_displacement(const Mechanism&, const Joint&);
// How many of its axes a body shows: a rod in space has no orientation about its own.
int shown_axes(const Mechanism&, const Body&);

// What a name stands for that is neither a signal nor a definition of the model: FORCE.force, FORCE.torque
// (.x …), which are the texts of their laws, BELT.stretch, BELT.rate, BODY.omega (.x …) and BODY.alpha.x …
std::optional<std::string> expand_signal(const Mechanism&, const std::string& name);

// What an expression may depend on besides parameters and functions: a driver's on time alone, those of a
// constraint of velocities on time and positions, those of forces and states on all that is known before the
// forces are, and outputs and conditions on everything.
enum class Scope { outputs, forces, time, positions };
// The names in an expression that are outside its scope.
std::vector<std::string> names_outside(Scope, const Mechanism&, const expressions::Symbols&,
                                       const expressions::Expression&);
// Whose expressions have this scope, and what they may use, for messages.
std::string scope_owner(Scope);
std::string scope_remedy(Scope);

// Whether an error of a text is that of a definition which it uses, and is told there. definition: whose text
// it is; empty: of none. A circle is told by the first of its definitions, one of forces alone by each force.
bool is_reported_elsewhere(const expressions::ExpressionError&, const std::string& definition);

// Symbols with t (slot 0), then states, then inputs, then generalized coordinates and then their rates;
// parameters as constants, functions and definitions; signals are resolved on demand and appended as
// variables, so that symbols.name(slot) is a signal's name. On the heap because the resolve hook keeps its
// address; the mechanism must outlive it.
std::unique_ptr<expressions::Symbols> make_symbols(const Mechanism&);

}  // namespace trammel::mechanism
