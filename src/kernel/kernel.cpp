#include "trammel/kernel.h"

#include <fmt/format.h>

#include <map>

#include "formulations/rows/penalty_mobility.h"
#include "formulations/rows/rows.h"
#include "kernel/driver_source.h"
#include "kernel/emit.h"
#include "kernel/step_source.h"
#include "simulation/resolve.h"
#include "trammel/simulation.h"
#include "trammel/version.h"

namespace trammel {
namespace kernel {
namespace {

std::string list_of(const std::vector<double>& numbers) {
  std::string text;
  for (const double one : numbers) text += (text.empty() ? "" : ", ") + literal(one);
  return text.empty() ? "0.0" : text;  // C++ has no arrays without entries
}

std::string filled(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "@" + name + "@";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

// What of a plan or a model a kernel does not do; empty: nothing.
std::string refusal_of(const Mechanism& mechanism, const ResolvedPlan& plan) {
  if (plan.tolerance > 0) return "it takes steps of one size; give one, as --step 1e-3";
  if (plan.coordinates != CoordinatesKind::natural)
    return "it is made for natural coordinates; leave out `coordinates`";
  if (plan.formulation != FormulationKind::augmented_lagrangian_index3 ||
      plan.integrator != IntegratorKind::trapezoidal)
    return "it is made for augmented-lagrangian-index3 with the trapezoidal rule; leave out `formulation` "
           "and `integrator`";
  if (plan.penalty || !plan.penalty_of.empty() || plan.projection_metric != "tangent" ||
      !plan.project_velocities.value_or(true) || !plan.project_accelerations.value_or(true))
    return "it has automatic penalties and projects velocities and accelerations in the metric of the "
           "tangent";
  if (!mechanism.stops.empty())
    return fmt::format("the end-stop '{}' is an event, which it does not look for", mechanism.stops[0].name);
  for (const Force& force : mechanism.forces)
    if (std::holds_alternative<DryFriction>(force.law))
      return fmt::format("'{}' sticks and slips, which are events; it does not look for them", force.name);
  if (!mechanism.inputs.empty())
    return fmt::format("the input '{}' has no place in it", mechanism.inputs[0].name);
  return {};
}

StepNumbers numbers_of(const system::Dynamics& system) {
  const system::Terms terms = system.make_terms();
  StepNumbers numbers;
  const system::EntryPattern& pattern = system.mass_pattern();
  for (std::size_t k = 0; k < pattern.row.size(); ++k)
    numbers.mass.push_back({pattern.row[k], pattern.column[k], terms.M[k]});
  numbers.mobility = formulations::penalty_mobility(system, terms);
  numbers.least = formulations::least_compliance(system, numbers.mobility);
  numbers.inverse_scale = formulations::inverse_scales(system);
  for (const double size : system.coordinate_scale()) numbers.inverse_size.push_back(1 / size);
  return numbers;
}

// Angles of the start, with the turns that the model gives them.
template <int D>
std::vector<double> start_angles(const system::NaturalSystem<D>& system, const std::vector<int>& measures,
                                 const State& state) {
  const auto& basis = system.basis();
  std::vector<std::array<double, D>> x;
  for (int e = 0; e < basis.elements(); ++e)
    for (int i = 0; i < D; ++i) {
      if (i == 0) x.emplace_back();
      x.back()[static_cast<std::size_t>(i)] =
          e < basis.free_elements() ? state.q[static_cast<std::size_t>(D * e + i)] : basis.initial(e)[i];
    }
  std::vector<double> angles;
  for (const int k : measures)
    angles.push_back(system::with_turns(system.measure(k).value(x), system.measure(k).expected()));
  return angles;
}

template <int D>
KernelSource write(const Mechanism& mechanism, const ResolvedPlan& plan, const State& state,
                   KernelTarget target) {
  const system::NaturalSystem<D> system(mechanism);
  KernelSource source;
  Graph graph;
  const KernelEquations equations = record_equations<D>(system, graph, source.refusal);
  if (!source.refusal.empty()) source.refusal = "it has no form of " + source.refusal + " yet";
  if (source.refusal.empty() && !system.symmetric_tangent())
    source.refusal = "a force of the model has a tangent that is not symmetric";
  if (!source.refusal.empty()) return source;
  const StepNumbers numbers = numbers_of(system);
  const StepFunctions functions = write_functions(graph, equations, numbers);
  source.operations = functions.operations;

  std::vector<double> start{state.t};
  for (const auto* part : {&state.q, &state.v, &state.a, &state.lambda})
    start.insert(start.end(), part->begin(), part->end());
  const std::vector<double> angles = start_angles(system, equations.angle_measures, state);
  start.insert(start.end(), angles.begin(), angles.end());
  const bool cuda = target == KernelTarget::cuda;
  source.text = filled(std::string(kHead) + functions.text + kLoop + (cuda ? kCudaEntries : kCppEntries),
                       {{"lanes", cuda ? kCudaLanes : kCppLanes},
                        {"name", mechanism.name},
                        {"version", TRAMMEL_VERSION},
                        {"n", std::to_string(equations.Q.size())},
                        {"m", std::to_string(equations.Phi.size())},
                        {"angles", std::to_string(angles.size())},
                        {"jacobian", std::to_string(functions.jacobian)},
                        {"factor", std::to_string(functions.factor)},
                        {"operations", std::to_string(functions.operations)},
                        {"iterations", std::to_string(plan.max_iterations)},
                        {"sweeps", std::to_string(plan.projection_sweeps)},
                        {"convergence", literal(plan.convergence)},
                        {"inverse_scale", list_of(numbers.inverse_scale)},
                        {"inverse_size", list_of(numbers.inverse_size)},
                        {"start", list_of(start)}});
  return source;
}

}  // namespace
}  // namespace kernel

KernelSource export_kernel(const Mechanism& mechanism, const Plan& plan, KernelTarget target) {
  const ResolvedPlan resolved = simulation::resolve(plan, mechanism);
  KernelSource source;
  source.refusal = kernel::refusal_of(mechanism, resolved);
  if (!source.refusal.empty()) return source;
  Simulation simulation(mechanism, plan);
  if (const AssemblyReport report = simulation.assemble(); !report.report.accepted()) {
    source.refusal = "the start could not be assembled; run the model to see why";
    return source;
  }
  return mechanism.is_planar ? kernel::write<2>(mechanism, resolved, simulation.state(), target)
                             : kernel::write<3>(mechanism, resolved, simulation.state(), target);
}

}  // namespace trammel
