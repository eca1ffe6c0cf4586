#include "server/model_event.h"

#include "mechanism/force_kinds.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/numbers.h"
#include "results/scene/scene.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"

namespace trammel::server {
namespace {

using Ordered = nlohmann::ordered_json;

// What a person may put between two points: joints, with how many axes they need, and forces, with the
// numbers that are asked for.
Ordered connections(bool planar) {
  Ordered all = Ordered::array();
  for (const mechanism::JointInfo& kind : mechanism::joint_kinds()) {
    if (!kind.offered.in(planar)) continue;
    const mechanism::JointFrames frames = kind.frames.in(planar);
    const int axes = frames == mechanism::JointFrames::own || frames == mechanism::JointFrames::world ? 0
                     : frames == mechanism::JointFrames::crossed                                      ? 2
                                                                                                      : 1;
    all.push_back({{"part", "joint"}, {"kind", kind.name}, {"axes", axes}, {"asked", Ordered::array()}});
  }
  for (const mechanism::ForceInfo& kind : mechanism::force_kinds()) {
    if (!kind.offered) continue;
    Ordered asked = Ordered::array();
    for (const mechanism::AskedNumber& number : kind.asked)
      asked.push_back({{"key", number.key}, {"unit", number.unit}, {"value", number.value}});
    all.push_back({{"part", "force"}, {"kind", kind.name}, {"axes", 0}, {"asked", asked}});
  }
  return all;
}

// Formulations with the integrators that fit them: none with one that is its own rule.
Ordered choices(const Mechanism& mechanism, const Unfit& unfit) {
  Ordered pairs = Ordered::object();
  std::vector<std::string> coordinates;
  for (const simulation::CoordinatesEntry& one : simulation::coordinates_table())
    if (simulation::suits(mechanism, one.kind)) coordinates.emplace_back(one.name());
  for (const simulation::FormulationEntry& one : simulation::formulation_table())
    pairs[one.name()] = simulation::integrators_of(one.kind);
  return {{"coordinates", coordinates},
          {"formulations", simulation::known_formulations()},
          {"integrators", simulation::known_integrators()},
          {"pairs", pairs},
          {"unfit", unfit},
          {"connections", connections(mechanism.is_planar)}};
}

// Of step and tolerance those that the run goes by.
Ordered numbers(Mechanism mechanism, const ResolvedPlan& plan) {
  mechanism.plan.step = plan.step;
  mechanism.plan.tolerance = plan.tolerance;
  Ordered all = Ordered::array();
  mechanism::for_each_number(mechanism, [&](const mechanism::NumberPlace& place, double& value) {
    const bool of_no_use = place.path.starts_with("plan.") && value == 0;
    if (place.shown && !of_no_use)
      all.push_back({{"path", place.path}, {"value", value}, {"unit", place.unit}});
  });
  // What a person may say beside.
  for (const mechanism::FreeStart& start : mechanism::free_starts(mechanism))
    all.push_back({{"path", start.path}, {"value", nullptr}, {"unit", start.unit}});
  mechanism::for_each_formula(mechanism, [&](const std::string& path, std::string& text) {
    all.push_back({{"path", path}, {"value", text}, {"unit", ""}});
  });
  return all;
}

}  // namespace

std::string model_event(const live::Snapshot::Model& model, const Unfit& unfit) {
  const Mechanism& m = *model.mechanism;
  const ResolvedPlan plan = simulation::resolve(m.plan, m);
  Ordered signals = Ordered::array();
  for (const live::SignalName& s : model.signals) {
    signals.push_back({{"name", s.name}, {"unit", s.unit}});
    if (!s.unique) signals.back()["unique"] = false;
  }
  const Ordered event = {{"event", "model"},
                         {"revision", model.revision},
                         {"path", model.path},
                         {"scene", results::scene_json(m)},
                         {"plan",
                          {{"coordinates", name_of(plan.coordinates)},
                           {"formulation", name_of(plan.formulation)},
                           {"integrator", name_of(plan.integrator)},
                           {"step", plan.step},
                           {"tolerance", plan.tolerance}}},
                         {"signals", signals},
                         {"numbers", numbers(m, plan)},
                         {"choices", choices(m, unfit)},
                         {"undo", model.undo.empty() ? Ordered() : Ordered(model.undo)},
                         {"redo", model.redo.empty() ? Ordered() : Ordered(model.redo)}};
  return event.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

}  // namespace trammel::server
