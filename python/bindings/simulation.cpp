// A mechanism in motion.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "bindings.h"
#include "motion.h"
#include "results/report/event_report.h"
#include "simulation/advance_to.h"
#include "simulation/plan_check.h"
#include "simulation/resolve.h"
#include "trammel/methods.h"
#include "trammel/model.h"
#include "trammel/resolved_plan.h"
#include "trammel/run.h"

namespace trammel::python {
namespace {

using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Joints closed, accelerations known.
std::unique_ptr<SharedSimulation> assembled(const Mechanism& mechanism) {
  std::unique_ptr<SharedSimulation> shared;
  std::string why, joint;
  {
    const py::gil_scoped_release released;
    shared = std::make_unique<SharedSimulation>(mechanism);
    const auto simulation = shared->use();
    const AssemblyReport report = simulation->assemble();
    if (report.report.accepted()) return shared;
    why = explain(report, *simulation);
    joint = report.open.empty() ? part_named(mechanism, why) : report.open.front().owner;
  }
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

// One call that moves the simulation, without Python's lock. If something is raised meanwhile, the simulation
// stands where it stood.
enum class Raises { never, perhaps };
template <class Move>
py::list move(const SharedSimulation::Use& use, Raises raises, const Move& move_by) {
  Simulation& simulation = *use;
  {
    const py::gil_scoped_release released;
    if (raises == Raises::never) {
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

StepResult advance_and_hear(Simulation& simulation, double t) {
  Signals signals;
  StepResult result = simulation::advance_to(simulation, t, [&] { return signals.go_on(); });
  signals.raise();
  return result;
}

// A tolerance may divide a step into many: then Ctrl-C is heard between them. As of any step, a failure
// leaves the state as it was.
StepResult step_and_hear(Simulation& simulation, double h) {
  const double end = simulation.state().t + h;
  // What is no step at all is refused.
  if (!std::isfinite(end) || !(end > simulation.state().t)) return simulation.step(h);
  const State before = simulation.state();
  StepResult result = advance_and_hear(simulation, end);
  if (!result.report.accepted()) simulation.restore(before);
  return result;
}

py::list stepped(SharedSimulation& shared, double h) {
  const auto use = shared.use();
  if (simulation::controls_error(use->resolved()))
    return move(use, Raises::perhaps, [h](Simulation& simulation) { return step_and_hear(simulation, h); });
  return move(use, has_own_code(use->mechanism()) ? Raises::perhaps : Raises::never,
              [h](Simulation& simulation) { return simulation.step(h); });
}

py::list advance(const SharedSimulation::Use& use, double t) {
  return move(use, Raises::perhaps, [t](Simulation& simulation) { return advance_and_hear(simulation, t); });
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

std::vector<std::string> value_names(SharedSimulation& shared) {
  const auto simulation = shared.use();
  std::vector<std::string> all = reader(simulation).names();
  all.insert(all.end(), {"iterations", "marked"});
  return all;
}

// The positions among the names of y. Those of rotations without axes of their own are no names that can be
// asked for: then none.
std::vector<std::string> positions_of(const std::vector<std::string>& y) {
  const auto rates = y.empty() ? y.end() : std::ranges::find(y, y.front() + ".rate");
  if (rates == y.end()) return {};
  std::vector<std::string> positions(y.begin(), rates);
  const auto has_none = [](const std::string& name) { return name.find('#') != std::string::npos; };
  return std::ranges::any_of(positions, has_none) ? std::vector<std::string>() : positions;
}

// Of the mechanism as it is now. Its coordinates are chosen where it stands when they are first needed, and
// then kept.
MotionEquations& equations(const SharedSimulation::Use& use) {
  if (!use.equations()) {
    const py::gil_scoped_release released;
    try {
      use.equations() = std::make_unique<MotionEquations>(*use, use.independent());
    } catch (const std::invalid_argument& error) {
      if (use.independent().empty()) throw;
      throw std::invalid_argument(
          fmt::format("the independent coordinates {} do not fit the mechanism as it is now: {}; set "
                      "sim.independent again, [] to have them chosen",
                      fmt::join(use.independent(), ", "), error.what()));
    }
    if (use.independent().empty()) use.independent() = positions_of(use.equations()->names());
  }
  return *use.equations();
}

void choose_independent(SharedSimulation& shared, const std::vector<std::string>& names) {
  const auto use = shared.use();
  std::unique_ptr<MotionEquations> equations;
  {
    const py::gil_scoped_release released;
    equations = std::make_unique<MotionEquations>(*use, names);
  }
  use.independent() = names.empty() ? positions_of(equations->names()) : names;
  use.equations() = std::move(equations);
}

// As choose_independent(), judged when they are first needed.
void keep_independent(SharedSimulation& shared, const std::vector<std::string>& names) {
  const auto use = shared.use();
  use.equations().reset();
  use.independent() = names;
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
  TakeOver change;
  {
    const py::gil_scoped_release released;
    change = simulation->set_parameter(name, value);
    simulation.equations().reset();
  }
  return py::make_tuple(change.assembly.largest_move, change.impulse, change.energy);
}

// The model file of the mechanism as it stands and moves now.
std::string model_now(SharedSimulation& shared) {
  const auto simulation = shared.use();
  const py::gil_scoped_release released;
  Mechanism model = simulation->mechanism();
  model.plan = simulation::without_unread(simulation->plan());
  return write_model(moving_as(model, *simulation),
                     fmt::format("As '{}' stood and moved at t = {:.6g} s, which is time 0 here.", model.name,
                                 simulation->state().t));
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
  const py::gil_scoped_release released;
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
      .def("keep_independent", keep_independent)
      .def("kept_independent", [](SharedSimulation& s) { return s.use().independent(); })
      .def("y", independent_values)
      .def("place", place)
      .def("derivative", derivative)
      .def("value", value)
      .def("names", value_names)
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
      .def("model_now", model_now)
      .def("state", state)
      .def("restore", restore);
}

}  // namespace trammel::python
