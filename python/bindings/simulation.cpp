// A mechanism in motion.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <optional>

#include "bindings.h"
#include "motion.h"
#include "results/report/event_report.h"
#include "simulation/advance_to.h"
#include "trammel/methods.h"
#include "trammel/resolved_plan.h"
#include "trammel/run.h"

namespace trammel::python {
namespace {

using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Joints closed, accelerations known.
std::unique_ptr<SharedSimulation> assembled(const Mechanism& mechanism) {
  auto shared = std::make_unique<SharedSimulation>(mechanism);
  const auto simulation = shared->use();
  const AssemblyReport report = simulation->assemble();
  if (report.report.accepted()) return shared;
  const std::string why = explain(report, *simulation);
  const std::string joint = report.open.empty() ? part_named(mechanism, why) : report.open.front().owner;
  raise("AssemblyError", why, {{"joint", py::str(joint)}});
}

// Its events: kind, time, name, speeds before and after, impulse, energy.
py::list accepted(const StepResult& result, const Simulation& simulation) {
  if (!result.report.accepted()) {
    const std::string why = explain(result.report, simulation);
    raise("StepError", fmt::format("at t = {:.6g} s: {}", simulation.state().t, why),
          {{"t", py::float_(simulation.state().t)},
           {"joint", py::str(part_named(simulation.mechanism(), why))}});
  }
  py::list events;
  for (const Event& event : result.events)
    events.append(py::make_tuple(results::to_string(event.kind), event.t, event.name, event.before,
                                 event.after, event.impulse, event.energy));
  return events;
}

// Ctrl-C while a simulation is advanced: heard between steps, now and then.
class Signals {
 public:
  bool go_on() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return true;
    next_ = now + kLook;
    const py::gil_scoped_acquire held;
    if (PyErr_CheckSignals() == 0) return true;
    raised_.emplace();
    return false;
  }
  void raise() {
    if (!raised_) return;
    const py::gil_scoped_acquire held;
    throw py::error_already_set(*raised_);
  }

 private:
  static constexpr std::chrono::milliseconds kLook{50};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kLook;
  std::optional<py::error_already_set> raised_;
};

// One call that moves the simulation, without Python's lock. If something is raised meanwhile, the simulation
// stands where it stood.
template <class Move>
py::list move(const SharedSimulation::Use& use, bool may_raise, const Move& move_by) {
  Simulation& simulation = *use;
  {
    const py::gil_scoped_release released;
    if (!may_raise) {
      use.last() = move_by(simulation);
    } else {
      const State before = simulation.state();
      try {
        use.last() = move_by(simulation);
      } catch (...) {
        simulation.restore(before);
        throw;
      }
    }
  }
  return accepted(use.last(), simulation);
}

py::list stepped(SharedSimulation& shared, double h) {
  const auto use = shared.use();
  return move(use, has_own_code(use->mechanism()),
              [h](Simulation& simulation) { return simulation.step(h); });
}

py::list advance(const SharedSimulation::Use& use, double t) {
  return move(use, true, [t](Simulation& simulation) {
    Signals signals;
    StepResult result = simulation::advance_to(simulation, t, [&] { return signals.go_on(); });
    signals.raise();
    return result;
  });
}

py::list advanced_to(SharedSimulation& shared, double t) { return advance(shared.use(), t); }

// The same with functions that are watched meanwhile.
py::list advanced_and_watched(SharedSimulation& shared, double t, const py::list& functions) {
  const auto simulation = shared.use();
  simulation->watch(watched(functions));
  const struct Watching {
    Simulation& simulation;
    ~Watching() { simulation.watch({}); }
  } watching{*simulation};
  return advance(simulation, t);
}

MotionReader reader(const SharedSimulation::Use& simulation) { return {*simulation, simulation->state()}; }

// `iterations` and `marked` are those of the last call that advanced.
double value(SharedSimulation& shared, const std::string& name) {
  const auto simulation = shared.use();
  if (name == "iterations") return simulation.last().iterations;
  if (name == "marked") return simulation.last().report.outcome == Outcome::marked ? 1 : 0;
  return simulation->value(name);
}

// Of the mechanism as it is now; chosen where it stands, if there are none yet.
MotionEquations& equations(const SharedSimulation::Use& simulation) {
  if (!simulation.equations()) simulation.equations() = std::make_unique<MotionEquations>(*simulation);
  return *simulation.equations();
}

void choose_independent(SharedSimulation& shared, const std::vector<std::string>& names) {
  const auto simulation = shared.use();
  simulation.equations() = std::make_unique<MotionEquations>(*simulation, names);
}

py::array_t<double> derivative(SharedSimulation& shared, double t, const Values& y) {
  const auto simulation = shared.use();
  MotionEquations& motion = equations(simulation);
  motion.take_inputs(*simulation);
  py::array_t<double> rate(static_cast<py::ssize_t>(motion.names().size()));
  const std::span<const double> from(y.data(), static_cast<std::size_t>(y.size()));
  const std::span<double> to(rate.mutable_data(), static_cast<std::size_t>(rate.size()));
  Report report;
  {
    const py::gil_scoped_release released;
    report = motion.derivative(t, from, to);
  }
  if (!report.accepted()) raise("StepError", report.message, {{"t", py::float_(t)}});
  return rate;
}

py::array_t<double> independent_values(SharedSimulation& shared) {
  const auto simulation = shared.use();
  const std::vector<double> y = equations(simulation).y(*simulation);
  return py::array_t<double>(static_cast<py::ssize_t>(y.size()), y.data());
}

void place(SharedSimulation& shared, double t, const Values& y) {
  const auto simulation = shared.use();
  const Report report =
      equations(simulation).place(t, {y.data(), static_cast<std::size_t>(y.size())}, *simulation);
  if (!report.accepted()) raise("StepError", report.message, {{"t", py::float_(t)}});
}

py::tuple set_parameter(SharedSimulation& shared, const std::string& name, double value) {
  const auto simulation = shared.use();
  const TakeOver change = simulation->set_parameter(name, value);
  simulation.equations().reset();
  return py::make_tuple(change.assembly.largest_move, change.impulse, change.energy);
}

// A state, and the parameters that were changed since the model was read.
py::tuple state(SharedSimulation& shared) {
  const auto simulation = shared.use();
  return py::make_tuple(py::bytes(to_bytes(simulation->state())), simulation->mechanism().changed_parameters);
}

// With other parameters it goes on in a simulation that is built with those of the state.
void restore(SharedSimulation& shared, const std::string& bytes,
             const std::map<std::string, double>& parameters) {
  const auto use = shared.use();
  const State state = state_from_bytes(bytes);
  if (parameters == use->mechanism().changed_parameters) return use->restore(state);
  const Mechanism mechanism = use->mechanism().source->with(parameters);
  auto next = std::make_unique<Simulation>(mechanism, use->plan(), executor_for(mechanism, use->plan()));
  next->restore(state);
  use.replace(std::move(next));
}

}  // namespace

void bind_simulation(py::module_& module) {
  py::class_<SharedSimulation, std::shared_ptr<SharedSimulation>>(module, "Simulation")
      .def(py::init(&assembled))
      .def_property_readonly("t", [](SharedSimulation& s) { return s.use()->state().t; })
      .def("duration", [](SharedSimulation& s) { return s.use()->plan().duration; })
      .def("advance_to", advanced_to)
      .def("advance_to", advanced_and_watched)
      .def("step", stepped)
      .def("independent", [](SharedSimulation& s) { return equations(s.use()).names(); })
      .def("choose_independent", choose_independent)
      .def("y", independent_values)
      .def("place", place)
      .def("derivative", derivative)
      .def("value", value)
      .def("inputs", [](SharedSimulation& s) { return s.use()->state().inputs; })
      .def("set_input", [](SharedSimulation& s, const std::string& name,
                           double value) { s.use()->set_input(name, value); })
      .def("parameters", [](SharedSimulation& s) { return s.use()->mechanism().parameters; })
      .def("set_parameter", set_parameter)
      .def("pose", [](SharedSimulation& s, const std::string& body) { return pose(reader(s.use()), body); })
      .def("point", [](SharedSimulation& s, const std::string& name) { return point(reader(s.use()), name); })
      .def("reaction",
           [](SharedSimulation& s, const std::string& name) { return reaction(reader(s.use()), name); })
      .def("energy", [](SharedSimulation& s) { return energy(reader(s.use())); })
      .def("coordinates", [](SharedSimulation& s) { return name_of(s.use()->resolved().coordinates); })
      .def("state", state)
      .def("restore", restore);
}

}  // namespace trammel::python
