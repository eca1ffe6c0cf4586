#include "analysis/stability.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "analysis/spectrum.h"
#include "simulation/plan_check.h"
#include "trammel/simulation.h"

namespace trammel::analysis {
namespace {

// Of the accelerations that the forces would give free bodies; an assembled position is known to about 1e-12.
constexpr double kRest = 1e-8;
// Where nothing pulls: the mechanism's size in 1/s and 1/s².
constexpr double kStill = 1e-9;
// s, when to look whether anything depends on time.
constexpr double kLater[] = {1e-3, 0.0371, 0.37, 1.13, 7.9};
// A step from rest may move the mechanism by this part of its size: penalties let go of a little.
constexpr double kDrift = 1e-4;
// Tighter steps would not show in the eigenvalues.
constexpr double kGoodMap = 1e-10;
// Dense eigenvalues of a larger map would take minutes.
constexpr Eigen::Index kMostStates = 300;
// A part of an eigenvector below this is round-off.
constexpr double kPresent = 1e-5;

Report refused(std::string message) {
  Report report;
  report.outcome = Outcome::refused;
  report.message = std::move(message);
  return report;
}

// Why the start is no position of rest; empty when it is one.
std::string motion_at_start(const system::System& system, const State& s) {
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskForces, terms);
  const std::vector<double>&scale = system.coordinate_scale(), &inertia = system.inertia_scale();
  double pull = 0;  // 1/s²
  for (std::size_t i = 0; i < s.v.size(); ++i)
    if (inertia[i] > 0) pull = std::max(pull, std::abs(terms.Q[i]) / (inertia[i] * scale[i]));
  for (std::size_t i = 0; i < s.v.size(); ++i)
    if (!(std::abs(s.v[i]) / scale[i] <= kStill + kRest * std::sqrt(pull)))
      return fmt::format("{} starts with the velocity {:.3g}; leave initial velocities out",
                         system.coordinate_owner(static_cast<int>(i)), s.v[i]);
  for (std::size_t i = 0; i < s.a.size(); ++i)
    if (!(std::abs(s.a[i]) / scale[i] <= kStill + kRest * pull))
      return fmt::format(
          "{} accelerates by {:.3g} at the start; place the mechanism where its forces balance, to all "
          "digits (pi/2, not 1.5708), or take them away (--set gravity=[0,0])",
          system.coordinate_owner(static_cast<int>(i)), s.a[i]);
  return {};
}

// Why the start does not stay a position of rest; empty when it does.
std::string change_in_time(const system::System& system, const Mechanism& mechanism, State s) {
  system::Terms now = system.make_terms(), later = system.make_terms();
  constexpr unsigned ask = system::kAskPosition | system::kAskForces;
  system.evaluate(s, ask, now);
  for (std::size_t k = 0; k < now.x_dot.size(); ++k)
    if (!(std::abs(now.x_dot[k]) <= kStill * std::max(1.0, std::abs(s.x[k]))))
      return fmt::format("state '{}' changes at the rate {:.3g}; give it the initial value at which it rests",
                         mechanism.states[k].name, now.x_dot[k]);
  const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<Eigen::Index>(a.size());
    const Eigen::Map<const Eigen::VectorXd> x(a.data(), n), y(b.data(), n);
    return (x - y).norm() <= kStill * std::max(1.0, x.norm());
  };
  for (const double t : kLater) {
    s.t = t;
    system.evaluate(s, ask, later);
    if (!same(now.Phi, later.Phi) || !same(now.Phi_t, later.Phi_t) || !same(now.Q, later.Q) ||
        !same(now.x_dot, later.x_dot))
      return "drivers or forces change with time; set them to constants";
  }
  return {};
}

// How many steps make one map.
int cycle(const ResolvedPlan& plan) {
  const bool projects = plan.project_positions.value_or(false) || plan.project_velocities.value_or(false) ||
                        plan.project_accelerations.value_or(false);
  const bool counts = simulation::entry_of(plan.formulation).form == simulation::Form::ode;
  return projects && counts ? plan.projection_every : 1;
}

// The map with the least error over convergence criteria of the steps: what their iterations leave is noise
// in it, but rounding keeps them from the tightest.
StepMap best_map(const Simulation& simulation, ResolvedPlan plan, int steps) {
  StepMap best;
  const double given = plan.convergence;
  for (plan.convergence = std::min(1e-15, given);;
       plan.convergence = std::min(10 * plan.convergence, given)) {
    const std::unique_ptr<simulation::Method> method =
        simulation::make_method(simulation.shared_system(), plan);
    StepMap map = step_map(simulation.system(), *method, simulation.state(), plan.step, steps);
    const bool first = best.X.size() == 0;
    if (first || (map.X.size() > 0 && map.error.norm() < best.error.norm())) best = std::move(map);
    if (plan.convergence >= given || (best.X.size() > 0 && best.error.norm() < kGoodMap)) return best;
  }
}

// The lowest derivative of Φ that has a part in the eigenvectors.
Level lowest_level(const Eigenvalue& e, const std::vector<Level>& levels) {
  for (const Level level : {Level::position, Level::velocity})
    for (std::size_t k = 0; k < levels.size(); ++k)
      if (levels[k] == level && e.vectors.row(static_cast<Eigen::Index>(k)).norm() > kPresent) return level;
  return Level::acceleration;
}

std::vector<Mode> modes_of(const StepMap& map) {
  const auto n = static_cast<Eigen::Index>(map.motion.size()),
             m = static_cast<Eigen::Index>(map.violation.size());
  // What carries motion into violation is zero within its error, but for penalties; what is left counts as
  // one.
  const Eigen::MatrixXd beyond =
      (map.X.bottomLeftCorner(m, n).cwiseAbs() - map.error.bottomLeftCorner(m, n)).cwiseMax(0);
  const double coupling = beyond.norm() * std::max(1.0, map.X.topRightCorner(n, m).norm());
  std::vector<Mode> modes;
  const auto add = [&](const Eigen::MatrixXd& X, const Eigen::MatrixXd& error,
                       const std::vector<Level>& levels, bool violates) {
    for (const Eigenvalue& e : spectrum(X, error.cwiseMax(coupling)))
      modes.push_back({e.value, e.uncertainty, e.multiplicity, e.eigenvectors, violates,
                       violates ? lowest_level(e, levels) : Level::position});
  };
  add(map.X.topLeftCorner(n, n), map.error.topLeftCorner(n, n), map.motion, false);
  add(map.X.bottomRightCorner(m, m), map.error.bottomRightCorner(m, m), map.violation, true);
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& a, const Mode& b) { return a.modulus() > b.modulus(); });
  return modes;
}

}  // namespace

Stability stability(const Mechanism& mechanism, const Plan& given) {
  Stability out;
  Simulation simulation(mechanism, given);
  const ResolvedPlan& plan = simulation.resolved();
  out.step = plan.step;
  out.steps = cycle(plan);
  const auto refuse = [&](std::string message) {
    out.report = refused(std::move(message));
    return out;
  };
  const simulation::Form form = simulation::entry_of(plan.formulation).form;
  if (given.step == 0 && given.tolerance == 0)
    return refuse("stability is that of steps of one length, and the model has none; give --step");
  if (simulation::controls_error(plan))
    return refuse(fmt::format("{} chooses its own steps, which have no fixed map; {}",
                              form == simulation::Form::own_rule   ? name_of(plan.formulation)
                              : form == simulation::Form::residual ? "a tolerance"
                                                                   : name_of(plan.integrator),
                              form == simulation::Form::residual ? "give a step instead"
                                                                 : "take a rule of fixed step such as rk4"));
  if (plan.formulation == FormulationKind::modular)
    return refuse(
        "a step of modular moves the states of its subsystems, of which no map is made; take another "
        "formulation");
  const AssemblyReport assembly = simulation.assemble();
  if (!assembly.report.accepted()) {
    out.report = assembly.report;
    if (out.report.message.empty()) out.report.message = "the joints of the mechanism cannot be closed";
    return out;
  }
  std::string moving = motion_at_start(simulation.system(), simulation.state());
  if (moving.empty()) moving = change_in_time(simulation.system(), mechanism, simulation.state());
  if (!moving.empty()) return refuse("this is not a position of rest: " + moving);
  const system::Sizes& sizes = simulation.system().sizes();
  if (4 * sizes.v + 2 * sizes.states > kMostStates)
    return refuse(fmt::format("the mechanism has {} unknowns; stability is found for up to {}", sizes.v,
                              kMostStates / 4));
  const StepMap map = best_map(simulation, plan, out.steps);
  out.report = map.report;
  if (!out.report.accepted()) return out;
  if (map.drift > kDrift)
    return refuse(
        fmt::format("this is not a position of rest: a step moves the mechanism by {:.2g} of its size; "
                    "use a larger penalty, or another formulation",
                    map.drift));
  out.modes = modes_of(map);
  out.map_error = map.error.maxCoeff();
  double largest = 0;
  for (const Mode& mode : out.modes) {
    out.spectral_radius = std::max(out.spectral_radius, mode.modulus());
    largest = std::max(largest, mode.modulus() + mode.uncertainty);
  }
  out.uncertainty = largest - out.spectral_radius;
  return out;
}

}  // namespace trammel::analysis
