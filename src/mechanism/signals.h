// Signals: the names that expressions may use, besides t, parameters, states, inputs and functions.
//
//   JOINT.angle JOINT.displacement JOINT.rate      a joint's coordinate and its speed (cylindrical: angle,
//                                                  displacement, angle_rate, displacement_rate)
//   BODY.angle BODY.rate                           planar bodies: rotation of the body's axes
//   SPRING.length SPRING.rate                      a spring's length and its speed
//   POINT.x .y .z .vx .vy .vz                      a named point; also BODY.POINT.x for a body's own point
//   BODY.x … BODY.vz                               the body's centre of mass
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
  enum class Kind { joint_angle, joint_displacement, body_angle, spring_length, coordinate };
  Kind kind = Kind::coordinate;
  bool rate = false;   // the time derivative instead of the value
  std::string object;  // joint, body or spring
  Marker point;        // coordinate
  int axis = 0;        // coordinate: 0, 1, 2
};

// What a dotted name means in this mechanism, if anything.
std::optional<Signal> resolve_signal(const Mechanism&, const std::string& name);

// Every name that resolve_signal knows, for suggestions.
std::vector<std::string> signal_names(const Mechanism&);

// Which coordinates a joint has.
bool has_angle(const Mechanism&, const Joint&);
bool has_displacement(const Mechanism&, const Joint&);

// What an expression may depend on besides parameters and functions: a driver's on time alone, those of a
// constraint of velocities on time and positions.
enum class Scope { anything, time, positions };
// The names in an expression that are outside its scope.
std::vector<std::string> names_outside(Scope, const Mechanism&, const expressions::Symbols&,
                                       const expressions::Expression&);
// Whose expressions have this scope, and what they may use, for messages.
std::string scope_owner(Scope);
std::string scope_remedy(Scope);

// Symbols with t (slot 0), then states, then inputs, then generalized coordinates and then their rates;
// parameters as constants, and functions; signals are resolved on demand and appended as variables, so that
// symbols.name(slot) is a signal's name. On the heap because the resolve hook keeps its address; the
// mechanism must outlive it.
std::unique_ptr<expressions::Symbols> make_symbols(const Mechanism&);

}  // namespace trammel::mechanism
