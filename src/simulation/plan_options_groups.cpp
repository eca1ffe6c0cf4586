// The table of plan options: what is below keys of `simulate:`, and `outputs:`.
#include "simulation/plan_option_fields.h"

namespace trammel::simulation {

std::vector<PlanOption> options_of_rules() {
  using T = OptionType;
  const PlanOption a{"stabilization.a", T::number, "1/s",
                     "damping of the constraints; for `modular` as far as its rule stays stable", kPositive},
      b{"stabilization.b", T::number, "1/s", "stiffness of the constraints", kPositive};
  const auto only_given = [](PlanOption option, auto access) {
    using Access = decltype(access);
    option.get = [](const Plan& p) {
      return p.stabilization == "given" ? OptionValue(Access{}(p)) : OptionValue();
    };
    option.set = [](Plan& p, const OptionValue& value) {
      p.stabilized = true;
      p.stabilization = "given";
      Access{}(p) = std::get<double>(value);
    };
    option.otherwise = "10";
    return option;
  };
  return {
      only_given(
          a, [](auto& p) -> auto& { return p.stabilization_a; }),
      only_given(
          b, [](auto& p) -> auto& { return p.stabilization_b; }),
      outside({"integrator.newmark", T::group, "", "Newmark's rule: `{newmark: {beta: 0.3, gamma: 0.6}}`"}),
      field(
          {"integrator.hht", T::number, "1", "α of HHT", {-1.0 / 3, 0}},
          [](auto& p) -> auto& { return p.hht_alpha; }),
      field(
          {"integrator.generalized-alpha",
           T::number,
           "1",
           "spectral radius for infinite frequencies",
           {0, 1}},
          [](auto& p) -> auto& { return p.spectral_radius; }),
      field(
          {"integrator.newmark.beta", T::number, "1", "β, at least γ/2", {0.01, 1}},
          [](auto& p) -> auto& { return p.newmark_beta; }),
      field(
          {"integrator.newmark.gamma",
           T::number,
           "1",
           "γ; above ½ the rule damps, and is of first order",
           {0.5, 1}},
          [](auto& p) -> auto& { return p.newmark_gamma; }),
  };
}

std::vector<PlanOption> options_of_projection() {
  using T = OptionType;
  return {
      field(
          {"projection.metric",
           T::choice,
           "",
           "in which the projection is orthogonal",
           {},
           {"tangent", "mass"}},
          [](auto& p) -> auto& { return p.projection_metric; }),
      field(
          {"projection.sweeps", T::whole, "",
           "iterations of a projection, at most; it ends earlier when the constraint error is small enough",
           kFromOne},
          [](auto& p) -> auto& { return p.projection_sweeps; }),
      field(
          {"projection.every", T::whole, "", "steps between two projections", kFromOne},
          [](auto& p) -> auto& { return p.projection_every; }),
      field(
          {"projection.positions",
           T::flag,
           "",
           "project positions",
           {},
           {},
           "false; true for formulation automatic with a tolerance"},
          [](auto& p) -> auto& { return p.project_positions; }),
      field(
          {"projection.velocities",
           T::flag,
           "",
           "project velocities",
           {},
           {},
           "true for augmented-lagrangian-index3 and for formulation automatic with a tolerance, else false"},
          [](auto& p) -> auto& { return p.project_velocities; }),
      field(
          {"projection.accelerations",
           T::flag,
           "",
           "project accelerations",
           {},
           {},
           "true for augmented-lagrangian-index3, else false"},
          [](auto& p) -> auto& { return p.project_accelerations; }),
      field(
          {"projection.reactions",
           T::choice,
           "",
           "forces of constraints of velocities: `carried` from step to step, or found anew in each, as "
           "`published` (positions of first order only); see formulations.md",
           {},
           {"carried", "published"}},
          [](auto& p) -> auto& { return p.projection_reactions; }),
      field(
          {"projection.route",
           T::choice,
           "",
           "which projection tells these forces",
           {},
           {"accelerations", "velocities"}},
          [](auto& p) -> auto& { return p.projection_route; }),
  };
}

std::vector<PlanOption> options_of_independent() {
  using T = OptionType;
  return {
      field(
          {"independent.choice",
           T::choice,
           "",
           "of the independent coordinates z: `boolean` (some of the coordinates themselves), `qr`, `svd` "
           "(along an orthonormal basis of the motions)",
           {},
           {"boolean", "qr", "svd"}},
          [](auto& p) -> auto& { return p.independent_choice; }),
      field(
          {"independent.integrate",
           T::choice,
           "",
           "what is integrated, with which accelerations; see formulations.md",
           {},
           {"minimal", "enlarged", "extraction", "paul", "hybrid"}},
          [](auto& p) -> auto& { return p.independent_integrate; }),
      field(
          {"independent.coordinates",
           T::names,
           "",
           "the independent coordinates at the start, as many as there are degrees of freedom: `[P.x]` of a "
           "point, one's own coordinates by name, in reference coordinates `body.x`, `body.angle`, in "
           "relative ones `joint.angle`, `joint.displacement`; with `choice: boolean`",
           {},
           {},
           "chosen"},
          [](auto& p) -> auto& { return p.independent_coordinates; }),
      field(
          {"independent.tolerance", T::number, "1",
           "of `hybrid`: the constraint error above which it stabilizes, lengths scaled to one", kPositive},
          [](auto& p) -> auto& { return p.hybrid_tolerance; }),
  };
}

namespace {

OptionValue rho_of(const Plan& p) {
  const ModularPlan& m = p.modular;
  if (m.rho == "given") return ByOwner{"", m.rho_given, m.rho_of};
  return ByOwner{m.rho, std::nullopt, m.rho_of};
}

void set_rho(Plan& p, const OptionValue& value) {
  const auto& given = std::get<ByOwner>(value);
  p.modular.rho = given.common ? "given" : given.word.empty() ? p.modular.rho : given.word;
  if (given.common) p.modular.rho_given = *given.common;
  p.modular.rho_of = given.of;
}

}  // namespace

std::vector<PlanOption> options_of_modular() {
  using T = OptionType;
  return {
      field(
          {"modular.uzawa",
           T::choice,
           "",
           "`accelerated`, by conjugate residuals, or `plain`, as published",
           {},
           {"plain", "accelerated"}},
          [](auto& p) -> auto& { return p.modular.uzawa; }),
      PlanOption{"modular.rho",
                 T::by_owner,
                 "",
                 "step of the iteration: `automatic`, `published` (the printed rule, which may diverge), a "
                 "number, or by joint; kg, or kg.m² for axes",
                 kPositive,
                 {"automatic", "published"},
                 nullptr,
                 rho_of,
                 set_rho},
      field(
          {"modular.criterion",
           T::choice,
           "",
           "`joint`, as said for the tolerance, or `published`: the change of each component over that "
           "component, however small: it may never be met where a component passes through zero",
           {},
           {"joint", "published"}},
          [](auto& p) -> auto& { return p.modular.criterion; }),
      field(
          {"modular.tolerance", T::number, "1",
           "of a joint's force: its change in a sweep over its size, or over the weight of what it joins "
           "where that is more",
           kPositive},
          [](auto& p) -> auto& { return p.modular.tolerance; }),
      field(
          {"modular.sweeps", T::whole, "",
           "sweeps over the subsystems in a step, at most; then the run ends with status 3 and names the "
           "joint that converges worst",
           kFromOne},
          [](auto& p) -> auto& { return p.modular.max_sweeps; }),
      PlanOption{
          "modular.start",
          T::choice,
          "",
          "of the iteration in each step: `warm`, from the forces of the last step, or `cold`, from zero. "
          "Refused: `warm` with a tolerance above 1e-4, which the forces of the last step would pass at once",
          {},
          {"warm", "cold"},
          "warm where the tolerance allows it",
          [](const Plan& p) {
            return p.modular.warm_start ? OptionValue(std::string(*p.modular.warm_start ? "warm" : "cold"))
                                        : OptionValue();
          },
          [](Plan& p, const OptionValue& value) {
            p.modular.warm_start = std::get<std::string>(value) == "warm";
          }},
      field(
          {"modular.threads",
           T::whole,
           "",
           "results are the same to the bit for any number. They pay where subsystems are many and large; "
           "for a few bodies one is fastest",
           {1, 1024}},
          [](auto& p) -> auto& { return p.modular.threads; }),
  };
}

std::vector<PlanOption> options_of_outputs() {
  using T = OptionType;
  return {
      field_from<false>(
          {"outputs.interval",
           T::number,
           "s",
           "time between two rows; rounded to whole steps where these are fixed. `dopri5`, `dop853`, "
           "`radau5` and `radau9` step over the rows, and take them from within their steps; named together "
           "with a `step`, they land on its multiples",
           kFromZero,
           {},
           "about a thousand rows"},
          [](auto& p) -> auto& { return p.output_interval; }),
      outside({"outputs.columns",
               T::expressions,
               "",
               "columns of one's own: name and expression",
               {},
               {},
               "none"}),
      PlanOption{"outputs.axes",
                 T::choice,
                 "",
                 "axes of the forces and torques of joints: `world`, `joint` (columns `joint_force`, "
                 "`joint_torque`) or `both`; see results.md",
                 {},
                 {"world", "joint", "both"},
                 nullptr,
                 [](const Plan& p) {
                   return OptionValue(std::string(p.reaction_axes == ReactionAxes::joint  ? "joint"
                                                  : p.reaction_axes == ReactionAxes::both ? "both"
                                                                                          : "world"));
                 },
                 [](Plan& p, const OptionValue& value) {
                   const auto& name = std::get<std::string>(value);
                   p.reaction_axes = name == "joint"  ? ReactionAxes::joint
                                     : name == "both" ? ReactionAxes::both
                                                      : ReactionAxes::world;
                 }},
      field(
          {"outputs.reactions",
           T::choice,
           "",
           "forces and torques of joints `solved` for each row from its positions and velocities, or as the "
           "`projections` of augmented-lagrangian-index3 leave them, by their `route`",
           {},
           {"solved", "projections"}},
          [](auto& p) -> auto& { return p.reactions; }),
  };
}

}  // namespace trammel::simulation
