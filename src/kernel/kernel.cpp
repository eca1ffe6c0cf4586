#include "trammel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "kernel/driver_source.h"
#include "kernel/emit.h"
#include "kernel/recordings.h"
#include "simulation/resolve.h"
#include "trammel/run.h"
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
  if (plan.tolerance > 0) return "it takes steps of one size; give a step, as --step 1e-3, and no tolerance";
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

// A start as the source takes it.
std::vector<double> start_of(const State& state, const std::vector<double>& angles) {
  std::vector<double> start{state.t};
  for (const auto* part : {&state.q, &state.v, &state.a, &state.lambda, &angles})
    start.insert(start.end(), part->begin(), part->end());
  return start;
}

}  // namespace
}  // namespace kernel

class Kernel::Made {
 public:
  Made(const Mechanism& mechanism, const Plan& plan, const KernelOptions& options)
      : plan_(plan), all_angles_(options.all_angles) {
    const ResolvedPlan resolved = simulation::resolve(plan, mechanism);
    refusal = kernel::refusal_of(mechanism, resolved);
    if (!refusal.empty()) return;
    Simulation simulation(mechanism, plan);
    if (const AssemblyReport report = simulation.assemble(); !report.report.accepted()) {
      refusal = "the start could not be assembled; run the model to see why";
      return;
    }
    try {
      constants_.emplace(mechanism, options.others, all_angles_);
    } catch (const std::invalid_argument& refused) {
      refusal = refused.what();
      return;
    }
    write(mechanism, resolved, simulation.state(), options.target);
  }

  KernelInstance instance(const Mechanism& mechanism) const {
    KernelInstance out;
    try {
      Simulation simulation(mechanism, plan_);
      const AssemblyReport report = simulation.assemble();
      if (report.report.accepted()) return instance(simulation);
      out.refusal = explain(report, simulation);
    } catch (const std::invalid_argument& refused) {
      out.refusal = refused.what();
    }
    return out;
  }

  KernelInstance instance(const Simulation& simulation) const {
    KernelInstance out;
    kernel::Graph none(false);
    const kernel::Recordings read =
        kernel::record(simulation.mechanism(), simulation.state(), all_angles_, none, nullptr);
    if (!constants_ || !constants_->describe(read.numbers)) {
      out.refusal = "its model differs from that of the kernel in more than the inputs";
      out.differs = true;
      return out;
    }
    out.constants = constants_->of(read.numbers);
    out.state = kernel::start_of(simulation.state(), read.angles);
    return out;
  }

  void read(std::span<const double> numbers, State& state) const {
    const double* from = numbers.data();
    state.t = *from++;
    for (auto* part : {&state.q, &state.v, &state.a, &state.lambda}) {
      std::copy_n(from, part->size(), part->begin());
      from += part->size();
    }
    if (state.recall(system::kAngles) == nullptr) return;
    std::vector<double>& angles = state.remember(system::kAngles, 0);
    for (const int k : kept_) {
      if (k >= 0) angles[static_cast<std::size_t>(k)] = *from;
      ++from;
    }
  }

  std::size_t constants() const { return constants_ ? constants_->size() : 0; }

  std::string text, refusal;
  int operations = 0;

 private:
  void write(const Mechanism& mechanism, const ResolvedPlan& plan, const State& state, KernelTarget target) {
    using kernel::list_of, kernel::literal;
    kernel::Graph graph;
    const kernel::Recordings read =
        kernel::record(mechanism, state, all_angles_, graph, &constants_->of_number());
    kept_ = read.kept;
    refusal = read.refusal;
    if (!refusal.empty()) return;
    const kernel::StepFunctions functions = kernel::write_functions(graph, read.equations, read.step);
    operations = functions.operations;
    const bool cuda = target == KernelTarget::cuda;
    text = kernel::filled(std::string(kernel::kHead) + functions.text + kernel::kLoop +
                              (cuda ? kernel::kCudaEntries : kernel::kCppEntries),
                          {{"lanes", cuda ? kernel::kCudaLanes : kernel::kCppLanes},
                           {"name", mechanism.name},
                           {"version", TRAMMEL_VERSION},
                           {"n", std::to_string(read.equations.Q.size())},
                           {"m", std::to_string(read.equations.Phi.size())},
                           {"angles", std::to_string(read.angles.size())},
                           {"constants", std::to_string(constants_->size())},
                           {"jacobian", std::to_string(functions.jacobian)},
                           {"factor", std::to_string(functions.factor)},
                           {"operations", std::to_string(functions.operations)},
                           {"iterations", std::to_string(plan.max_iterations)},
                           {"sweeps", std::to_string(plan.projection_sweeps)},
                           {"convergence", literal(plan.convergence)},
                           {"inverse_scale", list_of(read.step.inverse_scale)},
                           {"inverse_size", list_of(read.step.inverse_size)},
                           {"start", list_of(kernel::start_of(state, read.angles))},
                           {"of_model", list_of(constants_->of_model())}});
  }

  Plan plan_;
  bool all_angles_;
  std::vector<int> kept_;  // by angle: its place in the State; −1: it keeps it not
  std::optional<kernel::Constants> constants_;
};

Kernel::Kernel(const Mechanism& mechanism, const Plan& plan, const KernelOptions& options)
    : made_(std::make_unique<Made>(mechanism, plan, options)) {}
Kernel::~Kernel() = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;

const std::string& Kernel::text() const { return made_->text; }
const std::string& Kernel::refusal() const { return made_->refusal; }
int Kernel::operations() const { return made_->operations; }
int Kernel::constants() const { return static_cast<int>(made_->constants()); }
KernelInstance Kernel::instance(const Mechanism& mechanism) const { return made_->instance(mechanism); }
KernelInstance Kernel::instance(const Simulation& simulation) const { return made_->instance(simulation); }
void Kernel::read(std::span<const double> numbers, State& state) const { made_->read(numbers, state); }

}  // namespace trammel
