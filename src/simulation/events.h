// Events: what happens between two steps and changes the motion. A coordinate meets its end-stop and bounces
// or comes to rest there, or lets go of it; a condition ends the run.
//
// An event inside a step is located by repeating the step with shorter ones from the same state, until its
// time is known to 1e-10 s: every plan can do so. A stop is met where the coordinate passes its limit by
// 1e-10 of what counts as one. The velocity then jumps, or the coordinate
// comes to rest (impact.h); a stop holds until it would have to pull.
//
// A rolling contact that would need more friction than it has, or a pull, is reported; the motion goes on as
// if it had them, or ends there.
#pragma once

#include <functional>

#include "simulation/modes.h"

namespace trammel::simulation {

class Events {
 public:
  // Steps the running simulation by h.
  using Step = std::function<StepResult(double h)>;

  Events(Running& running, Step step);

  // Whether a mechanism has any.
  static bool any(const Mechanism& m);

  // Stops that hold from the start; refused when a coordinate lies beyond one.
  [[nodiscard]] Report start();
  // A condition, or the force of a contact, may come and go within a long step: these want to be looked at as
  // often as rows are kept. What a stop does within a step its coordinate and speed at the ends tell.
  bool need_landings() const;
  // Advances by h through all events, or to the one that ends the run; where a first step is given, to
  // wherever that leads.
  [[nodiscard]] StepResult advance(double h, const Step& first = {});

 private:
  using Sides = Holds;  // which limit of each stop is met

  void read(const State& state);
  double coordinate(std::size_t k) const { return watched_[watched_coordinate(k)]; }
  double speed(std::size_t k) const { return watched_[watched_speed(k)]; }
  bool ends() const { return !running_.mechanism.stop_when.empty() && watched_.back() != 0; }
  Sides met() const;
  bool any_met() const;
  Holds without_pull(const State& state);
  std::vector<double> lost(const State& state, std::vector<Event>* events);
  const std::vector<double>& remembered() const;
  bool happened(const State& state);
  double dip(const State& from, const State& to, double h);
  bool happened_by(double h);
  [[nodiscard]] StepResult move(double h);
  [[nodiscard]] bool locate(double h, StepResult& total);
  [[nodiscard]] bool handle(StepResult& total);

  Running& running_;
  Step step_;
  std::vector<double> watched_, scale_;
  std::vector<const Joint*> contacts_;  // whose friction is limited
  State before_, early_, late_;
  StepResult early_part_, late_part_;  // the steps that led there
};

}  // namespace trammel::simulation
