#include "motion.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "callback.h"
#include "simulation/stop_run.h"

namespace trammel::python {
namespace {

py::array_t<double> array(const Vec3& vector) { return py::array_t<double>(3, vector.data()); }

py::array_t<double> array(const Mat3& matrix) {
  py::array_t<double> out({3, 3});
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) out.mutable_at(r, c) = matrix(r, c);
  return out;
}

py::object asked(const Callback& function, bool has_memory, const std::shared_ptr<Moment>& moment) {
  struct End {
    Moment& moment;
    ~End() { moment.end(); }
  } end{*moment};
  return function(moment->state().t, has_memory, moment);
}

}  // namespace

const State& Moment::state() const {
  if (simulation_ == nullptr)
    throw std::logic_error("this moment has passed: read it within the function that it was given to");
  return *state_;
}

MotionReader Moment::reader() const {
  const State& now = state();
  return {*simulation_, now};
}

void Moment::set_input(const std::string& name, double value) const {
  if (acts_on_ == nullptr)
    throw std::logic_error("the function of an event cannot set an input; a controller can");
  static_cast<void>(state());
  acts_on_->set_input(name, value);
}

py::dict pose(const MotionReader& reader, const std::string& body) {
  const Pose pose = reader.pose(body);
  py::dict out;
  out["position"] = array(pose.position);
  out["axes"] = array(pose.axes);
  out["velocity"] = array(pose.velocity);
  out["angular_velocity"] = array(pose.angular_velocity);
  out["angle"] = pose.angle;
  return out;
}

py::tuple point(const MotionReader& reader, const std::string& name) {
  const PointMotion motion = reader.point(name);
  return py::make_tuple(array(motion.position), array(motion.velocity));
}

py::dict reaction(const MotionReader& reader, const std::string& name) {
  const JointReaction reaction = reader.reaction(name);
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

py::tuple energy(const MotionReader& reader) {
  const Energy energy = reader.energy();
  return py::make_tuple(energy.kinetic, energy.potential, energy.work);
}

std::vector<WatchedFunction> watched(const py::list& functions) {
  std::vector<WatchedFunction> all;
  for (const py::handle& one : functions) {
    const auto [name, function, ends] = one.cast<std::tuple<std::string, py::object, bool>>();
    const Callback callback(function, fmt::format("event '{}'", name));
    all.push_back({name,
                   [callback](const MotionReader& reader) {
                     const py::gil_scoped_acquire held;
                     const auto moment = std::make_shared<Moment>(reader.simulation(), reader.state());
                     return asked(callback, false, moment).cast<double>();
                   },
                   ends});
  }
  return all;
}

Sampling sampling(double every, const py::object& factory) {
  if (factory.is_none()) return {};
  const Callback make(factory, "the controller");
  return {every, [make] {
            const py::gil_scoped_acquire held;
            py::object made = make(0, true);
            if (!made) made = py::cpp_function([](const py::object&) {});  // the run stops before it begins
            const Callback controller(made, "the controller");
            return [controller, began = std::make_shared<bool>(false)](Simulation& simulation) {
              const py::gil_scoped_acquire lock;
              const std::vector<double> inputs = simulation.state().inputs;
              if (asked(controller, true, std::make_shared<Moment>(simulation))) {
                *began = true;
                return;
              }
              // Ctrl-C: the run ends here, with the inputs that led here. The first call is before the run,
              // which asks whether to go on before its first step.
              for (std::size_t k = 0; k < inputs.size(); ++k)
                simulation.set_input(simulation.mechanism().inputs[k].name, inputs[k]);
              if (*began) throw simulation::StopRun();
            };
          }};
}

void bind_motion(py::module_& module) {
  py::class_<Moment, std::shared_ptr<Moment>>(module, "Moment")
      .def_property_readonly("t", [](const Moment& m) { return m.state().t; })
      .def("value", [](const Moment& m, const std::string& name) { return m.reader().value(name); })
      .def("names", [](const Moment& m) { return m.reader().names(); })
      .def("inputs", [](const Moment& m) { return m.state().inputs; })
      .def("set_input", &Moment::set_input)
      .def("pose", [](const Moment& m, const std::string& body) { return pose(m.reader(), body); })
      .def("point", [](const Moment& m, const std::string& name) { return point(m.reader(), name); })
      .def("reaction", [](const Moment& m, const std::string& name) { return reaction(m.reader(), name); })
      .def("energy", [](const Moment& m) { return energy(m.reader()); });
}

}  // namespace trammel::python
