// Models: read, told, checked.
#include "bindings.h"
#include "parts.h"
#include "told.h"
#include "trammel/model.h"

#include <pybind11/stl.h>

#include <filesystem>

#include "analysis/mobility_check.h"
#include "analysis/stability.h"
#include "results/report/assembly_report.h"
#include "results/report/mobility_report.h"
#include "results/report/reaction_report.h"
#include "results/report/stability_report.h"
#include "simulation/reaction_columns.h"
#include "words.h"

namespace trammel::python {
namespace {

py::list problems_of(const ModelInput& input) {
  py::list all;
  for (const InputError& error : input.errors)
    all.append(py::make_tuple(error.file, error.line, error.column, in_python(error.message),
                              in_python(error.remedy)));
  return all;
}

template <class Parts>
std::vector<std::string> names(const Parts& parts) {
  std::vector<std::string> all;
  for (const auto& part : parts) all.push_back(part.name);
  return all;
}

py::dict inputs(const Mechanism& mechanism) {
  py::dict all;
  for (const auto& input : mechanism.inputs) all[py::str(input.name)] = input.value;
  return all;
}

// As 'trammel check' tells it: text and JSON.
py::tuple check(SharedSimulation& shared) {
  const auto simulation = shared.use();
  const py::gil_scoped_release released;
  const analysis::MobilityCheck mobility = analysis::check_mobility(*simulation);
  const simulation::ReactionCheck reactions = simulation::check_reactions(*simulation);
  const AssemblyReport assembly = Simulation(simulation->mechanism(), simulation->plan()).assemble();
  nlohmann::ordered_json json = results::mobility_json(mobility, reactions);
  json["reactions_without"] = results::not_in_reactions(simulation->mechanism());
  json["assembly"] = results::assembly_json(assembly);
  const std::string text =
      in_python(results::mobility_text(simulation->mechanism(), mobility, reactions, assembly));
  const std::string figures = json.dump();
  const py::gil_scoped_acquire held;
  return py::make_tuple(text, figures);
}

py::tuple stability(const Mechanism& mechanism) {
  std::vector<analysis::Stability> found;
  std::optional<Simulation> simulation;
  {
    const py::gil_scoped_release released;
    simulation.emplace(mechanism, mechanism.plan);
    found.push_back(analysis::stability(mechanism, mechanism.plan));
  }
  if (const Report& report = found.front().report; !report.accepted())
    raise(report.outcome == Outcome::refused ? "ModelError" : "StepError",
          in_python(results::stability_failure(found.front())));
  return py::make_tuple(results::stability_text(simulation->resolved(), found),
                        results::stability_json(simulation->resolved(), found).dump());
}

}  // namespace

py::tuple told_model(const ModelInput& input, const std::string& file) {
  if (!input) return py::make_tuple(py::none(), problems_of(input));
  Mechanism mechanism = input.mechanism;
  if (mechanism.name.empty()) mechanism.name = std::filesystem::path(file).stem().string();
  return py::make_tuple(std::move(mechanism), problems_of(input));
}

py::list notes_of(const ModelInput& input) {
  py::list all;
  for (const std::string& note : input.notes) all.append(in_python(note));
  return all;
}

void bind_mechanism(py::module_& module) {
  py::class_<Mechanism>(module, "Mechanism")
      .def_readonly("name", &Mechanism::name)
      .def_readonly("text", &Mechanism::text)
      .def_readonly("is_planar", &Mechanism::is_planar)
      .def_property_readonly("duration", [](const Mechanism& m) { return m.plan.duration; })
      .def_readonly("parameters", &Mechanism::parameters)
      .def_property_readonly("inputs", inputs)
      .def_property_readonly("bodies", [](const Mechanism& m) { return names(m.bodies); })
      .def_property_readonly("points", [](const Mechanism& m) { return names(m.points); })
      .def_property_readonly("joints", [](const Mechanism& m) { return names(m.joints); })
      .def_property_readonly("drivers", [](const Mechanism& m) { return names(m.drivers); })
      .def_property_readonly("forces", [](const Mechanism& m) { return names(m.forces); })
      .def_property_readonly("states", [](const Mechanism& m) { return names(m.states); });
  module.def("read_file",
             [](const std::string& path, const std::vector<std::string>& settings, bool any_option) {
               const ModelInput input =
                   read_model(path, settings, any_option ? UnreadOptions::allowed : UnreadOptions::refused);
               return py::make_tuple(told_model(input, path), notes_of(input));
             });
  // `named`: the file that a model without a name is called after.
  module.def("read_text",
             [](const std::string& text, const std::string& file, const std::string& named,
                const std::vector<std::string>& settings, bool any_option, const std::vector<Part>& parts) {
               const UnreadOptions unread = any_option ? UnreadOptions::allowed : UnreadOptions::refused;
               return told_model(read_model_text(text, file, settings, unread, own_parts(parts)), named);
             });
  module.def("check", check);
  module.def("stability", stability);
}

}  // namespace trammel::python
