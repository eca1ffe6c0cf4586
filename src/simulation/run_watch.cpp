#include "simulation/run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "integrators/generalized_alpha.h"
#include "simulation/acting_values.h"
#include "simulation/explain.h"
#include "simulation/open_rows.h"
#include "simulation/plan_check.h"
#include "system/system.h"

namespace trammel::simulation {

Watch::Watch(Simulation& simulation, RunSummary& summary) : simulation_(simulation), summary_(summary) {
  summary_.initial_energy = simulation.energy().kinetic + simulation.energy().potential;
  start_ = balance_ = simulation.energy().balance();
  potential_.see(simulation.energy().potential);
  work_.see(simulation.energy().work);
}

double Watch::grown() const {
  const double size = simulation_.system().length_scale(), t = simulation_.state().t, mass = total_mass(),
               crossing = t > 0 ? size / t : 0;
  double before = std::max({std::abs(summary_.initial_energy), mass * crossing * crossing,
                            mass * simulation_.mechanism().gravity.norm() * size});
  for (std::size_t k = 0; k + 1 < doubled_.size() && doubled_[k] <= t / 2; k += 2)
    before = std::max(before, doubled_[k + 1]);
  return largest_kinetic_ / before;
}

std::string Watch::growth(const std::string& cause) const {
  constexpr double kRunaway = 1e6;
  if (!(grown() > kRunaway)) return {};
  // By tolerance no step makes so much energy that no force has given.
  const bool made = !controls_error(simulation_.resolved()) && summary_.energy_drift > largest_kinetic_ / 2;
  return fmt::format("the motion grows without bound, to a kinetic energy of {:.2g} J{}", largest_kinetic_,
                     !cause.empty() ? ": " + cause
                     : made         ? " that no force has given, by errors of the steps"
                                    : " (look for a force that grows with it, as negative damping does)");
}

// A motion that gains or loses this part of its energy is not the mechanism's, whatever its steps say.
//
// Bodies that drivers move slowly have hardly any kinetic energy, while the drivers lift weights and stretch
// springs: the energy that goes to and fro is then the range of the potential, or of the work. Its balance
// errs by the quadrature of the work, so that less of it is allowed.
void Watch::warn() {
  constexpr double kPart = 0.05, kExchanged = 1e-3;
  // Of a mechanism at rest only rounding moves.
  constexpr double kAtRest = 1e-6;
  // Nor do bodies that crawl by less than this part of their size in a second, sink by less than this part of
  // it into an end-stop, or give way by less than this part of it to what presses on them.
  constexpr double kCrawl = 1e-10, kSunk = 1e-9, kGivesWay = 1e-12;
  const double size = simulation_.system().length_scale();
  const double still =
      total_mass() * (std::pow(kCrawl * size, 2) + simulation_.mechanism().gravity.norm() * kSunk * size) +
      kGivesWay * applied_energy();
  const double exchanged = std::max(potential_.width(), work_.width()),
               largest = std::max({largest_kinetic_, potential_.size(), work_.size()});
  summary_.energy_rounding = std::numeric_limits<double>::epsilon() * largest;
  if (summary_.energy_drift > std::max({kPart * largest_kinetic_, kExchanged * exchanged,
                                        kAtRest * std::max(potential_.size(), work_.size()), still}) &&
      summary_.steps > 0) {
    // A step that leaps over a pole ends far from it; the motion before was fast already.
    std::string pole;
    for (const std::string& at : {changed_at_, doubled_at_[0], doubled_at_[1]})
      if (pole.empty() && !at.empty()) pole = expression_with_pole(simulation_, state_from_bytes(at));
    summary_.warnings.push_back(fmt::format(
        "the energy balance drifts by {:.3g} J, of a largest kinetic energy of {:.3g} J and {:.3g} J of "
        "potential energy and work: do not trust this motion; {}",
        summary_.energy_drift, largest_kinetic_, exchanged,
        !pole.empty() ? pole
        : controls_error(simulation_.resolved())
            ? "take a smaller tolerance: it is a part of the mechanism's size, however small the motion is"
            : "take a smaller step, or another formulation"));
  }
  // A thousandth of its size open: no longer the mechanism that was described.
  constexpr double kOpen = 1e-3;
  if (summary_.violation.position > kOpen)
    summary_.warnings.push_back(
        fmt::format("constraints open by up to {:.2g} of their size: do not trust this motion; give a larger "
                    "penalty, projections, or another formulation",
                    summary_.violation.position));
}

void Watch::see(const StepResult& step) {
  summary_.steps += step.steps;
  summary_.iterations += step.iterations;
  summary_.events.insert(summary_.events.end(), step.events.begin(), step.events.end());
  see(simulation_.energy());
  for (const Event& e : step.events) see_impact(e);
  see_change(simulation_.energy().balance());
  if (step.report.outcome != Outcome::marked) return summary_.violation.take_larger(step.violation);
  summary_.marked_violation.take_larger(step.violation);
  const bool own_penalty = simulation_.plan().penalty || !simulation_.plan().penalty_of.empty();
  std::string reason = step.report.message;
  if (reason == integrators::kNotProjected) reason += ", " + why_not_closed(simulation_, simulation_.state());
  if (own_penalty) reason += ", or by a penalty too small for the step";
  summary_.marked_steps.push_back(
      {simulation_.state().t, std::move(reason), row_name(simulation_, step.report.worst_row)});
}

// What moves between two steps and rests at their ends has a kinetic energy too. With m the mass that an
// impulse p moves along its coordinate, p = m (v₊ − v₋): the energy is ½ m v².
void Watch::see_impact(const Event& e) {
  if (e.kind != Event::Kind::impact && e.kind != Event::Kind::rest && e.kind != Event::Kind::jump) return;
  const double v = std::max(std::abs(e.before), std::abs(e.after)), change = std::abs(e.after - e.before);
  if (change > 0) largest_kinetic_ = std::max(largest_kinetic_, 0.5 * std::abs(e.impulse) * v * v / change);
}

// Changes of a motion that is right are too small to be of use.
void Watch::see_change(double balance) {
  constexpr double kOfUse = 1e-3;
  const double change = std::abs(balance - std::exchange(balance_, balance));
  if (!(change > largest_change_ && change > kOfUse * largest_kinetic_)) return;
  largest_change_ = change;
  changed_at_ = to_bytes(simulation_.state());
}

void Watch::see(const Energy& energy) {
  summary_.energy_drift = std::max(summary_.energy_drift, std::abs(energy.balance() - start_));
  largest_kinetic_ = std::max(largest_kinetic_, energy.kinetic);
  if (largest_kinetic_ > (doubled_.empty() ? 0 : 2 * doubled_.back())) {
    doubled_.insert(doubled_.end(), {simulation_.state().t, largest_kinetic_});
    doubled_at_[1] = std::exchange(doubled_at_[0], to_bytes(simulation_.state()));
  }
  potential_.see(energy.potential);
  work_.see(energy.work);
}

// What the applied forces would do along one coordinate's scale.
double Watch::applied_energy() const {
  const system::System& system = simulation_.system();
  system::Terms terms = system.make_terms();
  system.evaluate(simulation_.state(), system::kAskPosition | system::kAskForces, terms);
  double largest = 0;
  for (std::size_t k = 0; k < terms.Q.size(); ++k)
    largest = std::max(largest, std::abs(terms.Q[k]) * system.coordinate_scale()[k]);
  return largest;
}

double Watch::total_mass() const {
  double sum = 0;
  for (const Body& body : simulation_.mechanism().bodies) sum += body.mass;
  return sum;
}

}  // namespace trammel::simulation
