// A mechanism in motion.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "results/report/event_report.h"
#include "trammel/run.h"

namespace trammel::python {
namespace {

py::array_t<double> array(const Vec3& vector) { return py::array_t<double>(3, vector.data()); }

py::array_t<double> array(const Mat3& matrix) {
  py::array_t<double> out({3, 3});
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) out.mutable_at(r, c) = matrix(r, c);
  return out;
}

// Joints closed, accelerations known.
std::unique_ptr<SharedSimulation> assembled(const Mechanism& mechanism) {
  auto shared = std::make_unique<SharedSimulation>(mechanism);
  const auto simulation = shared->use();
  const AssemblyReport report = simulation->assemble();
  if (report.report.accepted()) return shared;
  const std::string joint = report.open.empty() ? "" : report.open.front().owner;
  raise("AssemblyError", explain(report, *simulation), {{"joint", py::str(joint)}});
}

// Its events: kind, time, name, speeds before and after, impulse, energy.
py::list accepted(const StepResult& result, const Simulation& simulation) {
  if (!result.report.accepted())
    raise("StepError", explain(result.report, simulation), {{"t", py::float_(simulation.state().t)}});
  py::list events;
  for (const Event& event : result.events)
    events.append(py::make_tuple(results::to_string(event.kind), event.t, event.name, event.before,
                                 event.after, event.impulse, event.energy));
  return events;
}

// One call that moves the simulation, without Python's lock.
template <StepResult (Simulation::*Move)(double)>
py::list moved(SharedSimulation& shared, double argument) {
  const auto simulation = shared.use();
  StepResult result;
  {
    const py::gil_scoped_release released;
    result = ((*simulation).*Move)(argument);
  }
  return accepted(result, *simulation);
}

py::dict pose(SharedSimulation& shared, const std::string& body) {
  const Pose pose = shared.use()->pose(body);
  py::dict out;
  out["position"] = array(pose.position);
  out["axes"] = array(pose.axes);
  out["velocity"] = array(pose.velocity);
  out["angular_velocity"] = array(pose.angular_velocity);
  out["angle"] = pose.angle;
  return out;
}

py::tuple point(SharedSimulation& shared, const std::string& name) {
  const PointMotion motion = shared.use()->point(name);
  return py::make_tuple(array(motion.position), array(motion.velocity));
}

py::dict reaction(SharedSimulation& shared, const std::string& name) {
  const JointReaction reaction = shared.use()->reaction(name);
  py::list loads;
  for (const JointReaction::Load& load : reaction.loads)
    loads.append(py::make_tuple(load.body, array(load.force), array(load.torque)));
  py::dict out;
  out["loads"] = loads;
  out["effort"] = reaction.effort;
  out["known"] = reaction.known;
  out["not_unique"] = reaction.not_unique;
  out["examined"] = reaction.examined;
  return out;
}

py::tuple energy(SharedSimulation& shared) {
  const Energy energy = shared.use()->energy();
  return py::make_tuple(energy.kinetic, energy.potential, energy.work);
}

py::tuple set_parameter(SharedSimulation& shared, const std::string& name, double value) {
  const TakeOver change = shared.use()->set_parameter(name, value);
  return py::make_tuple(change.assembly.largest_move, change.impulse, change.energy);
}

}  // namespace

void bind_simulation(py::module_& module) {
  py::class_<SharedSimulation, std::shared_ptr<SharedSimulation>>(module, "Simulation")
      .def(py::init(&assembled))
      .def_property_readonly("t", [](SharedSimulation& s) { return s.use()->state().t; })
      .def("duration", [](SharedSimulation& s) { return s.use()->plan().duration; })
      .def("advance_to", moved<&Simulation::advance_to>)
      .def("step", moved<&Simulation::step>)
      .def("value", [](SharedSimulation& s, const std::string& name) { return s.use()->value(name); })
      .def("inputs", [](SharedSimulation& s) { return s.use()->state().inputs; })
      .def("set_input", [](SharedSimulation& s, const std::string& name,
                           double value) { s.use()->set_input(name, value); })
      .def("parameters", [](SharedSimulation& s) { return s.use()->mechanism().parameters; })
      .def("set_parameter", set_parameter)
      .def("pose", pose)
      .def("point", point)
      .def("reaction", reaction)
      .def("energy", energy)
      .def("state", [](SharedSimulation& s) { return py::bytes(to_bytes(s.use()->state())); })
      .def("restore",
           [](SharedSimulation& s, const std::string& bytes) { s.use()->restore(state_from_bytes(bytes)); });
}

}  // namespace trammel::python
