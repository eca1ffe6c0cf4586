#include "analysis/acceptance.h"

#include <stdexcept>

#include "simulation/plan_check.h"
#include "trammel/run.h"

namespace trammel::analysis {

Plan with_method(const Plan& plan, const std::string& coordinates, const std::string& formulation,
                 const std::string& integrator) {
  Plan own = plan;
  own.coordinates = coordinates;
  own.formulation = formulation;
  own.integrator = integrator;
  if (!simulation::controls_error(own)) own.step = simulation::landing_interval(plan);
  return own;
}

std::string refusal(const Mechanism& mechanism, const Plan& plan) {
  const std::vector<std::string> problems = check_plan(plan);
  if (!problems.empty()) return problems.front();
  try {
    Simulation simulation(mechanism, plan);
    const AssemblyReport assembly = simulation.assemble();
    return assembly.report.accepted() ? "" : explain(assembly, simulation);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::vector<Acceptance> acceptance(const Mechanism& mechanism, const Plan& plan) {
  std::vector<Acceptance> all;
  for (const std::string& coordinates : simulation::known_coordinates())
    for (const std::string& formulation : simulation::known_formulations()) {
      const std::vector<std::string> integrators = simulation::is_own_rule(formulation)
                                                       ? std::vector<std::string>{kAutomatic}
                                                       : simulation::known_integrators();
      for (const std::string& integrator : integrators) {
        const Plan own = with_method(plan, coordinates, formulation, integrator);
        all.push_back(
            {coordinates, formulation, integrator, refusal(mechanism, own), !check_plan(own).empty()});
      }
    }
  return all;
}

}  // namespace trammel::analysis
