// Chatter: switches that are passed again and again, as sign(v) where friction should stick.
//
// A switch that is passed four times within one advance has no branch for the next 2 steps; each further time
// for twice as many, up to 64. What acts is then read as it is, on both sides of the switch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulation/modes.h"
#include "simulation/switches.h"

namespace trammel::simulation {

class Chatter {
 public:
  Chatter(Running& running, const std::vector<Switch>& switches);

  // An advance begins; a switch is passed in it; it ends: the State then remembers what goes back and forth.
  void begin();
  void pass(std::size_t k) { ++times_[k]; }
  void end();

  // Whether a switch has no branch.
  bool rests(std::size_t k) const;
  bool any_rests() const;

  // Up to where a step from `before` may go at once, in an advance from `start` to `end`: while a switch has
  // no branch and error control chooses the steps of an implicit rule, these may become short at any time,
  // so that a step goes twice as far as all before it.
  double most(double start, const State& before, double end) const;
  // Takes a step. While a switch has no branch, no quadrature reads the work of what jumps on both sides of
  // it: the work of the step is then what the energy changes by.
  StepResult take(const std::function<StepResult()>& step);
  // Names the switch without a branch in the report of a step: an implicit rule cannot settle there.
  void blame(Report& report) const;
  // Refused where a switch has no branch and error control asks for steps so short that they will never come
  // to the end of the run.
  [[nodiscard]] Report forecast() const;

 private:
  const Switch* resting() const;

  Running& running_;
  const std::vector<Switch>& switches_;
  std::vector<int> times_;  // by switch: how often it was passed in this advance
};

}  // namespace trammel::simulation
