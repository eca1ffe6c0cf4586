// Simulation: a mechanism in motion. Assemble once, then step; the State is a value that can be copied,
// kept and put back, and goes on to the same bits.
//
//   Simulation simulation(mechanism, mechanism.plan);
//   if (!simulation.assemble().report.accepted()) …
//   if (!simulation.advance_to(2.5).report.accepted()) …
//   const double angle = simulation.coordinate("hinge");
#pragma once

#include <functional>
#include <memory>

#include "trammel/executor.h"
#include "trammel/mechanism.h"
#include "trammel/motion.h"
#include "trammel/report.h"
#include "trammel/state.h"

namespace trammel::simulation {
class Breaks;
class Events;
class Pieces;
class StateReader;
struct FunctionOfState;
struct Running;
}  // namespace trammel::simulation

namespace trammel::system {
class System;
}  // namespace trammel::system

namespace trammel {

class MotionReader;
class Simulation;
struct ResolvedPlan;

// A sampled controller: reads the motion of a simulation and sets its inputs by name, which then stay until
// the next sample.
using Controller = std::function<void(Simulation&)>;
struct Sampling {
  double every = 0;  // s
  // A new controller for each simulation, so that the memory of one is not mixed up with that of another: the
  // second run of an error estimate has its own.
  std::function<Controller()> make;
};

// A function of the motion that is an event where it changes its sign. It is called at times within steps, in
// any order: it must depend on what it is given alone.
struct WatchedFunction {
  std::string name;
  std::function<double(const MotionReader&)> value;
  bool ends = false;  // the run, or the call that advances
};

// What it took to go on in another mechanism.
struct TakeOver {
  AssemblyReport assembly;  // largest_move: of a centre of mass, to close the joints
  double impulse = 0;       // N.s, the largest that a body received when velocities were projected
  double energy = 0;        // J, change of kinetic + potential energy
};

class Simulation {
 public:
  // Throws std::invalid_argument, with everything that is wrong with the mechanism and the plan, one sentence
  // a line. executor: runs the subsystems of formulation `modular` side by side, with other formulations the
  // two runs of run(); null: one after the other.
  Simulation(const Mechanism& mechanism, const Plan& plan, std::shared_ptr<Executor> executor = nullptr);
  ~Simulation();

  // Brings the mechanism together at t = 0 and finds accelerations and multipliers there; a second call finds
  // the same, to the bit. Throws std::logic_error if the simulation stands at a later time.
  AssemblyReport assemble();

  // Goes on from where another simulation stands, instead of assemble(): everything is carried over by name.
  // Then positions and velocities are projected onto this one's constraints, mass-orthogonally; parts too far
  // apart for that are first brought together without turning. Where the joints cannot be closed from there
  // the report says so, and this simulation cannot be used any more.
  TakeOver take_over(const Simulation& from);

  // Advances by h, through impacts on end-stops, or to where the run is to end (StepResult::ended). When the
  // step fails it is tried again in halves; when these fail too the state is untouched and the report says
  // why.
  StepResult step(double h);
  // Advances by one step of a size that the plan's tolerance chooses, at most h; by h where it is not
  // dense(). Where another method takes over, the call may end before the first step of that method.
  StepResult advance(double h);
  // Whether the motion within the next step of advance() will be known: then output need not shorten steps.
  bool dense() const;
  // The state at t within the last step of advance(), which was dense; constraints hold there too. Positions
  // alone, for a picture, cost half.
  StepResult between(double t, State& at, Wanted wanted = Wanted::all);
  // Advances to time t, through as many steps as the plan needs, and lands exactly there; or as far as it
  // gets, where a step fails or the run is to end. Throws std::invalid_argument if t is not finite. A
  // time that has passed takes no step.
  StepResult advance_to(double t);

  // Everything that the motion goes on from, but the model and its parameters. A copy that is restored later
  // goes on to the same bits.
  const State& state() const;
  void restore(const State& state);
  void set_time(double t);
  // Values of the model's `inputs:`, for the steps that follow. By name the input jumps here, as a sampled
  // controller's does; by index, in the order of the model, rules go from the old value to the new one within
  // a step, as suits an input that changes gradually.
  void set_input(const std::string& name, double value);
  void set_input(std::size_t index, double value);
  // Changes a parameter of the model and everything that depends on it (Mechanism::set_parameter). Before
  // assemble() this is the same as a model read with that value; later the motion goes on from where it is,
  // as take_over() does. Throws std::invalid_argument, with nothing changed, when the model cannot have the
  // value or its joints cannot be closed from here.
  TakeOver set_parameter(const std::string& name, double value);

  // The controller acts now, and then every so many seconds; steps end there. No `make`: none any more.
  // Throws std::invalid_argument for a time that is not positive.
  void control(Sampling sampling);
  const Sampling& sampling() const { return sampling_; }
  // Instead of those that were watched before. Where the motion within steps is known they are looked at
  // there too, else at the ends of steps. A function that is zero where a step begins has no sign to lose
  // in that step.
  void watch(std::vector<WatchedFunction> functions);
  const std::vector<WatchedFunction>& watched() const { return watched_; }

  // The motion as it is now, by the names of the model (trammel/motion_reader.h). A name that is not there
  // throws std::invalid_argument, with the nearest one.
  Pose pose(const std::string& body) const;
  // A named point "A", a body's own "crank.tip", or its centre of mass "crank.com".
  PointMotion point(const std::string& name) const;
  // Of a joint's only coordinate: rad and rad/s, or m and m/s.
  double coordinate(const std::string& joint) const;
  double speed(const std::string& joint) const;
  // What the results of a run have in the column of that name; or an input (trammel/motion_reader.h).
  double value(const std::string& name) const;
  // Of a joint, a driver or an end-stop. Solves for the accelerations and multipliers of this state.
  JointReaction reaction(const std::string& name) const;

  Energy energy() const;
  // A copy of the state with the accelerations and multipliers that belong to its positions and velocities,
  // free of the iteration's round-off, for reactions; or, if the plan wants these of the projections, with
  // the multipliers of the last step.
  State with_reactions(Report& report) const;

  const Mechanism& mechanism() const;
  // What was asked, and what was decided.
  const Plan& plan() const;
  const ResolvedPlan& resolved() const;
  const std::shared_ptr<Executor>& executor() const;
  // The System of now: another one while something rests on its end-stop.
  const system::System& system() const;
  // Reads any state of this simulation, as those within a step.
  simulation::StateReader& reader(const State& state) const;
  std::shared_ptr<const system::System> shared_system() const;
  long rejected_steps() const;
  int solver_fallovers() const;
  // How often a formulation changed its independent coordinates since the start.
  int coordinate_changes() const;
  std::string solver_name() const;
  // Which method was chosen, and why; empty where the plan names it.
  std::string choice() const;

 private:
  friend class ModularEditor;  // edits the running mechanism

  AssemblyReport begin(AssemblyReport closed);
  State carried_from(const Simulation& from, const std::vector<Pose>& poses) const;
  StepResult try_step(double h, int depth);
  bool at_break() const;
  void see_start();
  double look_ahead(double end, double step);
  double half_way(double to);
  StepResult step_to_landing(double h, bool cut);
  Report pass_break(std::vector<Event>& events);
  StepResult land_by_steps(double t, double h);
  StepResult land_by_tolerance(double t);
  void watch_events();
  std::vector<simulation::FunctionOfState> functions_of_state() const;
  double largest_move() const;
  std::vector<std::string> rough_shapes() const;
  AssemblyReport place_at_start();

  std::unique_ptr<simulation::Running> running_;
  std::unique_ptr<simulation::Events> events_;  // if the mechanism has any
  std::unique_ptr<simulation::Breaks> breaks_;  // if what acts on it has any
  std::unique_ptr<simulation::Pieces> pieces_;  // of the last step of advance()
  Sampling sampling_;
  Controller controller_;
  double first_sample_ = 0;  // s
  std::vector<WatchedFunction> watched_;
  State start_;             // of the last step
  bool assembled_ = false;  // assemble() or take_over() has succeeded
  long rejected_steps_ = 0;
};

}  // namespace trammel
