// Forces, plan and outputs of a model file.
#include <fmt/format.h>

#include <stdexcept>

#include "io/model_writer_parts.h"
#include "mechanism/signals.h"

namespace trammel {
namespace {

using Json = nlohmann::ordered_json;

class ForceWriter {
 public:
  ForceWriter(const Mechanism& m, const Force& force, PlaceWriter& places)
      : m_(m), force_(force), places_(places) {}

  Json operator()(const SpringDamper& law) {
    Json j = {{"spring", Json::array({place(law.a), place(law.b)})}};
    if (!law.law.empty()) {
      j["tension"] = law.law;
      return j;
    }
    j["stiffness"] = law.stiffness;
    j["length"] = law.length;
    j["damping"] = law.damping;
    j["preload"] = law.preload;
    return j;
  }
  Json operator()(const JointSpring& law) const {
    Json j = {{"joint-spring", law.joint}};
    const Joint* joint = m_.joint(law.joint);
    if (!law.law.empty()) {
      j[joint != nullptr && has_angle(m_, *joint) ? "torque" : "force"] = law.law;
      return j;
    }
    j["stiffness"] = law.stiffness;
    j["free"] = law.free;
    j["damping"] = law.damping;
    j["preload"] = law.preload;
    return j;
  }
  Json operator()(const JointFriction& law) const {
    return {{"friction", law.joint},
            {"coulomb", law.coulomb},
            {"viscous", law.viscous},
            {"transition", law.transition}};
  }
  Json operator()(const AppliedForce& law) {
    return with_axes({{"force", Json(law.components)}, {"at", place(law.at)}}, law.body_fixed);
  }
  Json operator()(const AppliedTorque& law) const {
    const Json components = m_.is_planar ? Json(law.components.at(0)) : Json(law.components);
    return with_axes({{"torque", components}, {"on", law.body}}, law.body_fixed);
  }
  Json operator()(const Bushing& law) {
    for (const Marker* m : {&law.a, &law.b})
      // 1e-9: rounding of a frame
      if (!(m_.placement(m->body).axes * m->frame.axes).isIdentity(1e-9))
        throw std::runtime_error(
            fmt::format("bushing '{}' is not at rest where its bodies are placed at the start: a model file "
                        "cannot say so; remove it, or reset before adding it",
                        force_.name));
    return {{"bushing", Json::array({law.a.body, law.b.body})},
            {"at", Json::array({place(law.a), place(law.b)})},
            {"stiffness", matrix(law.stiffness)},
            {"damping", matrix(law.damping)}};
  }
  Json operator()(const UserForcePtr&) const {
    throw std::runtime_error(
        fmt::format("force '{}' is written in C++: a model file cannot hold it", force_.name));
  }

 private:
  Json place(const Marker& marker) { return places_.place(marker, force_.name + "_at"); }
  static Json with_axes(Json j, bool body_fixed) {
    if (body_fixed) j["axes"] = "body";
    return j;
  }
  Json matrix(const Mat6& matrix) const {
    const std::vector<int> rows =
        m_.is_planar ? std::vector<int>{0, 1, 5} : std::vector<int>{0, 1, 2, 3, 4, 5};
    Json all = Json::array();
    for (const int r : rows) {
      Json row = Json::array();
      for (const int c : rows) row.push_back(matrix(r, c));
      all.push_back(row);
    }
    return all;
  }

  const Mechanism& m_;
  const Force& force_;
  PlaceWriter& places_;
};

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

}  // namespace

Json forces_json(const Mechanism& m, PlaceWriter& places) {
  Json all = Json::object();
  for (const Force& force : m.forces) all[force.name] = std::visit(ForceWriter(m, force, places), force.law);
  return all;
}

Json simulate_json(const Mechanism& m) {
  const Plan& plan = m.plan;
  Json j = {{"duration", plan.duration}};
  if (plan.step > 0) j["step"] = plan.step;
  if (plan.tolerance > 0) j["tolerance"] = plan.tolerance;
  j["coordinates"] = plan.coordinates;
  if (!plan.open.empty()) j["open"] = plan.open;
  j["formulation"] = plan.formulation;
  j["integrator"] = integrator_json(plan);
  j["solver"] = plan.solver;
  if (const Json penalty = by_owner(plan.penalty, plan.penalty_of); !penalty.empty()) j["penalty"] = penalty;
  j["constraint-scale"] = plan.constraint_scale;
  j["projection"] = projection_json(plan);
  stabilization_json(plan, j);
  j["omega"] = by_owner(plan.omega, plan.omega_of);
  j["mu"] = by_owner(plan.mu, plan.mu_of);
  if (plan.alf_iterations >= 0) j["iterations"] = plan.alf_iterations;
  j["independent"] = independent_json(plan);
  j["order"] = plan.algebraic_order;
  j["gyroscopic"] = plan.gyroscopic;
  if (plan.schur) j["solve"] = "schur";
  j["convergence"] = plan.convergence;
  j["max-iterations"] = plan.max_iterations;
  if (plan.strict) j["strict"] = true;
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
