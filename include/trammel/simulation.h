// Simulation: a mechanism in motion. Assemble once, then step; the State is a value that can be copied,
// kept and put back, and goes on to the same bits.
//
//   Simulation simulation(mechanism, mechanism.plan);
//   if (!simulation.assemble().report.accepted()) …
//   while (simulation.state().t < 10) if (!simulation.step(1e-3).report.accepted()) …
#pragma once

#include <memory>

#include "trammel/mechanism.h"
#include "trammel/report.h"
#include "trammel/state.h"

namespace trammel {

class System;
class Events;
struct Running;

struct Energy {
  double kinetic = 0, potential = 0;  // J
  double work = 0;  // J, done since the start by drivers and by forces that have no potential
  // What conservation keeps constant.
  double balance() const { return kinetic + potential - work; }
};

class Simulation {
 public:
  // Throws std::invalid_argument, with a message for a person, when the plan does not fit the mechanism.
  Simulation(const Mechanism& mechanism, const Plan& plan);
  ~Simulation();

  // Brings the mechanism together at t = 0 and finds accelerations and multipliers there.
  AssemblyReport assemble();

  // Advances by h, through impacts on end-stops, or to where the run is to end (StepResult::ended). When the
  // step fails it is tried again in halves; when these fail too the state is untouched and the report says
  // why.
  StepResult step(double h);

  const State& state() const;
  void restore(const State& state);
  void set_time(double t);
  void set_input(std::size_t index, double value);

  Energy energy() const;
  // A copy of the state with the accelerations and multipliers that belong to its positions and velocities,
  // free of the iteration's round-off, for reactions; or, if the plan wants these of the projections, with
  // the multipliers of the last step.
  State with_reactions(Report& report) const;

  const Mechanism& mechanism() const;
  const Plan& plan() const;
  // The System of now: another one while something rests on its end-stop.
  const System& system() const;
  std::shared_ptr<const System> shared_system() const;
  long rejected_steps() const;
  int solver_fallovers() const;
  // How often a formulation changed its independent coordinates since the start.
  int coordinate_changes() const;
  std::string solver_name() const;

 private:
  StepResult try_step(double h, int depth);
  double largest_move() const;
  void place_as_in_natural();

  std::unique_ptr<Running> running_;
  std::unique_ptr<Events> events_;  // if the mechanism has any
  long rejected_steps_ = 0;
};

}  // namespace trammel
