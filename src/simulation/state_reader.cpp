#include "simulation/state_reader.h"

#include <algorithm>
#include <cmath>

#include "formulations/index3/augmented_lagrangian_index3.h"
#include "formulations/matrices/dense_terms.h"
#include "formulations/reactions/work.h"
#include "formulations/rows/penalty_mobility.h"
#include "formulations/rows/rows.h"
#include "linalg/rank.h"
#include "math/spans.h"
#include "simulation/plan_check.h"

namespace trammel::simulation {
namespace {

// Reactions hold that change by no more than this part when the state is moved aside by so much.
constexpr double kHolds = 0.1, kNudge = 1e-10;
// So much of the forces and of the momentum a second is rounding, and means that there are no reactions. The
// momentum is that of the masses by which penalties are chosen: these bring the rounding. Velocities below
// the kNudge by which the state is moved count as that.
constexpr double kNothing = 1e-9;

// Φ_vᵀλ
std::vector<double> constraint_forces(const system::System& system, const system::Terms& terms,
                                      const State& state) {
  std::vector<double> forces(terms.Q.size(), 0);
  for (std::size_t r = 0; r < state.lambda.size(); ++r)
    formulations::add_row(system.jacobian(), terms.Phi_v, r, state.lambda[r], forces);
  return forces;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Whether the multipliers do nothing to the motion.
bool presses_nowhere(const system::System& system, const system::Terms& terms, const State& state) {
  const std::vector<double> forces = constraint_forces(system, terms, state);
  std::vector<double> momentum(terms.Q.size(), 0);
  const std::vector<double> mobility = formulations::penalty_mobility(system, terms);
  for (std::size_t k = 0; k < momentum.size(); ++k)
    momentum[k] = std::max(std::abs(state.v[k]), kNudge * system.coordinate_scale()[k]) / mobility[k];
  return math::largest(forces) <= kNothing * std::max(math::largest(terms.Q), math::largest(momentum));
}

}  // namespace

StateReader::StateReader(std::shared_ptr<const system::System> system, const Mechanism& mechanism,
                         const ResolvedPlan& plan)
    : system_(std::move(system)),
      limits_(mechanism, landing_interval(plan)),
      of_projections_(plan.reactions == "projections"),
      index1_(*system_),
      projector_(*system_, SolverChoice::automatic),
      scratch_(system_->make_terms()) {}

State StateReader::with_reactions(State state, Report& report) {
  const std::vector<double>* found = state.recall(formulations::kProjectionMultipliers);
  // Which flanks press is not known in a step, so that its multipliers lack their radial forces.
  if (of_projections_ && found && system_->flank_rows().empty()) {
    report = {};
    state.lambda = *found;
    return state;
  }
  report = index1_.reactions(state);
  if (contradicts(state)) {
    State closed = state;
    if (react_closed(closed)) {
      report = {};
      state.a = closed.a;
      state.lambda = closed.lambda;
    }
  }
  if (std::string missing = limits_.missing_at(state).words; !missing.empty()) {
    report.outcome = Outcome::not_finite;
    report.message = std::move(missing);
  }
  return state;
}

std::vector<system::Reading> StateReader::readings(const State& state) {
  if (!system_->reads_reactions()) return system_->readings(state, scratch_);
  Report solved;
  const State exact = with_reactions(state, solved);
  return readings(exact, solved.accepted());
}

std::vector<system::Reading> StateReader::readings(const State& exact, bool known) {
  if (known || !system_->reads_reactions()) return system_->readings(exact, scratch_);
  State unknown = exact;
  for (auto* values : {&unknown.a, &unknown.lambda})
    std::fill(values->begin(), values->end(), std::numeric_limits<double>::quiet_NaN());
  return system_->readings(unknown, scratch_);
}

// Whether rows that say the same where the constraints are closed say different things here, because a
// formulation has left them open: accelerations and reactions of such rows mean nothing. The terms of index 1
// are those of the state.
bool StateReader::contradicts(const State& state) {
  // Lengths scaled to one: rows that are turned by less count as dependent still.
  constexpr double kOpen = formulations::kRankTolerance;
  const system::Sizes& sizes = system_->sizes();
  if (sizes.rows > formulations::ReactionExam::kPerOutput) return false;
  double open = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(sizes.holonomic); ++r)
    open = std::max(open, std::abs(index1_.terms().Phi[r]) / system_->rows()[r].scale);
  if (!(open > kOpen)) return false;
  State closed = state;
  projector_.forget();
  if (!projector_.positions(closed).accepted()) return false;
  system_->evaluate(closed, system::kAskPosition, scratch_);
  const Eigen::MatrixXd rows = formulations::scaled_rows(*system_, scratch_);
  return linalg::rank_of_rows(rows, formulations::kRankTolerance).rank < sizes.rows;
}

// Where the constraints are closed: rows that are redundant contradict each other elsewhere.
bool StateReader::react_closed(State& state) {
  double ignored = 0;
  projector_.forget();
  return projector_.positions(state).accepted() && projector_.velocities(state, ignored).accepted() &&
         index1_.reactions(state).accepted();
}

bool StateReader::reactions_hold(const State& state) {
  if (of_projections_) return true;
  const std::vector<double>& scale = system_->coordinate_scale();
  State closed = state, aside = state;
  std::vector<double> way(scale.size());
  for (std::size_t i = 0; i < way.size(); ++i) way[i] = (i % 2 == 0 ? kNudge : -kNudge) * scale[i];
  system_->retract(aside.q, way);
  for (std::size_t i = 0; i < way.size(); ++i) aside.v[i] += way[i];
  if (!react_closed(closed)) return false;
  const std::vector<double> applied = index1_.terms().Q,
                            forces = constraint_forces(*system_, index1_.terms(), closed);
  if (!react_closed(aside)) return false;
  if (presses_nowhere(*system_, index1_.terms(), state)) return true;
  if (largest_difference(aside.lambda, closed.lambda) <= kHolds * math::largest(closed.lambda)) return true;
  // Small reactions beside a stiff spring. Away from singular positions, constraint forces are the applied
  // ones projected orthogonally in the metric of the masses: there they change by no more than the spring's
  // force does. 3 leaves room for the largest component, in which the change is measured here.
  constexpr double kFollows = 3;
  return largest_difference(constraint_forces(*system_, index1_.terms(), aside), forces) <=
         kFollows * largest_difference(index1_.terms().Q, applied);
}

formulations::ReactionFreedom StateReader::freedom(const State& state) {
  if (!exam_) exam_.emplace(*system_, formulations::ReactionExam::kPerOutput);
  formulations::ReactionFreedom freedom = exam_->at(state, scratch_);
  return idle_.empty() ? freedom : formulations::without_efforts(std::move(freedom), idle_);
}

Energy StateReader::energy(const State& state) {
  system::Terms& terms = index1_.terms();
  system_->evaluate(state, system::kAskForces | system::kAskEnergy, terms);
  Energy e{system_->kinetic_energy(state, terms), terms.potential, 0};
  if (const std::vector<double>* work = state.recall(formulations::kWork)) e.work = (*work)[0];
  return e;
}

}  // namespace trammel::simulation
