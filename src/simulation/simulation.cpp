#include "trammel/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "formulations/assembly.h"
#include "formulations/augmented_lagrangian_index3.h"
#include "formulations/index1.h"
#include "formulations/rows.h"
#include "integrators/generalized_alpha.h"
#include "simulation/plan_check.h"

namespace trammel {
namespace {

// A failed step is halved this often before it is given up: 64 times smaller.
constexpr int kMaxHalvings = 6;
constexpr const char* kWork = "work";  // J done so far, W now

AlphaRule rule_of(const Plan& plan) {
  AlphaRule rule;
  AlphaRule::named(plan, rule);
  return rule;
}

}  // namespace

struct Simulation::Method {
  AugmentedLagrangianIndex3 formulation;
  GeneralizedAlpha integrator;
  Index1Solver index1;
};

Simulation::Simulation(const Mechanism& mechanism, const Plan& plan) : mechanism_(mechanism), plan_(plan) {
  const std::vector<std::string> problems = check_plan(plan);
  if (!problems.empty()) throw std::invalid_argument(problems.front());
  system_ = compile(mechanism_);
  method_.reset(new Method{AugmentedLagrangianIndex3(system_, plan_),
                           GeneralizedAlpha(rule_of(plan), plan.tolerance, plan.max_iterations),
                           Index1Solver(*system_, solver_named(plan.solver))});
  state_ = system_->initial_state();
}

Simulation::~Simulation() = default;

AssemblyReport Simulation::assemble() {
  AssemblyReport out = trammel::assemble(*system_, state_);
  if (!out.report.accepted()) return out;
  const Report report = method_->index1.accelerations(state_);
  if (!report.accepted()) {
    out.report.outcome = report.outcome;
    return out;
  }
  const Terms& terms = method_->index1.terms();
  if (!state_.x.empty()) state_.remember("state rates", state_.x.size()) = terms.x_dot;
  method_->integrator.prepare(state_);
  if (system_->has_work()) {
    state_.remember(kWork, 2);
    follow_work(0);
  }
  return out;
}

// Trapezoidal rule for the work of forces without a potential and of drivers. The drivers' power λᵀΦ_t is
// v·(M v̇ − Q): the projected v̇ is of the rule's order, the iteration's λ only of the first.
void Simulation::follow_work(double h) {
  Terms& terms = method_->index1.terms();
  system_->evaluate(state_, kAskForces, terms);
  double power = terms.power;
  if (system_->rheonomic()) {
    for (double& Q : terms.Q) Q = -Q;
    add_mass_times(*system_, state_.a, 1, terms.Q);
    for (std::size_t i = 0; i < state_.v.size(); ++i) power += state_.v[i] * terms.Q[i];
  }
  std::vector<double>& work = state_.remember(kWork, 2);
  work[0] += 0.5 * h * (work[1] + power);
  work[1] = power;
}

StepResult Simulation::step(double h) { return try_step(h, 0); }

StepResult Simulation::try_step(double h, int depth) {
  StepResult result = method_->integrator.step(method_->formulation, state_, h);
  if (result.report.accepted()) {
    if (system_->has_work()) follow_work(h);
    return result;
  }
  const Outcome why = result.report.outcome;
  if (depth == kMaxHalvings || why == Outcome::refused) return result;
  ++rejected_steps_;
  const State before = state_;
  StepResult first = try_step(0.5 * h, depth + 1);
  if (!first.report.accepted()) return first;
  StepResult second = try_step(0.5 * h, depth + 1);
  second.iterations += first.iterations;
  if (!second.report.accepted()) state_ = before;
  if (second.report.outcome == Outcome::ok && first.report.outcome == Outcome::marked) {
    second.report.outcome = Outcome::marked;
    second.report.worst_row = first.report.worst_row;
  }
  const Violation &a = first.violation, &b = second.violation;
  second.violation = {std::max(a.position, b.position), std::max(a.velocity, b.velocity),
                      std::max(a.acceleration, b.acceleration)};
  return second;
}

Energy Simulation::energy() const {
  Terms& terms = method_->index1.terms();
  system_->evaluate(state_, kAskForces, terms);
  Energy e{system_->kinetic_energy(state_), terms.potential, 0};
  if (const std::vector<double>* work = state_.recall(kWork)) e.work = (*work)[0];
  return e;
}

State Simulation::with_reactions(Report& report) const {
  State s = state_;
  report = method_->index1.multipliers(s);
  return s;
}

int Simulation::solver_fallovers() const { return method_->formulation.fallovers(); }
std::string Simulation::solver_name() const { return std::string(method_->formulation.solver_name()); }

}  // namespace trammel
