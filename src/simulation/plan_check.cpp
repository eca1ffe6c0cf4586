#include "simulation/plan_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "expressions/nearest_name.h"
#include "formulations/dae/dae.h"
#include "integrators/ode_integrator.h"
#include "simulation/plan_choice.h"

namespace trammel {

const std::vector<std::string>& known_coordinates() {
  static const std::vector<std::string> names{"natural", "reference", "relative", "generalized"};
  return names;
}
std::string misfit(const Mechanism& mechanism, const std::string& coordinates) {
  if ((coordinates == "generalized") == mechanism.generalized.has_value()) return {};
  return mechanism.generalized
             ? "this model gives its own coordinates: it runs with coordinates generalized only"
             : "generalized coordinates need a model that gives them (coordinates: …)";
}
const std::vector<std::string>& known_formulations() {
  static const std::vector<std::string> names{"augmented-lagrangian-index3",
                                              "lagrange",
                                              "baumgarte",
                                              "null-space",
                                              "penalty",
                                              "augmented-lagrangian",
                                              "independent",
                                              "canonical-lagrange",
                                              "canonical-independent",
                                              "canonical-augmented",
                                              "algebraic",
                                              "dae",
                                              "modular"};
  return names;
}
bool is_own_rule(const std::string& formulation) {
  return formulation == "algebraic" || formulation == "dae" || formulation == "modular";
}
const std::vector<std::string>& residual_integrators() {
  static const std::vector<std::string> names{"trapezoidal", "newmark", "hht", "generalized-alpha"};
  return names;
}
const std::vector<std::string>& ode_integrators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"trapezoidal"};
    for (const std::string& name : ode_integrator_names())
      if (name != "implicit-trapezoidal") all.push_back(name);
    return all;
  }();
  return names;
}
const std::vector<std::string>& known_integrators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = residual_integrators();
    for (const std::string& name : ode_integrators())
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    return all;
  }();
  return names;
}
const std::vector<std::string>& known_solvers() {
  static const std::vector<std::string> names{"automatic", "dense-cholesky", "sparse-cholesky", "dense-lu",
                                              "klu"};
  return names;
}

const std::vector<std::string>& known_independent_choices() {
  static const std::vector<std::string> names{"boolean", "qr", "svd"};
  return names;
}
const std::vector<std::string>& known_independent_integrations() {
  static const std::vector<std::string> names{"minimal", "enlarged", "extraction", "paul", "hybrid"};
  return names;
}
const std::vector<std::string>& known_projection_reactions() {
  static const std::vector<std::string> names{"carried", "published"};
  return names;
}
const std::vector<std::string>& known_projection_routes() {
  static const std::vector<std::string> names{"accelerations", "velocities"};
  return names;
}
const std::vector<std::string>& known_reactions() {
  static const std::vector<std::string> names{"solved", "projections"};
  return names;
}

const std::vector<std::string>& known_gyroscopic() {
  static const std::vector<std::string> names{"corrected", "predicted"};
  return names;
}
const std::vector<std::string>& known_inner_formulations() {
  static const std::vector<std::string> names{"augmented-lagrangian", "baumgarte"};
  return names;
}

bool controls_error(const Plan& given) {
  const Plan plan = chosen(given);
  if (plan.formulation == kIndex3) return plan.tolerance > 0;
  return plan.formulation == "dae" || plan.integrator == "dopri5" || plan.integrator == "dop853" ||
         plan.integrator.starts_with("radau") || plan.integrator.starts_with("cvode");
}

std::string stepping_rule(const Plan& given) {
  const Plan plan = chosen(given);
  return is_own_rule(plan.formulation) ? plan.formulation : plan.formulation + " with " + plan.integrator;
}

double landing_interval(const Plan& plan) {
  if (plan.step > 0) return plan.step;
  return plan.output_interval > 0 ? std::min(plan.output_interval, plan.duration) : plan.duration / kRows;
}

namespace {

constexpr double kLeastTolerance = 1e-14;  // of steps

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
      !plan.warm_start.value_or(false) || plan.tolerance <= kCoarsestWarmStart,
      fmt::format("with a tolerance of {} the forces of the last step pass the test at once and stay, which "
                  "gives wrong motions: start cold, or give a tolerance of at most {}",
                  plan.tolerance, kCoarsestWarmStart));
}

// What independent coordinates cannot be told together; empty: they can.
std::string check_independent(const Plan& plan) {
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

}  // namespace

std::vector<std::string> check_plan(const Plan& given) {
  const Plan plan = chosen(given);
  std::vector<std::string> problems;
  const auto one_of = [&](const char* what, const std::string& name, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      problems.push_back(fmt::format("there is no {} '{}'; {}", what, name, choice_advice(name, known)));
  };
  const auto require = [&](bool holds, const std::string& sentence) {
    if (!holds) problems.push_back(sentence);
  };
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  one_of("coordinates", plan.coordinates, known_coordinates());
  one_of("formulation", plan.formulation, known_formulations());
  one_of("integrator", plan.integrator, known_integrators());
  one_of("linear solver", plan.solver, known_solvers());
  if (problems.empty()) {
    const bool index3 = plan.formulation == "augmented-lagrangian-index3";
    const bool own_rule = is_own_rule(plan.formulation);
    require(!own_rule || plan.integrator == "trapezoidal",
            fmt::format("{} is its own integration rule; leave {} out", plan.formulation, plan.integrator));
    require(plan.formulation != "dae" || dae_available(),
            "dae needs SUNDIALS, which this build does not have; install it (Debian: libsundials-dev) and "
            "build again, or use augmented-lagrangian-index3");
    const std::vector<std::string>& fitting = own_rule ? known_integrators()
                                              : index3 ? residual_integrators()
                                                       : ode_integrators();
    require(
        std::find(fitting.begin(), fitting.end(), plan.integrator) != fitting.end(),
        fmt::format("{} does not go with {}, which {}; choose one of: {}", plan.integrator, plan.formulation,
                    index3 ? "solves for positions in each step" : "is an ordinary differential equation",
                    fmt::join(fitting, ", ")));
  }
  require(plan.tolerance >= 0 && std::isfinite(plan.tolerance), "the tolerance must be positive");
  require(!(plan.tolerance > 0 && plan.tolerance < kLeastTolerance),
          fmt::format("the tolerance must be {} or more: less is rounding", kLeastTolerance));
  require(plan.algebraic_order == 1 || plan.algebraic_order == 2, "the order of algebraic is 1 or 2");
  one_of("treatment of gyroscopic forces", plan.gyroscopic, known_gyroscopic());
  require(plan.projection_every >= 1, "projections every k steps need k >= 1");
  const std::vector<std::string> rules{"given", "welch", "joli"};
  one_of("stabilization rule", plan.stabilization, rules);
  require(plan.stabilization_a >= 0 && plan.stabilization_b >= 0 && *plan.omega >= 0 && plan.mu >= 0,
          "stabilization parameters must not be negative");
  one_of("choice of independent coordinates", plan.independent_choice, known_independent_choices());
  one_of("way to integrate independent coordinates", plan.independent_integrate,
         known_independent_integrations());
  if (plan.formulation == "independent") {
    const std::string problem = check_independent(plan);
    require(problem.empty(), problem);
  }
  require(positive(plan.hybrid_tolerance), "the tolerance of hybrid must be positive");
  require(positive(plan.duration), "the duration must be a positive time");
  const bool free_step = plan.step == 0 && controls_error(plan);
  require(positive(plan.step) || free_step,
          plan.step == 0
              ? fmt::format(
                    "there is no step, and {} takes steps of one size; give a step instead of the tolerance, "
                    "or formulation and integrator automatic: a tolerance goes with "
                    "augmented-lagrangian-index3, dae, dopri5, dop853, radau5, radau9 and cvode, and "
                    "chooses by itself",
                    stepping_rule(plan))
              : "a step must be positive");
  const bool gains = plan.formulation == "baumgarte" ||
                     (plan.formulation == "null-space" && plan.stabilized) ||
                     (plan.formulation == "independent" && plan.independent_integrate == "hybrid");
  require(!free_step || !gains || plan.stabilization == "given",
          "the gains of the stabilization come from the step: give a step, or stabilization: {a: …, b: …}");
  require(plan.output_interval >= 0 && std::isfinite(plan.output_interval),
          "the output interval must not be negative");
  // Nobody waits for more rows or steps than these; a mistaken unit is far likelier.
  require(!positive(plan.output_interval) || !positive(plan.duration) ||
              plan.duration / plan.output_interval <= 1e8,
          fmt::format("duration {} s with a row every {} s would be {:.2g} rows; give a larger interval",
                      plan.duration, plan.output_interval, plan.duration / plan.output_interval));
  require(!positive(plan.step) || !positive(plan.duration) || plan.duration / plan.step <= 1e10,
          fmt::format("duration {} s at step {} s would take {:.2g} steps; give a larger step", plan.duration,
                      plan.step, plan.duration / plan.step));
  if (plan.integrator == "newmark") {
    require(plan.newmark_gamma >= 0.5 && plan.newmark_beta > 0 && 2 * plan.newmark_beta >= plan.newmark_gamma,
            "Newmark's rule is stable for gamma >= 1/2 and 2 beta >= gamma only");
  }
  require(plan.integrator != "hht" || (plan.hht_alpha >= -1.0 / 3 && plan.hht_alpha <= 0),
          "the alpha of HHT lies between -1/3 and 0");
  require(plan.integrator != "generalized-alpha" || (plan.spectral_radius >= 0 && plan.spectral_radius <= 1),
          "the spectral radius of generalized-alpha lies between 0 and 1");
  require(!plan.penalty || positive(*plan.penalty), "the penalty must be positive, or automatic");
  for (const auto& [name, value] : plan.penalty_of)
    require(value == 0 || positive(value),
            fmt::format("the penalty of '{}' must be positive, or automatic", name));
  for (const auto* list : {&plan.omega_of, &plan.mu_of})
    for (const auto& [name, value] : *list)
      require(value >= 0 && std::isfinite(value),
              fmt::format("the stabilization parameters of '{}' must not be negative", name));
  require(positive(plan.constraint_scale), "the constraint scale must be positive");
  require(plan.projection_metric == "tangent" || plan.projection_metric == "mass",
          fmt::format("there is no projection metric '{}'; choose tangent or mass", plan.projection_metric));
  one_of("treatment of reactions in projections", plan.projection_reactions, known_projection_reactions());
  one_of("route to reactions", plan.projection_route, known_projection_routes());
  one_of("kind of reported reactions", plan.reactions, known_reactions());
  require(plan.reactions != "projections" || plan.formulation == kIndex3,
          fmt::format("{} has no projections that give reactions, as {} has; report reactions: solved",
                      plan.formulation, kIndex3));
  require(plan.projection_sweeps >= 1, "at least one projection sweep is needed");
  if (plan.formulation == "modular") check_modular(plan.modular, problems);
  require(positive(plan.convergence), "the convergence criterion must be positive");
  require(plan.max_iterations >= 1, "at least one iteration is needed");
  return problems;
}

}  // namespace trammel
