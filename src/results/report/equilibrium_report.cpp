#include "results/report/equilibrium_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/state_json.h"
#include "system/system.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Equilibrium;

const char* kind_name(Equilibrium::Kind kind) {
  switch (kind) {
    case Equilibrium::Kind::stable:
      return "stable";
    case Equilibrium::Kind::unstable:
      return "unstable";
    case Equilibrium::Kind::neutral:
      break;
  }
  return "neutral";
}

}  // namespace

std::vector<std::string> passed_stops(const Simulation& simulation) {
  constexpr double kBeyond = 1e-9;
  std::vector<std::string> passed;
  for (const EndStop& stop : simulation.mechanism().stops) {
    const double value = simulation.coordinate(stop.joint);
    if (value < stop.lower.value_or(value) - kBeyond || value > stop.upper.value_or(value) + kBeyond)
      passed.push_back(stop.name);
  }
  return passed;
}

Json equilibrium_json(Simulation& simulation, const std::vector<Equilibrium>& found) {
  Json all = Json::array();
  for (const Equilibrium& one : found) {
    simulation.restore(one.state);
    Json entry = {{"stable", one.kind == Equilibrium::Kind::stable},
                  {"kind", kind_name(one.kind)},
                  {"residual", one.residual},
                  {"bodies", bodies_json(simulation.mechanism(), simulation.system().poses(one.state))},
                  {"reactions", reactions_json(simulation, one.state)},
                  {"potential", one.potential},
                  {"stiffness", one.stiffness},
                  {"symmetric", one.symmetric},
                  {"passed_stops", passed_stops(simulation)}};
    all.push_back(std::move(entry));
  }
  return {{"equilibria", std::move(all)}};
}

std::string equilibrium_text(Simulation& simulation, const std::vector<Equilibrium>& found) {
  std::string text;
  const bool planar = simulation.mechanism().is_planar;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Equilibrium& one = found[k];
    simulation.restore(one.state);
    text += fmt::format("{}Equilibrium {}: {}, potential energy {:.6g} J, forces balance to {:.1e}\n",
                        k > 0 ? "\n" : "", k + 1, kind_name(one.kind), one.potential, one.residual);
    const std::vector<Pose> poses = simulation.system().poses(one.state);
    for (std::size_t b = 0; b < poses.size(); ++b) {
      const Vec3& at = poses[b].position;
      text += planar ? fmt::format("  {:<16} x {:>12.6g} m   y {:>12.6g} m   angle {:>12.6g} rad\n",
                                   simulation.mechanism().bodies[b].name, at.x(), at.y(), poses[b].angle)
                     : fmt::format("  {:<16} x {:>12.6g} m   y {:>12.6g} m   z {:>12.6g} m\n",
                                   simulation.mechanism().bodies[b].name, at.x(), at.y(), at.z());
    }
    if (!one.stiffness.empty() && !one.symmetric)
      text +=
          "  Some forces have no potential: 'trammel solve modes' tells whether the position is stable in "
          "motion.\n";
    if (const std::vector<std::string> passed = passed_stops(simulation); !passed.empty())
      text +=
          fmt::format("  Beyond the limit of: {}. Statics leaves end-stops out.\n", fmt::join(passed, ", "));
  }
  return text;
}

}  // namespace trammel::results
