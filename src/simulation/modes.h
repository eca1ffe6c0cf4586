// Modes: what a running simulation is made of, and the Systems it can be in.
//
// A coordinate that rests on its end-stop is held there by one more constraint. That is another System with
// the same coordinates: it is compiled when a stop first holds, and kept. Which stops hold is in the State.
// So it is with dry friction, which sticks (a constraint of velocities), slips one way or the other, or is
// open.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "simulation/method.h"
#include "simulation/state_reader.h"
#include "trammel/executor.h"
#include "trammel/mechanism.h"
#include "trammel/report.h"

namespace trammel::simulation {

// Memories of the State: which stops hold, and which rolling contacts are lost.
inline constexpr MemorySlot kStops{"stops", Lifetime::edit};
inline constexpr MemorySlot kContacts{"contacts", Lifetime::edit};
inline constexpr MemorySlot kGrips{"grips", Lifetime::edit};

// By stop: −1 rests on its lower limit, 1 on its upper, 0 is free.
using Holds = std::vector<int>;
// By dry friction, in the order of Mechanism::forces.
using Grips = std::vector<DryFriction::Now>;

class Modular;

struct Mode {
  Mode(const std::shared_ptr<const system::System>& s, const Mechanism& mechanism, const ResolvedPlan& plan);
  Mode(std::unique_ptr<Method> m, Modular& as_modular, const Mechanism& mechanism,
       const ResolvedPlan& plan);  // two names of one object

  std::shared_ptr<const system::System> system;
  std::unique_ptr<Method> method;  // formulation and integrator
  Modular* modular = nullptr;      // the method, where it is modular
  StateReader reader;

  // Another method of that kind, for steps aside; not where it is modular.
  Method& aside(const ResolvedPlan& plan);

 private:
  std::unique_ptr<Method> aside_;
};

class Modes {
 public:
  Modes(const Mechanism& mechanism, const ResolvedPlan& plan, Executor* executor);

  Mode& at(const Holds& holds, const Grips& grips);
  // Formulation modular: another mechanism of the same subsystems but for what came and went, from now on.
  // The state in the mode of `holds` becomes that of the new one. Throws std::invalid_argument, with a
  // message for a person, when it cannot be; then nothing has changed.
  void follow(const Mechanism& mechanism, const Holds& holds, State& state);
  const std::map<std::pair<Holds, Grips>, std::unique_ptr<Mode>>& all() const { return all_; }

 private:
  std::unique_ptr<Mode> make(const Mechanism& mechanism) const;

  Mechanism mechanism_;
  ResolvedPlan plan_;
  Executor* executor_;
  std::vector<mechanism::Watched> watched_;
  std::map<std::pair<Holds, Grips>, std::unique_ptr<Mode>> all_;
};

// The order of what Systems watch: coordinate and speed of each stop, speed, capacity and static
// capacity of each dry friction (stiction.h), the switches (switches.h), the signals of smooth pulses
// (passages.h), then the condition that ends the run.
inline std::size_t watched_coordinate(std::size_t stop) { return 2 * stop; }
inline std::size_t watched_speed(std::size_t stop) { return 2 * stop + 1; }

// An implicit rule would lose the velocities of a step this short to rounding; creep() takes it instead.
inline constexpr double kShort = 1e-8;  // s

struct Running {
  Running(const Mechanism& m, const Plan& a, const ResolvedPlan& p, std::shared_ptr<Executor> e);

  Holds holds() const { return holds(state); }
  Holds holds(const State& s) const;  // of a state
  void hold(const Holds& holds);
  Grips grips() const { return grips(state); }
  Grips grips(const State& s) const;
  void grip(const Grips& grips);
  void restore(const State& s);
  // Accelerations, multipliers and memories of a state that starts a run or comes out of a jump.
  [[nodiscard]] Report start();
  // What assemble() has made of the start: joints closed; then with accelerations and multipliers. None: the
  // motion has begun in another way.
  struct Assembled {
    State closed, begun;
    AssemblyReport report;
  };
  // Moves on by less than kShort.
  StepResult creep(double h);

  Mechanism mechanism;
  Plan asked;
  ResolvedPlan plan;
  std::shared_ptr<Executor> executor;  // of modular; may be null
  Modes modes;
  Mode* mode;  // of the state
  State state;
  std::optional<Assembled> assembled;
};

}  // namespace trammel::simulation
