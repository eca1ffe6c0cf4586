#include "simulation/plan_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "expressions/nearest_name.h"
#include "simulation/plan_options.h"
#include "simulation/resolve.h"

namespace trammel {

bool simulation::suits(const Mechanism& mechanism, CoordinatesKind coordinates) {
  return (coordinates == CoordinatesKind::generalized) == mechanism.generalized.has_value();
}

std::string simulation::misfit(const Mechanism& mechanism, const std::string& coordinates) {
  const auto kind = kind_named<CoordinatesKind>(kCoordinatesNames, coordinates);
  if (!kind || simulation::suits(mechanism, *kind)) return {};
  return mechanism.generalized
             ? "this model gives its own coordinates: it runs with coordinates generalized only"
             : "generalized coordinates need a model that gives them (coordinates: …)";
}

bool simulation::controls_error(const ResolvedPlan& plan) {
  const simulation::FormulationEntry& formulation = simulation::entry_of(plan.formulation);
  if (formulation.form == simulation::Form::residual) return plan.tolerance > 0;
  return formulation.controls_error ||
         (formulation.form == simulation::Form::ode && simulation::entry_of(plan.integrator).controls_error);
}

bool simulation::controls_error(const Plan& plan) {
  return simulation::controls_error(simulation::resolve(plan));
}

std::string simulation::stepping_rule(const ResolvedPlan& plan) {
  const std::string formulation = name_of(plan.formulation);
  return simulation::is_own_rule(plan.formulation) ? formulation
                                                   : formulation + " with " + name_of(plan.integrator);
}

double simulation::landing_interval(const Plan& plan) {
  return simulation::landing_interval(simulation::resolve(plan));
}

double simulation::landing_interval(const ResolvedPlan& plan) {
  if (plan.step > 0) return plan.step;
  return plan.output_interval > 0 ? std::min(plan.output_interval, plan.duration)
                                  : plan.duration / simulation::kRows;
}

long simulation::output_stride(const ResolvedPlan& plan) {
  const double interval = plan.output_interval > 0 ? plan.output_interval : plan.duration / simulation::kRows;
  return std::max(1L, std::lround(interval / simulation::landing_interval(plan)));
}

simulation::Unread simulation::why_unread(const ResolvedPlan& plan, std::string_view option) {
  if (const simulation::ReadCondition* missing = simulation::missing_condition(plan, option))
    return {fmt::format("{}: {} reads this option only with {}", option, simulation::stepping_rule(plan),
                        missing->words),
            "leave it out, or choose that"};
  const std::vector<std::string> readers = simulation::readers_of(option);
  const bool by_coordinates = kind_named<CoordinatesKind>(kCoordinatesNames, readers.front()).has_value();
  const std::string who = by_coordinates ? fmt::format("{} coordinates do", name_of(plan.coordinates))
                                         : fmt::format("{} does", simulation::stepping_rule(plan));
  return {fmt::format("{}: {} not read this option", option, who),
          fmt::format("leave it out: it is read by {}", simulation::readers_in_words(option))};
}

std::vector<std::string> unread_options(const Plan& plan) {
  std::vector<std::string> sentences;
  if (!check_plan(plan).empty()) return sentences;
  const ResolvedPlan resolved = simulation::resolve(plan);
  const Plan usual;
  for (const simulation::PlanOption& option : simulation::plan_options()) {
    if (option.get == nullptr || option.get(plan) == option.get(usual)) continue;
    if (simulation::reads(resolved, option.key)) continue;
    const simulation::Unread why = simulation::why_unread(resolved, option.key);
    sentences.push_back(fmt::format("{}; {}", why.message, why.remedy));
  }
  return sentences;
}

namespace {

void check_modular(const ModularPlan& plan, std::vector<std::string>& problems) {
  const auto require = [&](bool holds, const std::string& sentence) {
    if (!holds) problems.push_back(sentence);
  };
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  require(plan.uzawa == "plain" || plan.uzawa == "accelerated",
          fmt::format("there is no uzawa iteration '{}'; choose plain or accelerated", plan.uzawa));
  require(plan.criterion == "joint" || plan.criterion == "published",
          fmt::format("there is no convergence criterion '{}'; choose joint or published", plan.criterion));
  require(plan.rho == "automatic" || plan.rho == "published" || plan.rho == "given",
          fmt::format("there is no rho '{}'; choose automatic, published, or give numbers", plan.rho));
  require(plan.rho != "given" || positive(plan.rho_given), "rho must be positive, automatic or published");
  for (const auto& [name, value] : plan.rho_of)
    require(positive(value), fmt::format("rho of '{}' must be positive", name));
  require(std::isfinite(plan.tolerance) && plan.tolerance >= 1e-14,
          "the tolerance of the forces between subsystems must be 1e-14 or more: less is rounding");
  require(plan.max_sweeps >= 1, "at least one sweep over the subsystems is needed");
  require(plan.threads >= 1 && plan.threads <= 1024, "the number of threads lies between 1 and 1024");
  require(
      !plan.warm_start.value_or(false) || plan.tolerance <= simulation::kCoarsestWarmStart,
      fmt::format("with a tolerance of {} the forces of the last step pass the test at once and stay, which "
                  "gives wrong motions: start cold, or give a tolerance of at most {}",
                  plan.tolerance, simulation::kCoarsestWarmStart));
}

// Why these options of `independent` conflict; empty if they do not.
std::string check_independent(const PlanSettings& plan) {
  const std::string &what = plan.independent_integrate, &choice = plan.independent_choice;
  const bool takes_all = what == "minimal" || what == "enlarged";
  if (takes_all || choice == "boolean") {
    if (plan.independent_coordinates.empty() || choice == "boolean") return {};
    return fmt::format("coordinates can be named with choice: boolean only: with {} none of them is z itself",
                       choice);
  }
  return fmt::format(
      "{} takes coordinates out of all of them, and does not go with {}: choose boolean, or {} with {}", what,
      choice, what == "paul" ? "enlarged" : "minimal", choice);
}

// Collects what is wrong with one plan.
class PlanCheck {
 public:
  std::vector<std::string> problems;

  void names(const Plan& plan) {
    if (plan.coordinates != kAutomatic)
      one_of("coordinates", plan.coordinates, simulation::known_coordinates());
    if (plan.formulation != kAutomatic)
      one_of("formulation", plan.formulation, simulation::known_formulations());
    if (plan.integrator != kAutomatic) one_of("integrator", plan.integrator, simulation::known_integrators());
    one_of("linear solver", plan.solver, simulation::known_solvers());
    chosen("treatment of gyroscopic forces", "gyroscopic", plan);
    chosen("choice of independent coordinates", "independent.choice", plan);
    chosen("way to integrate independent coordinates", "independent.integrate", plan);
    chosen("projection metric", "projection.metric", plan);
    chosen("treatment of reactions in projections", "projection.reactions", plan);
    chosen("route to reactions", "projection.route", plan);
    chosen("kind of reported reactions", "outputs.reactions", plan);
    one_of("stabilization rule", plan.stabilization, {"given", "welch", "joli"});
  }

  void numbers(const PlanSettings& plan) {
    require(plan.tolerance >= 0 && std::isfinite(plan.tolerance), "the tolerance must be positive");
    require(!(plan.tolerance > 0 && plan.tolerance < simulation::kLeastTolerance),
            fmt::format("the tolerance must be {} or more: less is rounding", simulation::kLeastTolerance));
    require(plan.algebraic_order == 1 || plan.algebraic_order == 2, "the order of algebraic is 1 or 2");
    require(plan.projection_every >= 1, "projections every k steps need k >= 1");
    for (const double parameter :
         {plan.stabilization_a, plan.stabilization_b, plan.omega.value_or(0), plan.mu})
      require(
          parameter >= 0 && std::isfinite(parameter),
          fmt::format("stabilization parameters are finite and not negative; one of them is {}", parameter));
    require(positive(plan.hybrid_tolerance), "the tolerance of hybrid must be positive");
    require(positive(plan.constraint_scale), "the constraint scale must be positive");
    require(plan.projection_sweeps >= 1, "at least one projection sweep is needed");
    require(positive(plan.convergence), "the convergence criterion must be positive");
    require(plan.max_iterations >= 1, "at least one iteration is needed");
    require(positive(plan.accuracy), "the accuracy must be positive");
    by_owner(plan);
  }

  void times(const PlanSettings& plan) {
    require(positive(plan.duration), "the duration must be a positive time");
    require(plan.step == 0 || positive(plan.step), "a step must be positive");
    require(plan.output_interval >= 0 && std::isfinite(plan.output_interval),
            "the output interval must be a finite time, and not negative");
    if (!positive(plan.duration)) return;
    // Nobody waits for more rows or steps than these; a mistaken unit is far likelier.
    require(!positive(plan.output_interval) || plan.duration / plan.output_interval <= 1e8,
            fmt::format("duration {} s with a row every {} s would be {:.2g} rows; give a larger interval",
                        plan.duration, plan.output_interval, plan.duration / plan.output_interval));
    require(!positive(plan.step) || plan.duration / plan.step <= 1e10,
            fmt::format("duration {} s at step {} s would take {:.2g} steps; give a larger step",
                        plan.duration, plan.step, plan.duration / plan.step));
  }

  void method(const ResolvedPlan& plan) {
    fit(plan);
    step(plan);
    rule(plan);
    if (plan.formulation == FormulationKind::independent) {
      const std::string problem = check_independent(plan);
      require(problem.empty(), problem);
    }
    require(plan.reactions != "projections" ||
                simulation::entry_of(plan.formulation).form == simulation::Form::residual,
            fmt::format("{} has no projections that give reactions, as {} has; report reactions: solved",
                        name_of(plan.formulation), kIndex3));
    if (plan.formulation == FormulationKind::modular) check_modular(plan.modular, problems);
  }

 private:
  void require(bool holds, const std::string& sentence) {
    if (!holds) problems.push_back(sentence);
  }
  static bool positive(double x) { return std::isfinite(x) && x > 0; }

  void one_of(const char* what, const std::string& name, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      problems.push_back(
          fmt::format("there is no {} '{}'; {}", what, name, expressions::choice_advice(name, known)));
  }
  void chosen(const char* what, const char* key, const Plan& plan) {
    const simulation::PlanOption& option = simulation::plan_option(key);
    one_of(what, std::get<std::string>(option.get(plan)), option.choices);
  }

  void by_owner(const PlanSettings& plan) {
    require(!plan.penalty || positive(*plan.penalty), "the penalty must be positive, or automatic");
    for (const auto& [name, value] : plan.penalty_of)
      require(value == 0 || positive(value),
              fmt::format("the penalty of '{}' must be positive, or automatic", name));
    for (const auto* list : {&plan.omega_of, &plan.mu_of})
      for (const auto& [name, value] : *list)
        require(value >= 0 && std::isfinite(value),
                fmt::format("the stabilization parameters of '{}' must not be negative", name));
  }

  void fit(const ResolvedPlan& plan) {
    const simulation::FormulationEntry& formulation = simulation::entry_of(plan.formulation);
    const simulation::IntegratorEntry& integrator = simulation::entry_of(plan.integrator);
    const bool own_rule = formulation.form == simulation::Form::own_rule;
    require(
        !own_rule || plan.integrator == IntegratorKind::trapezoidal,
        fmt::format("{} is its own integration rule; leave {} out", formulation.name(), integrator.name()));
    require(formulation.available,
            fmt::format("{} needs SUNDIALS, which this build does not have; install it (Debian: "
                        "libsundials-dev) and build again, or use {}",
                        formulation.name(), kIndex3));
    require(own_rule || simulation::fits(formulation, integrator),
            fmt::format(
                "{} does not go with {}, which {}; choose one of: {}", integrator.name(), formulation.name(),
                formulation.form == simulation::Form::residual ? "solves for positions in each step"
                                                               : "is an ordinary differential equation",
                fmt::join(simulation::integrators_of(plan.formulation), ", ")));
  }

  void step(const ResolvedPlan& plan) {
    if (plan.step != 0) return;
    require(simulation::controls_error(plan),
            fmt::format(
                "there is no step, and {} takes steps of one size; give a step{}, "
                "or formulation and integrator automatic: a tolerance goes with {}, and chooses by itself",
                simulation::stepping_rule(plan), plan.tolerance > 0 ? " instead of the tolerance" : "",
                simulation::readers_in_words("tolerance")));
    const bool gains =
        plan.formulation == FormulationKind::baumgarte ||
        (plan.formulation == FormulationKind::null_space && plan.stabilized) ||
        (plan.formulation == FormulationKind::independent && plan.independent_integrate == "hybrid");
    require(!simulation::controls_error(plan) || !gains || plan.stabilization == "given",
            "the gains of the stabilization come from the step: give a step, or stabilization: {a: …, b: …}");
  }

  void rule(const ResolvedPlan& plan) {
    require(
        plan.integrator != IntegratorKind::newmark || (plan.newmark_gamma >= 0.5 && plan.newmark_beta > 0 &&
                                                       2 * plan.newmark_beta >= plan.newmark_gamma),
        "Newmark's rule is stable for gamma >= 1/2 and 2 beta >= gamma only");
    require(plan.integrator != IntegratorKind::hht || (plan.hht_alpha >= -1.0 / 3 && plan.hht_alpha <= 0),
            "the alpha of HHT lies between -1/3 and 0");
    require(plan.integrator != IntegratorKind::generalized_alpha ||
                (plan.spectral_radius >= 0 && plan.spectral_radius <= 1),
            "the spectral radius of generalized-alpha lies between 0 and 1");
  }
};

}  // namespace

std::vector<std::string> check_plan(const Plan& plan) {
  PlanCheck check;
  check.names(plan);
  const bool named = check.problems.empty();
  check.numbers(plan);
  check.times(plan);
  // What a plan with names that do not exist would be is not known.
  if (named) check.method(simulation::resolve(plan));
  return std::move(check.problems);
}

}  // namespace trammel
