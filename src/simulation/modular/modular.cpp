#include "simulation/modular/modular.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "forms/residual_form.h"
#include "formulations/reactions/work.h"
#include "formulations/rows/rows.h"
#include "linalg/dense.h"
#include "simulation/plan_check.h"

namespace trammel::simulation {
namespace {

// Steps with modules that look ahead contract by a tenth or better in each pass.
constexpr int kMaxPasses = 50;

// The memory of angles of a component, if it has any.
std::span<double> angles(State& s) {
  for (Memory& memory : s.memory)
    if (memory.slot == system::kAngles) return memory.values;
  return {};
}

// What a step does to the error e of a joint, in (e, h ė, h² ë): the predictor, ë = −k_v ė − k_p e, the
// corrector.
double growth_of_errors(double k_v, double k_p, double h) {
  Eigen::Matrix3d predict, correct = Eigen::Matrix3d::Identity();
  predict << 1, 1, 0.25, 0, 1, 0.5, 0, 0, 0;
  correct(0, 2) = 0.25;
  correct(1, 2) = 0.5;
  Eigen::Matrix3d respond = Eigen::Matrix3d::Identity();
  respond.row(2) << -k_p * h * h, -k_v * h, 0;
  double largest = 0;
  for (const auto& value : linalg::eigenvalues(correct * respond * predict))
    largest = std::max(largest, std::abs(value));
  return largest;
}

void check_gains(const ResolvedPlan& plan) {
  if (!plan.stabilized) return;
  const formulations::Stabilization gains = formulations::stabilization_of(plan);
  const double growth = growth_of_errors(2 * gains.a, gains.b * gains.b, plan.step);
  if (growth <= 1) return;
  throw std::invalid_argument(fmt::format(
      "stabilization: with a = {:g}/s and b = {:g}/s the errors of joints would grow by {:.3g} in each "
      "step of {:g} s; leave it out, or give smaller gains",
      gains.a, gains.b, growth, plan.step));
}

}  // namespace

Modular::Modular(const Mechanism& mechanism, const ResolvedPlan& plan,
                 const std::vector<mechanism::Watched>& watched, Executor* executor, const Modular* like)
    : plan_(plan),
      executor_(executor),
      warm_start_(plan.modular.warm_start.value_or(plan.modular.tolerance <= kCoarsestWarmStart)) {
  if (mechanism.generalized)
    throw std::invalid_argument(
        "modular divides bodies into subsystems, and a model with coordinates of its own has none; use "
        "augmented-lagrangian-index3");
  if (plan.coordinates == CoordinatesKind::relative)
    throw std::invalid_argument(
        "modular divides the mechanism at its joints, and relative coordinates are those joints' own; use "
        "natural or reference coordinates");
  check_gains(plan);
  arrange(Division(mechanism), watched, like);
  for (const auto& [name, value] : plan_.modular.rho_of)
    if (std::ranges::find(connections_, name, [](const auto& c) { return c->name(); }) == connections_.end())
      throw std::invalid_argument(
          fmt::format("rho: '{}' joins no subsystems; name a joint or driver between subsystems", name));
}

template <class Visit>
void Modular::each_memory(Visit&& visit) {
  for (const auto& module : modules_) {
    State& s = module->state();
    for (auto* list : {&s.q, &s.v, &s.a}) visit(std::span<double>(*list));
    visit(angles(s));
    visit(std::span(&module->growth.change, 3));
  }
  for (const auto& connection : connections_) {
    visit(std::span<double>(connection->iterate.lambda));
    visit(angles(connection->state()));
    connection->each_port([&](Port& port) { visit(std::span(port.before.data(), 3)); });
  }
}

void Modular::load(const State& state) {
  const std::vector<double>& memory = *state.recall(kModules);
  auto from = memory.begin();
  each_memory([&](std::span<double> part) {
    std::copy_n(from, part.size(), part.begin());
    from += static_cast<std::ptrdiff_t>(part.size());
  });
  for (const auto& module : modules_) {
    module->state().take_time(state);
    std::copy(state.inputs.begin(), state.inputs.end(), module->state().inputs.begin());
  }
}

void Modular::store(State& state) {
  std::size_t size = 0;
  each_memory([&](std::span<double> part) { size += part.size(); });
  auto to = state.remember(kModules, size).begin();
  each_memory([&](std::span<double> part) { to = std::copy(part.begin(), part.end(), to); });
  observer_->see(state);
  std::size_t row = 0;
  for (const auto& connection : connections_)
    for (const double lambda : connection->iterate.lambda) state.lambda[whole_rows_[row++]] = lambda;
}

void Modular::prepare(State& state) {
  std::size_t row = 0;
  for (const auto& module : modules_) module->adopt(*whole(), bodies_, state);
  for (const auto& connection : connections_)
    for (double& lambda : connection->iterate.lambda) lambda = state.lambda[whole_rows_[row++]];
  // A module that cannot stand is refused before the first step.
  const bool stands = at_all_modules([](Module& module) { return module.stand(); }).accepted();
  for (const auto& connection : connections_) {
    connection->read(state, state.t, state.x);
    connection->act(connection->iterate.lambda, true);
  }
  for (const auto& module : modules_) {
    if (stands) module->accelerate();
    module->settle();
  }
  store(state);
}

std::string Modular::refusal(const State& state) {
  const Report report = stand(state);
  return report.accepted() ? "" : report.message;
}

std::string Modular::solver_name() const { return "uzawa, " + plan_.modular.uzawa; }

Report Modular::at_all_modules(const std::function<Outcome(Module&)>& act) {
  uzawa_->workers().each(modules_.size(), [&](std::size_t k) { outcomes_[k] = act(*modules_[k]); });
  Report report;
  for (std::size_t k = 0; k < modules_.size(); ++k) {
    if (outcomes_[k] == Outcome::ok) continue;
    report.outcome = outcomes_[k];
    report.message =
        outcomes_[k] == Outcome::singular
            ? fmt::format(
                  "modular needs mass in every direction in which a subsystem can move by itself, and "
                  "'{}' has none in some; give its bodies inertia (a rigid body instead of a rod), or "
                  "put what holds them into the same subsystem",
                  modules_[k]->name())
            : fmt::format(
                  "a number of subsystem '{}' is no longer finite; take a smaller step, or substeps "
                  "there",
                  modules_[k]->name());
    return report;
  }
  return report;
}

Report Modular::stand(const State& state) {
  load(state);
  const Report report = at_all_modules([](Module& module) { return module.stand(); });
  x_ = state.x;
  for (const auto& connection : connections_) connection->read(state, state.t, x_);
  return report;
}

Report Modular::too_stiff(const Module& module, double h) const {
  Report report;
  report.outcome = Outcome::not_converged;
  report.message = fmt::format(
      "the accelerations of subsystem '{}' grow from step to step: forces are taken at predicted positions, "
      "and "
      "a step of {:g} s is beyond what the springs and dampers at it bear; take a smaller step, more "
      "substeps "
      "there, or augmented-lagrangian-index3",
      module.name(), h);
  return report;
}

Report Modular::not_converged(const Uzawa::Result& result) const {
  Report report;
  report.outcome = std::isfinite(result.left) ? Outcome::not_converged : Outcome::not_finite;
  report.iterations = result.sweeps;
  report.violation = result.left;
  if (result.worst == nullptr) return report;
  for (std::size_t row = 0; row < whole()->rows().size() && report.worst_row < 0; ++row)
    if (whole()->rows()[row].name == result.worst->name()) report.worst_row = static_cast<int>(row);
  const bool tuned = plan_.modular.uzawa == "plain" || plan_.modular.rho != "automatic";
  const std::string what =
      std::isfinite(result.left)
          ? fmt::format(
                "did not converge in {} sweeps; that of '{}' is worst, it still changes by {:.1e} of its "
                "size; allow more sweeps, ",
                result.sweeps, result.worst->name(), result.left)
          : fmt::format("diverge: that of '{}' is beyond all numbers after {} sweeps; ", result.worst->name(),
                        result.sweeps);
  report.message = fmt::format(
      "the forces between subsystems {}{}put the bodies around it into one subsystem, or take a "
      "smaller step",
      what, tuned ? "use uzawa: accelerated with rho: automatic, " : "");
  return report;
}

// What the connections see of the prediction, and x + h ẋ, for forces.
void Modular::read_connections(const State& state, double h) {
  x_ = state.x;
  if (const std::vector<double>* rates = state.recall(forms::kStateRates); rates != nullptr && !x_.empty())
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += h * (*rates)[k];
  uzawa_->workers().each(connections_.size(),
                         [&](std::size_t k) { connections_[k]->read(state, state.t + h, x_); });
}

// Whether the forces that modules looked ahead with are those that the connections found.
bool Modular::forces_agree(Uzawa::Result& result) const {
  bool all = true;
  for (const auto& connection : connections_) {
    Connection::Iterate& i = connection->iterate;
    for (std::size_t r = 0; r < i.lambda.size(); ++r) i.z[r] = i.lambda[r] - i.guess[r];
    const double size = connection->relative_size(i.z, i.lambda);
    if (!(size <= plan_.modular.tolerance) && (all || size > result.left)) {
      all = false;
      result.worst = connection.get();
      result.left = size;
    }
  }
  return all;
}

Report Modular::find_forces(const State& state, double h, int& sweeps) {
  const ModularPlan& plan = plan_.modular;
  const bool look_ahead =
      std::any_of(modules_.begin(), modules_.end(), [](const auto& m) { return m->looks_ahead(); });
  for (const auto& module : modules_)
    for (const auto& port : module->ports()) port->force = port->before;
  Uzawa::Result result;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    Report report = at_all_modules([h](Module& module) { return module.predict(h); });
    if (!report.accepted()) return report;
    read_connections(state, h);
    for (const auto& connection : connections_) {
      Connection::Iterate& i = connection->iterate;
      i.guess = i.lambda;
      if (!warm_start_) std::fill(i.lambda.begin(), i.lambda.end(), 0.0);
    }
    result = uzawa_->accelerations(plan.tolerance, plan.max_sweeps);
    sweeps += result.sweeps;
    if (result.outcome != Outcome::ok) return not_converged(result);
    if (!look_ahead || forces_agree(result)) return {};
  }
  Report report = not_converged(result);
  report.message = fmt::format(
      "the force of '{}' and the motion of subsystems with steps of their own did not agree in {} passes, it "
      "still "
      "changes by {:.1e} of its size; take a smaller step",
      result.worst->name(), kMaxPasses, result.left);
  return report;
}

// What every step ends with: the whole as the modules leave it.
Report Modular::finish(State& state, double h, StepResult& result) {
  next_ = state;
  if (!x_.empty()) {
    // x₊ = x + ½h(ẋ + ẋ₊), ẋ₊ as far as it can be known
    next_.t = state.t + h;
    next_.x = x_;
    observer_->see_ahead(next_);
    whole()->evaluate(next_, system::kAskForces, terms_);
    std::vector<double>& rates = next_.remember(forms::kStateRates, x_.size());
    for (std::size_t k = 0; k < x_.size(); ++k)
      next_.x[k] = state.x[k] + 0.5 * h * (rates[k] + terms_.x_dot[k]);
    rates = terms_.x_dot;
  }
  const Report report = at_all_modules([h](Module& module) { return module.correct(h); });
  if (!report.accepted()) return report;
  for (const auto& module : modules_)
    if (module->runs_away()) return too_stiff(*module, h);
  for (const auto& connection : connections_) connection->accept_angles();
  next_.t = state.t + h;
  store(next_);
  for (const double q : next_.q)
    if (!std::isfinite(q)) {
      Report infinite;
      infinite.outcome = Outcome::not_finite;
      return infinite;
    }
  if (Report turned = formulations::accept_angles(*whole(), next_, terms_, h); !turned.accepted())
    return turned;
  work_.follow(*whole(), terms_, state, next_, h);
  result.violation = projector_->violation(next_);
  state = next_;
  return {};
}

StepResult Modular::step(State& state, double h) {
  StepResult result;
  load(state);
  result.report = find_forces(state, h, result.iterations);
  if (result.report.accepted()) result.report = finish(state, h, result);
  return result;
}

}  // namespace trammel::simulation
