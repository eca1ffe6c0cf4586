#include "simulation/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "simulation/choose_coordinates.h"
#include "simulation/method_table.h"
#include "simulation/plan_options.h"

namespace trammel::simulation {
namespace {

// Below, an eighth-order pair needs fewer evaluations than one of order five.
constexpr double kTight = 1e-5;

// Above, steps are so long that they may miss a branch, and hardly fewer.
constexpr double kCoarsest = 1e-3;

// Chooses what the plan left open, in the order in which one choice depends on another.
class Resolver {
 public:
  explicit Resolver(const Plan& plan) : plan_(plan) {
    static_cast<PlanSettings&>(out_) = plan;
    const bool left_open = plan.coordinates == kAutomatic;
    const auto coordinates = left_open ? CoordinatesKind::natural
                                       : kind_named<CoordinatesKind>(kCoordinatesNames, plan.coordinates);
    const auto solver = kind_named<SolverChoice>(kSolverNames, plan.solver);
    if (!coordinates)
      throw std::invalid_argument(fmt::format("there are no coordinates '{}'", plan.coordinates));
    if (!solver) throw std::invalid_argument(fmt::format("there is no linear solver '{}'", plan.solver));
    out_.coordinates = *coordinates;
    out_.solver = *solver;
    if (plan.formulation != kAutomatic) out_.formulation = formulation_named(plan.formulation);
    if (plan.integrator != kAutomatic) out_.integrator = integrator_named(plan.integrator);
  }

  ResolvedPlan resolve() {
    if (plan_.step == 0 && plan_.tolerance == 0) choose_steps();
    if (plan_.formulation == kAutomatic) choose_formulation();
    if (plan_.integrator == kAutomatic) choose_integrator();
    choose_omega();
    return std::move(out_);
  }

 private:
  void note(const char* option, std::string value, std::string reason) {
    out_.choices.push_back({option, std::move(value), std::move(reason)});
  }

  // By tolerance, but for methods that take steps of one size, and for named ones, which may need a step.
  void choose_steps() {
    const bool any_rule = plan_.integrator == kAutomatic;
    if (plan_.formulation == kAutomatic && (any_rule || entry_of(out_.integrator).controls_error) &&
        plan_.reactions != "projections") {
      out_.tolerance = kUsualTolerance;
      note("tolerance", fmt::format("{:.0e}", kUsualTolerance), "neither step nor tolerance is given");
    } else {
      out_.step = kUsualStep;
      note("step", fmt::format("{} s", kUsualStep), "neither step nor tolerance is given");
    }
  }

  void choose_formulation() {
    const bool any_rule = plan_.integrator == kAutomatic;
    const bool residual = !any_rule && entry_of(out_.integrator).residual;
    // Only index 3 has projections that tell reactions.
    const bool by_reactions = plan_.reactions == "projections";
    const bool index3 = by_reactions || (any_rule ? !controlled() : residual);
    out_.formulation =
        index3 ? FormulationKind::augmented_lagrangian_index3 : FormulationKind::augmented_lagrangian;
    note("formulation", name_of(out_.formulation),
         by_reactions ? "it has projections, whose reactions are asked for"
         : !any_rule  ? fmt::format("it goes with {}", plan_.integrator)
         : index3     ? "it passes singular positions by steps of one size"
                      : "explicit steps of high order are the cheapest for a tolerance");
    if (index3) return;
    out_.falls_back = any_rule;
    project(out_.project_positions, "projection.positions");
    project(out_.project_velocities, "projection.velocities");
  }

  void project(std::optional<bool>& level, const char* option) {
    if (level) return;
    level = true;
    note(option, "true", "steps of this formulation leave the constraints open");
  }

  void choose_integrator() {
    const Form form = entry_of(out_.formulation).form;
    if (form == Form::own_rule) return;
    const bool is_explicit = controlled() && form == Form::ode;
    out_.integrator = !is_explicit              ? IntegratorKind::trapezoidal
                      : out_.tolerance < kTight ? IntegratorKind::dop853
                                                : IntegratorKind::dopri5;
    note("integrator", name_of(out_.integrator),
         is_explicit ? fmt::format("of explicit pairs the cheapest for tolerance {:.1g}", out_.tolerance)
                     : fmt::format("it goes with {}", name_of(out_.formulation)));
  }

  // What Φ̈ + 2Ωμ Φ̇ + Ω² Φ would remove is not there, but at the stages of a step, where it is their error.
  void choose_omega() {
    if (out_.omega) return;
    const bool nothing_left =
        out_.formulation == FormulationKind::augmented_lagrangian && projects_every_step(out_);
    out_.omega = nothing_left ? 0 : kDefaultOmega;
    if (nothing_left) note("omega", "0", "projections after every step leave nothing to remove");
  }

  bool controlled() const { return out_.tolerance > 0; }

  const Plan& plan_;
  ResolvedPlan out_;
};

}  // namespace

bool projects_every_step(const PlanSettings& plan) {
  return plan.project_positions.value_or(false) && plan.project_velocities.value_or(false) &&
         plan.projection_every == 1;
}

double step_tolerance(const ResolvedPlan& plan) {
  if (plan.tolerance <= 0) return kDefaultTolerance;
  return plan.falls_back ? std::min(plan.tolerance, kCoarsest) : plan.tolerance;
}

Plan without_unread(const Plan& plan) {
  const ResolvedPlan resolved = resolve(plan);
  Plan out;
  for (const PlanOption& option : plan_options()) {
    const OptionValue value = option.get(plan);
    if (value.index() != 0 && reads(resolved, option.key)) option.set(out, value);
  }
  out.step = plan.step;
  return out;
}

ResolvedPlan resolve(const Plan& plan) { return Resolver(plan).resolve(); }

ResolvedPlan resolve(const Plan& plan, const Mechanism& mechanism) {
  ResolvedPlan out = resolve(plan);
  if (plan.coordinates != kAutomatic) return out;
  auto [kind, reason] = choose_coordinates(mechanism, out);
  out.coordinates = kind;
  if (!reason.empty()) out.choices.push_back({"coordinates", name_of(kind), std::move(reason)});
  return out;
}

}  // namespace trammel::simulation
