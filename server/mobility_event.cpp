#include "server/mobility_event.h"

#include "analysis/held_freedoms.h"
#include "analysis/mobility.h"
#include "trammel/simulation.h"

namespace trammel::server {
namespace {

using Json = nlohmann::ordered_json;

// Larger mechanisms take longer than a person waits for.
constexpr std::size_t kMostMobile = 40;

Json sets_json(const analysis::Mobility& m) {
  Json sets = Json::array();
  for (const auto& set : m.dependent_sets)
    sets.push_back({{"joints", set.joints}, {"redundant", set.redundant}, {"here", set.redundant_here}});
  return sets;
}

}  // namespace

Json mobility_event(const Mechanism& mechanism) {
  Json event = {{"event", "mobility"}, {"known", false}, {"drivers", mechanism.drivers.size()}};
  if (mechanism.bodies.size() > kMostMobile) return event;
  try {
    Mechanism undriven = mechanism;
    undriven.drivers.clear();
    Simulation simulation(undriven, mechanism.plan);
    if (!simulation.assemble().report.accepted()) return event;
    const analysis::Mobility m = analysis::mobility(simulation);
    if (!m.known) return event;
    Json named = Json::array();
    for (const analysis::HeldFreedom& held :
         analysis::undriven_freedoms(simulation.system(), undriven, simulation.state()))
      named.push_back(held.name);
    event["known"] = true;
    event["freedoms"] = m.degrees_of_freedom;
    event["named"] = named;
    event["redundant"] = m.redundant_constraints;
    event["sets"] = sets_json(m);
    event["locked"] = m.locked;
    event["singular"] = m.only_here;
  } catch (const std::exception&) {
    // not known then: the run itself says what is wrong
  }
  return event;
}

}  // namespace trammel::server
