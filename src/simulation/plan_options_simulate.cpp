// The table of plan options: the keys of `simulate:` itself.
#include "simulation/method_table.h"
#include "simulation/plan_option_fields.h"

namespace trammel::simulation {
namespace {

std::vector<std::string> or_automatic(std::vector<std::string> names) {
  names.emplace_back(kAutomatic);
  return names;
}

}  // namespace

std::vector<PlanOption> options_of_simulate() {
  using T = OptionType;
  return {
      field(
          {"duration", T::number, "s", "time that is simulated", kPositive},
          [](auto& p) -> auto& { return p.duration; }),
      field_from<false>(
          {"step",
           T::number,
           "s",
           "time step; with a `tolerance`, the largest",
           kPositive,
           {},
           "what the tolerance allows; 0.001 where a formulation is named"},
          [](auto& p) -> auto& { return p.step; }),
      field(
          {"coordinates",
           T::choice,
           "",
           "unknowns of the equations (architecture.md)",
           {},
           or_automatic(known_coordinates()),
           "automatic: natural, or the model's own; by tolerance those that suit a spin, light bodies and "
           "long trees"},
          [](auto& p) -> auto& { return p.coordinates; }),
      field(
          {"open",
           T::names,
           "",
           "joints, or bodies, at which loops are opened: `open: [C]`. A body is cut into halves that a "
           "constraint holds together",
           {},
           {},
           "chosen: joints that leave the fewest freedoms are kept"},
          [](auto& p) -> auto& { return p.open; }),
      field(
          {"formulation",
           T::choice,
           "",
           "equations that are solved (formulations.md)",
           {},
           or_automatic(known_formulations()),
           "automatic: augmented-lagrangian-index3, or what the tolerance or the integrator asks for"},
          [](auto& p) -> auto& { return p.formulation; }),
      field(
          {"integrator",
           T::choice,
           "",
           "rule that takes the steps; or one with its parameters, as `{hht: -0.1}`",
           {},
           or_automatic(known_integrators()),
           "automatic: trapezoidal, or what the tolerance asks for; none where the formulation is its own "
           "rule"},
          [](auto& p) -> auto& { return p.integrator; }),
      field(
          {"solver", T::choice, "", "of linear equations", {}, known_solvers()},
          [](auto& p) -> auto& { return p.solver; }),
      by_owner(
          {"penalty",
           T::by_owner,
           "1",
           "α. Index 3 needs α·step²/4 of 10⁴ to 10⁶ times the mass that a constraint moves: less marks "
           "steps or fails, more loses digits",
           kPositive,
           {kAutomatic},
           "automatic"},
          [](auto& p) -> auto& { return p.penalty; }, [](auto& p) -> auto& { return p.penalty_of; }),
      field(
          {"constraint-scale", T::number, "1",
           "what a given `penalty` multiplies: 2 means Φ = d² − L². Constraints of velocities, A v + b, are "
           "not scaled",
           kPositive},
          [](auto& p) -> auto& { return p.constraint_scale; }),
      outside({"projection", T::group, "", "projections after a step"}),
      PlanOption{"stabilization",
                 T::choice,
                 "",
                 "of Φ̈ + 2a Φ̇ + b² Φ = 0: `welch` is a = b = 1/step, `joli` is b = 0.2π/step, a = 0.1 b; or "
                 "`{a: 10, b: 10}`. `independent` reads it with `integrate: hybrid`",
                 {},
                 {"welch", "joli"},
                 "welch; joli for `modular`; none for `null-space`",
                 [](const Plan& p) {
                   return p.stabilized && p.stabilization != "given" ? OptionValue(p.stabilization)
                                                                     : OptionValue();
                 },
                 [](Plan& p, const OptionValue& value) {
                   p.stabilized = true;
                   p.stabilization = std::get<std::string>(value);
                 }},
      by_owner(
          {"omega",
           T::by_owner,
           "rad/s",
           "Ω of 2Ωμ Φ̇ + Ω² Φ",
           kPositive,
           {},
           "10; 0 where positions and velocities are projected after every step of `augmented-lagrangian`"},
          [](auto& p) -> auto& { return p.omega; }, [](auto& p) -> auto& { return p.omega_of; }),
      by_owner(
          {"mu", T::by_owner, "1", "μ of 2Ωμ Φ̇ + Ω² Φ", kPositive, {}, "1"},
          [](auto& p) -> auto& { return p.mu; }, [](auto& p) -> auto& { return p.mu_of; }),
      field_from<true>(
          {"iterations",
           T::whole,
           "",
           "a fixed number of iterations for the multipliers",
           kFromZero,
           {},
           "to convergence"},
          [](auto& p) -> auto& { return p.alf_iterations; }),
      field(
          {"order", T::whole, "", "of accuracy", {1, 2}}, [](auto& p) -> auto& { return p.algebraic_order; }),
      field(
          {"gyroscopic",
           T::choice,
           "",
           "order 2: forces that depend on velocities, ω × Jω too, with the velocity of the corrector, or "
           "with that of the predictor (as published, of first order)",
           {},
           {"corrected", "predicted"}},
          [](auto& p) -> auto& { return p.gyroscopic; }),
      PlanOption{
          "solve",
          T::choice,
          "",
          "the whole system of equations, or by Schur complement",
          {},
          {"whole", "schur"},
          nullptr,
          [](const Plan& p) { return OptionValue(std::string(p.schur ? "schur" : "whole")); },
          [](Plan& p, const OptionValue& value) { p.schur = std::get<std::string>(value) == "schur"; }},
      field_from<false>(
          {"tolerance",
           T::number,
           "1",
           "instead of `step`: the error allowed in each step, relative to the value or to its unit (the "
           "size of the mechanism, a radian), whichever is larger. Where neither "
           "formulation nor integrator is given it chooses them (formulations.md)",
           kPositive,
           {},
           "1e-6 without a `step`; with one, none for augmented-lagrangian-index3, else 1e-8"},
          [](auto& p) -> auto& { return p.tolerance; }),
      field(
          {"convergence", T::number, "1", "of a step's increment and constraint error, lengths scaled to one",
           kPositive},
          [](auto& p) -> auto& { return p.convergence; }),
      field(
          {"max-iterations", T::whole, "", "Newton iterations of a step", kFromOne},
          [](auto& p) -> auto& { return p.max_iterations; }),
      field(
          {"strict", T::flag, "", "a step that meets only a weaker criterion ends the run"},
          [](auto& p) -> auto& { return p.strict; }),
      PlanOption{"verify",
                 T::choice,
                 "",
                 "a second run at a finer setting, beside the first: it tells the error of every figure "
                 "(results.md)",
                 {},
                 {"on", "off"},
                 nullptr,
                 [](const Plan& p) { return OptionValue(std::string(p.verify ? "on" : "off")); },
                 [](Plan& p, const OptionValue& value) { p.verify = std::get<std::string>(value) == "on"; }},
      field(
          {"accuracy", T::number, "1",
           "the error that a column may have, relative to its range, for the run to be called ok", kPositive},
          [](auto& p) -> auto& { return p.accuracy; }),
      outside({"stop-when",
               T::expression,
               "",
               "a condition, as `crank.angle > 2*pi`: the run ends where it becomes true, located to 1e-10 s",
               {},
               {},
               "none"}),
      outside({"independent", T::group, "", "the independent coordinates"}),
      outside({"modular", T::group, "", "the iteration for the forces between subsystems"}),
  };
}

}  // namespace trammel::simulation
