// How a model is run, as a file says it: subsystems, simulate, outputs.
#include "model/writer/parts.h"
#include "model/writer/plan_json.h"

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;

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

Json simulate_json(const Mechanism& m) {
  Json j = simulate_options(m.plan, Written::changed);
  if (!m.stop_when.empty()) j["stop-when"] = m.stop_when;
  return j;
}

Json outputs_json(const Mechanism& m) {
  Json j = output_options(m.plan, Written::changed);
  if (!m.outputs.empty()) j["columns"] = Json(m.outputs);
  return j;
}

}  // namespace trammel::model
