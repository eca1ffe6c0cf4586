// Report: what became of a numerical operation. Never thrown, never printed by the library, never ignored.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace trammel {

enum class Outcome {
  ok,
  marked,           // accepted, but only by a weaker, stated criterion
  not_converged,    // the iteration did not reach its tolerance
  singular,         // the tangent could not be factored
  not_finite,       // a NaN or an infinity appeared
  assembly_failed,  // the joints cannot be closed
  angle_jump,       // a joint turned more than half a turn in one step
  out_of_range,     // a joint left the positions in which its equations mean something
  refused           // the plan does not fit the mechanism
};

struct [[nodiscard]] Report {
  Outcome outcome = Outcome::ok;
  int iterations = 0;
  int worst_row = -1;    // constraint row with the largest scaled violation
  double violation = 0;  // that violation
  double step = 0;       // s, of a step that failed: the shortest that was tried
  std::string message;   // for a person: what happened and what to try; empty when ok

  bool accepted() const { return outcome == Outcome::ok || outcome == Outcome::marked; }
};

// What is left of Φ, Φ̇, Φ̈, lengths scaled to one.
struct Violation {
  double position = 0, velocity = 0, acceleration = 0;

  // Keeps the larger of both at each level.
  void take_larger(const Violation& other) {
    position = std::max(position, other.position);
    velocity = std::max(velocity, other.velocity);
    acceleration = std::max(acceleration, other.acceleration);
  }
};

// Something that happened within a step and changed the motion, or ended the run.
struct Event {
  enum class Kind {
    impact,    // a coordinate met its stop and bounced
    rest,      // met it and stays there
    release,   // left the stop it rested on
    slip,      // a rolling contact would need more friction than it has; the motion goes on as if it had
    lift,      // a rolling contact would have to pull
    grip,      // neither any longer
    stop,      // the condition that ends the run came true
    jump,      // the speed that a driver asks for jumped, and an impulse made the mechanism follow
    crossing,  // a function of the caller's own changed its sign
    stick,     // dry friction or a clutch came to rest and holds
    slide      // it held and slips now
  };
  double t = 0;  // s
  Kind kind = Kind::impact;
  std::string name;    // of the stop, contact, friction, driver or function; the condition
  double before = 0;   // speed of the coordinate; of a contact, its normal force (N)
  double after = 0;    // speed afterwards; of a contact, the tangential force that it needs (N); of a
                       // crossing, the new sign
  double impulse = 0;  // N.s or N.m.s, along the coordinate
  double energy = 0;   // J, change of the kinetic energy
};

// What one step needed and left.
struct StepResult {
  Report report;
  Violation violation;
  int iterations = 0;
  int steps = 1;  // that error control made of it
  std::vector<Event> events;
  bool stiff = false;  // stability, not accuracy, holds an explicit rule's steps down
  bool ended = false;  // the run is to end here, perhaps before the step's own end

  // Adds the next part of what is one step to its caller: the worst of both; the first mark stays.
  void take(const StepResult& part) {
    if (report.outcome != Outcome::marked || !part.report.accepted()) report = part.report;
    violation.take_larger(part.violation);
    iterations += part.iterations;
    report.iterations = iterations;
    steps += part.steps;
    events.insert(events.end(), part.events.begin(), part.events.end());
    stiff = stiff || part.stiff;
    ended = ended || part.ended;
  }
};

// How a roughly placed mechanism came together.
struct AssemblyReport {
  Report report;
  double largest_move = 0;  // m, of a point, from where the model places it
  // Bodies that carry several points, some of which were moved: their shape is still that of the first
  // places.
  std::vector<std::string> rough_shapes;
  struct Open {
    std::string owner;  // joint, body or driver
    double gap = 0;     // m, or rad
    bool is_angle = false;
  };
  std::vector<Open> open;              // when it fails: what stays open, largest first
  std::vector<std::string> conflicts;  // points, bodies, joints whose given velocity cannot be had
};

}  // namespace trammel
