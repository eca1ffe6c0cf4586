// How a model is run, as a file says it: subsystems, simulate, outputs.
#include "trammel/plan.h"
#include "model/writer/parts.h"

namespace trammel {
namespace {

using Json = nlohmann::ordered_json;

Json by_owner(const std::optional<double>& common, const std::map<std::string, double>& of_owner) {
  Json j = Json::object();
  if (common) j["default"] = *common;
  for (const auto& [name, value] : of_owner) j[name] = value == 0 ? Json("automatic") : Json(value);
  return j;
}

Json integrator_json(const Plan& plan) {
  if (plan.integrator == "newmark")
    return {{"newmark", {{"beta", plan.newmark_beta}, {"gamma", plan.newmark_gamma}}}};
  if (plan.integrator == "hht") return {{"hht", plan.hht_alpha}};
  if (plan.integrator == "generalized-alpha") return {{"generalized-alpha", plan.spectral_radius}};
  return plan.integrator;
}

Json projection_json(const Plan& plan) {
  Json j = {{"metric", plan.projection_metric},
            {"sweeps", plan.projection_sweeps},
            {"every", plan.projection_every},
            {"reactions", plan.projection_reactions},
            {"route", plan.projection_route}};
  if (plan.project_positions) j["positions"] = *plan.project_positions;
  if (plan.project_velocities) j["velocities"] = *plan.project_velocities;
  if (plan.project_accelerations) j["accelerations"] = *plan.project_accelerations;
  return j;
}

void stabilization_json(const Plan& plan, Json& j) {
  if (plan.stabilization == "given")
    j["stabilization"] = {{"a", plan.stabilization_a}, {"b", plan.stabilization_b}};
  else if (plan.stabilized)
    j["stabilization"] = plan.stabilization;
}

Json independent_json(const Plan& plan) {
  Json j = {{"choice", plan.independent_choice},
            {"integrate", plan.independent_integrate},
            {"tolerance", plan.hybrid_tolerance}};
  if (!plan.independent_coordinates.empty()) j["coordinates"] = plan.independent_coordinates;
  return j;
}

Json modular_json(const ModularPlan& plan) {
  const Json common = plan.rho == "given" ? Json(plan.rho_given) : Json(plan.rho);
  Json rho = {{"default", common}};
  for (const auto& [name, value] : plan.rho_of) rho[name] = value;
  Json j = {{"uzawa", plan.uzawa},         {"rho", plan.rho_of.empty() ? common : rho},
            {"criterion", plan.criterion}, {"tolerance", plan.tolerance},
            {"sweeps", plan.max_sweeps},   {"threads", plan.threads}};
  if (plan.warm_start) j["start"] = *plan.warm_start ? "warm" : "cold";
  return j;
}

}  // namespace

Json subsystems_json(const Mechanism& m) {
  Json all = Json::object();
  for (const Subsystem& s : m.subsystems) {
    Json& one =
        all[s.name] = {{"bodies", s.bodies},
                       {"formulation", s.formulation},
                       {"integrator", {{"newmark", {{"beta", s.newmark_beta}, {"gamma", s.newmark_gamma}}}}},
                       {"substeps", s.substeps}};
    if (!s.coordinates.empty()) one["coordinates"] = s.coordinates;
  }
  return all;
}

namespace {

// What is as it would be without saying so is left out, also one level deeper.
void leave_out_defaults(Json& j, const Json& defaults) {
  for (const auto& [key, value] : defaults.items()) {
    if (!j.contains(key)) continue;
    if (j[key] == value) {
      j.erase(key);
    } else if (key == "projection" || key == "independent" || key == "modular") {
      leave_out_defaults(j[key], value);
    }
  }
}

Json details_json(const Plan& plan) {
  Json j = Json::object();
  j["solver"] = plan.solver;
  if (const Json penalty = by_owner(plan.penalty, plan.penalty_of); !penalty.empty()) j["penalty"] = penalty;
  j["constraint-scale"] = plan.constraint_scale;
  j["projection"] = projection_json(plan);
  stabilization_json(plan, j);
  j["omega"] = by_owner(plan.omega, plan.omega_of);
  j["mu"] = by_owner(plan.mu, plan.mu_of);
  if (plan.alf_iterations >= 0) j["iterations"] = plan.alf_iterations;
  j["independent"] = independent_json(plan);
  j["modular"] = modular_json(plan.modular);
  j["order"] = plan.algebraic_order;
  j["gyroscopic"] = plan.gyroscopic;
  if (plan.schur) j["solve"] = "schur";
  j["convergence"] = plan.convergence;
  j["max-iterations"] = plan.max_iterations;
  if (plan.strict) j["strict"] = true;
  return j;
}

}  // namespace

Json simulate_json(const Mechanism& m) {
  const Plan& plan = m.plan;
  Json j = {{"duration", plan.duration}};
  if (plan.step > 0) j["step"] = plan.step;
  if (plan.tolerance > 0) j["tolerance"] = plan.tolerance;
  j["coordinates"] = plan.coordinates;
  if (!plan.open.empty()) j["open"] = plan.open;
  j["formulation"] = plan.formulation;
  j["integrator"] = integrator_json(plan);
  Json details = details_json(plan);
  leave_out_defaults(details, details_json(Plan()));
  j.update(details);
  if (!m.stop_when.empty()) j["stop-when"] = m.stop_when;
  return j;
}

Json outputs_json(const Mechanism& m) {
  Json j = Json::object();
  if (m.plan.output_interval > 0) j["interval"] = m.plan.output_interval;
  if (!m.outputs.empty()) j["columns"] = Json(m.outputs);
  if (m.plan.reaction_axes != ReactionAxes::world)
    j["axes"] = m.plan.reaction_axes == ReactionAxes::joint ? "joint" : "both";
  if (m.plan.reactions != Plan().reactions) j["reactions"] = m.plan.reactions;
  return j;
}

}  // namespace trammel
