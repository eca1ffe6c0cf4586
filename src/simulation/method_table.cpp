#include "simulation/method_table.h"

#include <fmt/format.h>

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

using Options = std::vector<const char*>;

template <class F>
std::unique_ptr<formulations::AccelerationForm> form(std::shared_ptr<const system::System> system,
                                                     const ResolvedPlan& plan) {
  return std::make_unique<F>(std::move(system), plan);
}

std::unique_ptr<forms::StepForm> algebraic_form(std::shared_ptr<const system::System> system,
                                                const ResolvedPlan& plan) {
  return std::make_unique<formulations::Algebraic>(std::move(system), plan);
}

std::vector<CoordinatesKind> all_coordinates() {
  return {CoordinatesKind::natural, CoordinatesKind::reference, CoordinatesKind::relative,
          CoordinatesKind::generalized};
}

// Every formulation that gives accelerations may project after its steps.
Options with_projections(Options options) {
  options.insert(options.end(), {"projection.positions", "projection.velocities", "projection.accelerations",
                                 "projection.every"});
  return options;
}

std::vector<FormulationEntry> make_formulations() {
  using K = FormulationKind;
  using C = CoordinatesKind;
  const auto ode = [](K kind, const char* meaning, Options options, auto make) {
    return FormulationEntry{
        kind, Form::ode, meaning, with_projections(std::move(options)), all_coordinates(), false, true, make};
  };
  const Options augmented = {"solver", "penalty", "constraint-scale", "omega", "mu", "iterations"};
  return {
      {K::augmented_lagrangian_index3,
       Form::residual,
       "positions from an augmented Lagrangian, velocities and accelerations projected; passes singular "
       "positions",
       {"solver", "penalty", "constraint-scale", "projection.metric", "projection.sweeps",
        "projection.velocities", "projection.accelerations", "projection.reactions", "projection.route",
        "tolerance"},
       all_coordinates()},
      ode(K::lagrange, "accelerations and multipliers from one system of equations", {"solve"},
          form<formulations::Lagrange>),
      ode(K::baumgarte, "the same with Baumgarte's stabilization of the constraints",
          {"solve", "stabilization"}, form<formulations::Lagrange>),
      ode(K::null_space, "accelerations along the motions that the constraints allow",
          {"solver", "stabilization"}, form<formulations::NullSpace>),
      ode(K::penalty, "constraints as stiff springs, dampers and masses",
          {"solver", "penalty", "constraint-scale", "omega", "mu"}, form<formulations::AugmentedLagrangian>),
      ode(K::augmented_lagrangian, "penalties whose multipliers are iterated to convergence", augmented,
          form<formulations::AugmentedLagrangian>),
      ode(K::independent, "as many coordinates are integrated as the mechanism has freedom",
          {"independent", "stabilization"}, form<formulations::Independent>),
      ode(K::canonical_lagrange, "momenta instead of velocities, with multipliers", {"solve"},
          form<formulations::CanonicalLagrange>),
      ode(K::canonical_independent, "independent coordinates and their momenta", {},
          form<formulations::CanonicalIndependent>),
      ode(K::canonical_augmented, "momenta instead of velocities, with penalties", augmented,
          form<formulations::CanonicalAugmented>),
      {K::algebraic,
       Form::own_rule,
       "algebraic equations for each step, without iteration",
       {"order", "gyroscopic"},
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
       formulations::make_dae},
      {K::modular,
       Form::own_rule,
       "subsystems by themselves, which find the forces between them by iteration",
       {"modular", "stabilization", "solver", "penalty", "constraint-scale", "iterations"},
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
       is_built(K::cvode_adams)},
      {K::cvode_bdf, false, true, "multistep rule of order 1 to 5 for stiff motions (CVODE of SUNDIALS)",
       controlled, true, is_built(K::cvode_bdf)},
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

// "modular" stands for "modular.rho".
bool lists(const Options& options, std::string_view option) {
  return std::any_of(options.begin(), options.end(), [&](std::string_view one) {
    return option == one || (option.starts_with(one) && option[one.size()] == '.');
  });
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

std::vector<std::string> readers_of(std::string_view option) {
  std::vector<std::string> all;
  const auto add = [&](const auto& table) {
    for (const auto& entry : table)
      if (lists(entry.options, option)) all.emplace_back(entry.name());
  };
  add(coordinates());
  add(formulations());
  add(integrators());
  return all;
}

bool reads(const ResolvedPlan& plan, std::string_view option) {
  if (readers_of(option).empty()) return true;
  const auto method = [&](FormulationKind formulation, IntegratorKind integrator) {
    return lists(entry_of(formulation).options, option) ||
           (!is_own_rule(formulation) && lists(entry_of(integrator).options, option));
  };
  if (lists(entry_of(plan.coordinates).options, option) || method(plan.formulation, plan.integrator))
    return true;
  // What may take over: simulation/fallback.h.
  return plan.falls_back &&
         (method(FormulationKind::augmented_lagrangian_index3, IntegratorKind::trapezoidal) ||
          method(plan.formulation, IntegratorKind::radau9));
}

}  // namespace trammel::simulation
