#include "simulation/method_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "formulations/accelerations/lagrange.h"
#include "formulations/accelerations/null_space.h"
#include "formulations/canonical/canonical_augmented.h"
#include "formulations/canonical/canonical_independent.h"
#include "formulations/canonical/canonical_lagrange.h"
#include "formulations/dae/dae.h"
#include "formulations/independent/independent.h"
#include "formulations/index3/algebraic.h"
#include "integrators/ode_integrator.h"

namespace trammel::simulation {
namespace {

using Options = std::vector<ReadOption>;

// Conditions on other options of the plan.
constexpr ReadCondition kIfHybrid{"independent.integrate: hybrid", [](const ResolvedPlan& plan) {
                                    return plan.independent_integrate == "hybrid";
                                  }};
constexpr ReadCondition kIfSecondOrder{"order: 2",
                                       [](const ResolvedPlan& plan) { return plan.algebraic_order == 2; }};
constexpr ReadCondition kIfGivenPenalty{"a number for penalty", [](const ResolvedPlan& plan) {
                                          return plan.penalty.has_value() || !plan.penalty_of.empty();
                                        }};
constexpr ReadCondition kIfOmega{
    "a number for omega, which is 0 where every step is projected",
    [](const ResolvedPlan& plan) { return plan.omega.value_or(1) > 0 || !plan.omega_of.empty(); }};
constexpr ReadCondition kIfProjected{
    "projection.positions, projection.velocities or projection.accelerations: true",
    [](const ResolvedPlan& plan) {
      return plan.project_positions.value_or(false) || plan.project_velocities.value_or(false) ||
             plan.project_accelerations.value_or(false);
    }};
// index 3, which projects unless it is told not to
constexpr ReadCondition kIfRatesProjected{
    "projection.velocities or projection.accelerations: true", [](const ResolvedPlan& plan) {
      return plan.project_velocities.value_or(true) || plan.project_accelerations.value_or(true);
    }};

template <class F>
std::unique_ptr<formulations::AccelerationForm> form(std::shared_ptr<const system::Dynamics> system,
                                                     const ResolvedPlan& plan) {
  return std::make_unique<F>(std::move(system), plan);
}

std::unique_ptr<forms::StepForm> algebraic_form(std::shared_ptr<const system::Dynamics> system,
                                                const ResolvedPlan& plan) {
  return std::make_unique<formulations::Algebraic>(std::move(system), plan);
}

std::vector<CoordinatesKind> all_coordinates() {
  return {CoordinatesKind::natural, CoordinatesKind::reference, CoordinatesKind::relative,
          CoordinatesKind::generalized};
}

// Every formulation that gives accelerations may project after its steps.
Options with_projections(Options options) {
  options.insert(options.end(), {"projection.positions",
                                 "projection.velocities",
                                 "projection.accelerations",
                                 {"projection.every", &kIfProjected}});
  return options;
}

std::vector<FormulationEntry> make_formulations() {
  using K = FormulationKind;
  using C = CoordinatesKind;
  const auto ode = [](K kind, const char* meaning, Options options, auto make) {
    return FormulationEntry{
        kind, Form::ode, meaning, with_projections(std::move(options)), all_coordinates(), false, true, make};
  };
  const ReadOption scale{"constraint-scale", &kIfGivenPenalty}, mu{"mu", &kIfOmega};
  const Options augmented = {"solver", "penalty", scale, "omega", mu, "iterations"};
  return {
      {K::augmented_lagrangian_index3,
       Form::residual,
       "positions from an augmented Lagrangian, velocities and accelerations projected; passes singular "
       "positions",
       {"solver",
        "penalty",
        scale,
        {"projection.metric", &kIfRatesProjected},
        {"projection.sweeps", &kIfRatesProjected},
        "projection.velocities",
        "projection.accelerations",
        "projection.reactions",
        "projection.route",
        "tolerance"},
       all_coordinates()},
      ode(K::lagrange, "accelerations and multipliers from one system of equations", {"solve"},
          form<formulations::Lagrange>),
      ode(K::baumgarte, "the same with Baumgarte's stabilization of the constraints",
          {"solve", "stabilization"}, form<formulations::Lagrange>),
      ode(K::null_space, "accelerations along the motions that the constraints allow",
          {"solver", "stabilization"}, form<formulations::NullSpace>),
      ode(K::penalty, "constraints as stiff springs, dampers and masses",
          {"solver", "penalty", scale, "omega", mu}, form<formulations::AugmentedLagrangian>),
      ode(K::augmented_lagrangian, "penalties whose multipliers are iterated to convergence", augmented,
          form<formulations::AugmentedLagrangian>),
      ode(K::independent, "as many coordinates are integrated as the mechanism has freedom",
          {"independent", {"independent.tolerance", &kIfHybrid}, {"stabilization", &kIfHybrid}},
          form<formulations::Independent>),
      ode(K::canonical_lagrange, "momenta instead of velocities, with multipliers", {"solve"},
          form<formulations::CanonicalLagrange>),
      ode(K::canonical_independent, "independent coordinates and their momenta", {},
          form<formulations::CanonicalIndependent>),
      ode(K::canonical_augmented, "momenta instead of velocities, with penalties", augmented,
          form<formulations::CanonicalAugmented>),
      {K::algebraic,
       Form::own_rule,
       "algebraic equations for each step, without iteration",
       {"order", {"gyroscopic", &kIfSecondOrder}},
       all_coordinates(),
       false,
       true,
       nullptr,
       algebraic_form},
      {K::dae,
       Form::own_rule,
       "the differential-algebraic system itself, by BDF (IDA of SUNDIALS)",
       {"tolerance"},
       {C::natural, C::reference, C::generalized},
       true,
       formulations::dae_available(),
       nullptr,
       formulations::make_dae,
       true},
      {K::modular,
       Form::own_rule,
       "subsystems by themselves, which find the forces between them by iteration",
       {"modular", "stabilization", "solver", "penalty", scale, "iterations"},
       {C::natural, C::reference}},
  };
}

std::vector<IntegratorEntry> make_integrators() {
  using K = IntegratorKind;
  const Options iterates = {"convergence", "max-iterations"}, controlled = {"tolerance"};
  const auto and_iterates = [&](const char* own) {
    Options all = iterates;
    all.push_back(own);
    return all;
  };
  const std::vector<std::string>& built = integrators::ode_integrator_names();
  const auto is_built = [&](K kind) {
    return std::find(built.begin(), built.end(), name_of(kind)) != built.end();
  };
  return {
      {K::trapezoidal, true, true, "implicit, of second order, without damping", iterates},
      {K::newmark, true, false, "implicit, with Newmark's beta and gamma",
       and_iterates("integrator.newmark")},
      {K::hht, true, false, "implicit, of second order; damps high frequencies by alpha",
       and_iterates("integrator.hht")},
      {K::generalized_alpha, true, false,
       "implicit, of second order; damps high frequencies to a spectral radius",
       and_iterates("integrator.generalized-alpha")},
      {K::euler, false, true, "explicit, of first order", {}},
      {K::semi_implicit_euler, false, true, "explicit, of first order; velocities first", {}},
      {K::rk2_midpoint, false, true, "explicit Runge-Kutta rule of second order", {}},
      {K::rk2_heun, false, true, "explicit Runge-Kutta rule of second order", {}},
      {K::rk4, false, true, "explicit Runge-Kutta rule of fourth order", {}},
      {K::dopri5, false, true, "explicit Runge-Kutta pair of order 5", controlled, true},
      {K::dop853, false, true, "explicit Runge-Kutta pair of order 8", controlled, true},
      {K::radau5, false, true, "implicit, of order 5, for stiff motions", controlled, true},
      {K::radau9, false, true, "implicit, of order 9, for stiff motions", controlled, true},
      {K::implicit_midpoint, false, true, "implicit, of second order; symplectic", iterates},
      {K::cvode_adams, false, true, "multistep rule of order 1 to 12 (CVODE of SUNDIALS)", controlled, true,
       is_built(K::cvode_adams), true},
      {K::cvode_bdf, false, true, "multistep rule of order 1 to 5 for stiff motions (CVODE of SUNDIALS)",
       controlled, true, is_built(K::cvode_bdf), true},
  };
}

const std::vector<FormulationEntry>& formulations() {
  static const std::vector<FormulationEntry> table = make_formulations();
  return table;
}
const std::vector<IntegratorEntry>& integrators() {
  static const std::vector<IntegratorEntry> table = make_integrators();
  return table;
}
const std::vector<CoordinatesEntry>& coordinates() {
  static const std::vector<CoordinatesEntry> table = {
      {CoordinatesKind::natural, "points and unit vectors, which neighbours share", {}},
      {CoordinatesKind::reference, "centre of mass and rotation of each body", {}},
      {CoordinatesKind::relative, "coordinates of a tree of joints; constraints close the loops", {"open"}},
      {CoordinatesKind::generalized, "those that the model gives, with their equations", {}},
  };
  return table;
}

template <class Entries, class Keep>
std::vector<std::string> names_where(const Entries& entries, Keep keep) {
  std::vector<std::string> names;
  for (const auto& entry : entries)
    if (keep(entry)) names.emplace_back(entry.name());
  return names;
}

// An option in the list of a method; null: it is not there. "modular" stands for "modular.rho" where that is
// not in the list itself.
const ReadOption* find(const Options& options, std::string_view option) {
  const ReadOption* above = nullptr;
  for (const ReadOption& one : options) {
    const std::string_view key = one.key;
    if (option == key) return &one;
    if (option.starts_with(key) && option[key.size()] == '.') above = &one;
  }
  return above;
}

template <class Entries>
std::vector<std::string> readers_in(const Entries& entries, std::string_view option) {
  return names_where(entries, [&](const auto& entry) { return find(entry.options, option) != nullptr; });
}

// The option in the lists of the methods of this plan, those that may take over too (simulation/fallback.h).
std::vector<const ReadOption*> uses(const ResolvedPlan& plan, std::string_view option) {
  std::vector<const ReadOption*> all;
  const auto add = [&](const Options& options) {
    if (const ReadOption* one = find(options, option)) all.push_back(one);
  };
  const auto add_method = [&](FormulationKind formulation, IntegratorKind integrator) {
    add(entry_of(formulation).options);
    if (!is_own_rule(formulation)) add(entry_of(integrator).options);
  };
  add(entry_of(plan.coordinates).options);
  add_method(plan.formulation, plan.integrator);
  if (plan.falls_back) {
    add_method(FormulationKind::augmented_lagrangian_index3, IntegratorKind::trapezoidal);
    add_method(plan.formulation, IntegratorKind::radau9);
  }
  return all;
}

template <class Kind, std::size_t N>
Kind named(const char* what, const std::array<const char*, N>& names, const std::string& name) {
  if (const auto found = kind_named<Kind>(names, name)) return *found;
  throw std::invalid_argument(fmt::format("there is no {} '{}'; {}", what, name,
                                          expressions::choice_advice(name, {names.begin(), names.end()})));
}

}  // namespace

std::span<const FormulationEntry> formulation_table() { return formulations(); }
std::span<const IntegratorEntry> integrator_table() { return integrators(); }
std::span<const CoordinatesEntry> coordinates_table() { return coordinates(); }
std::span<const SolverEntry> solver_table() {
  static const std::vector<SolverEntry> table = {
      {SolverChoice::automatic,
       "Cholesky while the matrix is symmetric and definite, else LU; dense or sparse by size"},
      {SolverChoice::dense_cholesky, "for small, symmetric, definite matrices"},
      {SolverChoice::sparse_cholesky, "for large, symmetric, definite matrices"},
      {SolverChoice::dense_lu, "for small matrices"},
      {SolverChoice::klu, "for large matrices (KLU of SuiteSparse)"},
  };
  return table;
}

const FormulationEntry& entry_of(FormulationKind kind) {
  return formulations()[static_cast<std::size_t>(kind)];
}
const IntegratorEntry& entry_of(IntegratorKind kind) { return integrators()[static_cast<std::size_t>(kind)]; }
const CoordinatesEntry& entry_of(CoordinatesKind kind) {
  return coordinates()[static_cast<std::size_t>(kind)];
}

bool fits(const FormulationEntry& formulation, const IntegratorEntry& integrator) {
  return formulation.form == Form::residual ? integrator.residual
                                            : formulation.form == Form::ode && integrator.ode;
}

std::vector<std::string> integrators_of(FormulationKind formulation) {
  return names_where(integrators(), [&](const IntegratorEntry& one) {
    return one.available && fits(entry_of(formulation), one);
  });
}

IntegratorKind usual_integrator(FormulationKind formulation) {
  return entry_of(formulation).form == Form::ode ? IntegratorKind::rk4 : IntegratorKind::trapezoidal;
}

const std::vector<std::string>& known_coordinates() {
  static const auto names = names_where(coordinates(), [](const auto&) { return true; });
  return names;
}
const std::vector<std::string>& known_formulations() {
  static const auto names = names_where(formulations(), [](const auto&) { return true; });
  return names;
}
const std::vector<std::string>& known_integrators() {
  static const auto names =
      names_where(integrators(), [](const IntegratorEntry& one) { return one.available; });
  return names;
}
const std::vector<std::string>& known_solvers() {
  static const auto names = names_where(solver_table(), [](const auto&) { return true; });
  return names;
}
const std::vector<std::string>& residual_integrators() {
  static const auto names = integrators_of(FormulationKind::augmented_lagrangian_index3);
  return names;
}
const std::vector<std::string>& ode_integrators() {
  static const auto names = integrators_of(FormulationKind::lagrange);
  return names;
}
const std::vector<std::string>& known_inner_formulations() {
  static const std::vector<std::string> names{name_of(FormulationKind::augmented_lagrangian),
                                              name_of(FormulationKind::baumgarte)};
  return names;
}
const std::vector<std::string>& known_inner_coordinates() {
  static const std::vector<std::string> names{name_of(CoordinatesKind::natural),
                                              name_of(CoordinatesKind::reference)};
  return names;
}

FormulationKind formulation_named(const std::string& name) {
  return named<FormulationKind>("formulation", kFormulationNames, name);
}
IntegratorKind integrator_named(const std::string& name) {
  return named<IntegratorKind>("integrator", kIntegratorNames, name);
}

bool is_own_rule(FormulationKind formulation) { return entry_of(formulation).form == Form::own_rule; }
bool is_own_rule(const std::string& formulation) {
  const auto kind = kind_named<FormulationKind>(kFormulationNames, formulation);
  return kind && is_own_rule(*kind);
}

const char* history_keeper(const ResolvedPlan& plan) {
  if (entry_of(plan.formulation).keeps_history) return name_of(plan.formulation);
  if (is_own_rule(plan.formulation) || !entry_of(plan.integrator).keeps_history) return nullptr;
  return name_of(plan.integrator);
}

std::vector<std::string> readers_of(std::string_view option) {
  std::vector<std::string> all;
  const auto add = [&](const auto& table) {
    for (std::string& name : readers_in(table, option)) all.push_back(std::move(name));
  };
  add(coordinates());
  add(formulations());
  add(integrators());
  return all;
}

std::string readers_in_words(std::string_view option) {
  std::vector<std::string> kinds;
  const auto add = [&](const char* one, const char* more, const auto& table) {
    const std::vector<std::string> names = readers_in(table, option);
    if (!names.empty())
      kinds.push_back(fmt::format("{} {}", names.size() == 1 ? one : more, fmt::join(names, ", ")));
  };
  add("coordinates", "coordinates", coordinates());
  add("formulation", "formulations", formulations());
  add("integrator", "integrators", integrators());
  return fmt::format("{}", fmt::join(kinds, " and "));
}

bool reads(const ResolvedPlan& plan, std::string_view option) {
  if (readers_of(option).empty()) return true;
  const std::vector<const ReadOption*> all = uses(plan, option);
  return std::any_of(all.begin(), all.end(),
                     [&](const ReadOption* one) { return one->when == nullptr || one->when->holds(plan); });
}

const ReadCondition* missing_condition(const ResolvedPlan& plan, std::string_view option) {
  const std::vector<const ReadOption*> all = uses(plan, option);
  return all.empty() ? nullptr : all.front()->when;
}

}  // namespace trammel::simulation
