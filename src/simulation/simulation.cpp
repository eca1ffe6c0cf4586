#include "trammel/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "formulations/assembly.h"
#include "formulations/augmented_lagrangian_index3.h"
#include "formulations/index1.h"
#include "formulations/row_parameters.h"
#include "formulations/work.h"
#include "simulation/method.h"
#include "simulation/plan_check.h"

namespace trammel {
namespace {

// A failed step is halved this often before it is given up: 64 times smaller.
constexpr int kMaxHalvings = 6;

}  // namespace

Simulation::Simulation(const Mechanism& mechanism, const Plan& plan) : mechanism_(mechanism), plan_(plan) {
  const std::vector<std::string> problems = check_plan(plan);
  if (!problems.empty()) throw std::invalid_argument(problems.front());
  if ((plan.coordinates == "generalized") != mechanism.generalized.has_value())
    throw std::invalid_argument(
        mechanism.generalized
            ? "this model gives its own coordinates: it runs with coordinates generalized only"
            : "generalized coordinates need a model that gives them (coordinates: …)");
  system_ = compile(mechanism_);
  for (const auto* list : {&plan.penalty_of, &plan.omega_of, &plan.mu_of})
    for (const auto& [name, value] : *list)
      if (!owns_row(*system_, name))
        throw std::invalid_argument(
            fmt::format("'{}' has no constraint equation of its own; {}", name, name_an_owner(*system_)));
  method_ = make_method(system_, plan_);
  index1_ = std::make_unique<Index1Solver>(*system_, SolverChoice::automatic);
  state_ = system_->initial_state();
}

Simulation::~Simulation() = default;

AssemblyReport Simulation::assemble() {
  AssemblyReport out = trammel::assemble(*system_, state_);
  if (!out.report.accepted()) return out;
  out.largest_move = largest_move();
  const Report report = index1_->accelerations(state_);
  if (!report.accepted()) {
    out.report.outcome = report.outcome;
    return out;
  }
  out.report.message = method_->refusal(state_);
  if (!out.report.message.empty()) {
    out.report.outcome = Outcome::refused;
    return out;
  }
  const Terms& terms = index1_->terms();
  if (!state_.x.empty()) state_.remember("state rates", state_.x.size()) = terms.x_dot;
  method_->prepare(state_);
  follow_work(*system_, index1_->terms(), state_, 0);
  return out;
}

// How far assembly took a centre of mass or a named point from where the model places it.
double Simulation::largest_move() const {
  double largest = 0;
  const std::vector<Pose> poses = system_->poses(state_);
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Body& body = mechanism_.bodies[b];
    const Vec3 placed = body.placement.at + body.placement.axes * body.com;
    largest = std::max(largest, (poses[b].position - placed).norm());
  }
  const std::vector<Vec3> points = system_->point_positions(state_);
  for (std::size_t k = 0; k < points.size(); ++k)
    largest = std::max(largest, (points[k] - mechanism_.points[k].at).norm());
  return largest;
}

StepResult Simulation::step(double h) { return try_step(h, 0); }

StepResult Simulation::try_step(double h, int depth) {
  StepResult result = method_->step(state_, h);
  if (result.report.accepted() || depth == kMaxHalvings || !method_->halves_help()) return result;
  ++rejected_steps_;
  const State before = state_;
  StepResult first = try_step(0.5 * h, depth + 1);
  if (!first.report.accepted()) return first;
  StepResult second = try_step(0.5 * h, depth + 1);
  second.iterations += first.iterations;
  if (!second.report.accepted()) state_ = before;
  if (second.report.outcome == Outcome::ok && first.report.outcome == Outcome::marked) {
    second.report = first.report;
  }
  const Violation &a = first.violation, &b = second.violation;
  second.violation = {std::max(a.position, b.position), std::max(a.velocity, b.velocity),
                      std::max(a.acceleration, b.acceleration)};
  return second;
}

Energy Simulation::energy() const {
  Terms& terms = index1_->terms();
  system_->evaluate(state_, kAskForces, terms);
  Energy e{system_->kinetic_energy(state_, terms), terms.potential, 0};
  if (const std::vector<double>* work = state_.recall(kWork)) e.work = (*work)[0];
  return e;
}

State Simulation::with_reactions(Report& report) const {
  State s = state_;
  const std::vector<double>* found = s.recall(kProjectionMultipliers);
  if (plan_.reactions == "projections" && found) {
    report = {};
    s.lambda = *found;
    return s;
  }
  report = index1_->accelerations(s);
  return s;
}

long Simulation::rejected_steps() const { return rejected_steps_ + method_->rejected(); }
int Simulation::solver_fallovers() const { return method_->solver_fallovers(); }
std::string Simulation::solver_name() const { return method_->solver_name(); }

}  // namespace trammel
