// StateReader: what belongs to a State beside its coordinates: accelerations, multipliers, energy, and which
// reactions can be trusted. A function of (System, State): the state need not be where a simulation stands.
#pragma once

#include <memory>
#include <optional>

#include "formulations/projection/projection.h"
#include "formulations/reactions/index1.h"
#include "formulations/reactions/reaction_freedom.h"
#include "simulation/time_limits.h"
#include "trammel/motion.h"
#include "trammel/resolved_plan.h"

namespace trammel::simulation {

class StateReader {
 public:
  StateReader(std::shared_ptr<const system::System> system, const Mechanism& mechanism,
              const ResolvedPlan& plan);

  const system::System& system() const { return *system_; }
  // A copy with the accelerations and multipliers that belong to its positions and velocities, free of the
  // iteration's round-off; or, if the plan wants these of the projections, with the multipliers of the last
  // step. Not accepted, with the reason: they do not exist or cannot be computed.
  State with_reactions(State state, Report& report);
  // What the System tells of a state, with the accelerations and reactions that belong to it where columns
  // name them; such columns are NaN where these are not known.
  std::vector<system::Reading> readings(const State& state);
  // The same of a copy that has them.
  std::vector<system::Reading> readings(const State& exact, bool known);
  const TimeLimits& time_limits() const { return limits_; }
  // Whether the reactions of such a copy are more than rounding.
  bool reactions_hold(const State& state);
  // Which of its reactions are one choice of many.
  formulations::ReactionFreedom freedom(const State& state);
  // From now on the efforts of these drivers are zero by choice: what would change them is no freedom.
  void leave_idle(std::vector<std::string> drivers) { idle_ = std::move(drivers); }
  Energy energy(const State& state);

  formulations::Index1Solver& index1() { return index1_; }
  formulations::Projector& projector() { return projector_; }
  // For reading the System; nothing is kept in them.
  system::Terms& scratch() { return scratch_; }

 private:
  bool react_closed(State& state);
  bool contradicts(const State& state);

  std::shared_ptr<const system::System> system_;
  TimeLimits limits_;
  bool of_projections_;  // reactions
  formulations::Index1Solver index1_;
  formulations::Projector projector_;
  system::Terms scratch_;
  std::optional<formulations::ReactionExam> exam_;  // made when it is first asked for
  std::vector<std::string> idle_;
};

}  // namespace trammel::simulation
