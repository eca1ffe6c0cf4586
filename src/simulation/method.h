// Method: a formulation with an integrator that fits it, as one thing that steps a State.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formulations/reactions/index1.h"
#include "system/dynamics.h"
#include "trammel/report.h"
#include "trammel/resolved_plan.h"

namespace trammel::simulation {

// What a step reads of a state beside t, q, v, x and inputs, and what therefore moves on its own: not the
// bookkeeping (counters, angles, pivots), nor λ, from which iterations only start, but for the λ̂ of
// constraints of velocities where forces found by a step act in the next.
struct Carried {
  bool accelerations = false;
  bool reactions = false;
  std::vector<MemorySlot> slots;  // absent where a state has no use for them
};

class Method {
 public:
  virtual ~Method() = default;
  // Advances the state by h, and the work that the State remembers with it; on failure it is untouched.
  [[nodiscard]] virtual StepResult step(State& state, double h) = 0;
  // One step of a size that the method chooses, at most h; a method of fixed steps takes h.
  [[nodiscard]] virtual StepResult advance(State& state, double h) { return step(state, h); }
  // Whether the motion within a step of advance() from here will be known.
  virtual bool dense(const State&) const { return false; }
  // The error of what between() tells of the last step, in units of what the tolerance allows a step;
  // infinite where it cannot be told.
  virtual double dense_error() { return std::numeric_limits<double>::infinity(); }
  // `state` as of t within the last step; only where it was dense.
  [[nodiscard]] virtual StepResult between(double, State&, Wanted) { return {}; }
  // Memory of a state that starts a run.
  virtual void prepare(State& state) = 0;
  // Why an assembled mechanism cannot be solved so; empty when it can.
  virtual std::string refusal(const State& state) = 0;
  virtual Carried carried() const { return {}; }
  // The size of the next step, s, where error control of an implicit rule chooses it; 0: none was taken yet.
  virtual std::optional<double> proposed(const State&) { return {}; }
  // True when a failed step may succeed in halves.
  virtual bool halves_help() const = 0;
  virtual long rejected() const { return 0; }
  virtual int solver_fallovers() const { return 0; }
  virtual std::string solver_name() const = 0;
  // What was chosen for a run that ended in that state, and why; empty where a person has chosen.
  virtual std::string choice(const State&) const { return {}; }
};

// Accelerations, multipliers and memories of a state from which the method is to go on.
[[nodiscard]] Report begin(const system::Dynamics& system, formulations::Index1Solver& index1, Method& method,
                           State& state);

// The plan must have passed check_plan().
std::unique_ptr<Method> make_method(std::shared_ptr<const system::Dynamics> system, const ResolvedPlan& plan);

}  // namespace trammel::simulation
