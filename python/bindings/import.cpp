// Robots and machines from URDF, MJCF and SDF files, and what became of each of their elements.
#include "trammel/import.h"

#include <pybind11/stl.h>

#include "bindings.h"
#include "told.h"
#include "trammel/run.h"
#include "words.h"

namespace trammel::python {
namespace {

py::list ledger_of(const Imported& imported) {
  py::list all;
  for (const LedgerEntry& entry : imported.ledger)
    all.append(py::make_tuple(entry.element, entry.file, entry.line, to_string(entry.outcome),
                              in_python(entry.reason), entry.matters));
  return all;
}

// How far assembly moves the start, and why it cannot close the joints.
py::tuple start_of(const Mechanism& mechanism) {
  AssemblyReport assembly;
  std::string failure;
  {
    const py::gil_scoped_release released;
    Simulation simulation(mechanism, mechanism.plan);
    assembly = simulation.assemble();
    if (!assembly.report.accepted()) failure = in_python(explain(assembly, simulation));
  }
  return py::make_tuple(assembly.largest_move, failure);
}

// The mechanism with what is wrong, the text of the model, the ledger, notes, and the start; none if the file
// is refused.
py::tuple imported_file(const std::string& path, const std::string& base, bool strict, bool accept_inertia,
                        const std::string& loops, const std::string& model_folder) {
  const Base stands = base == "fixed" ? Base::fixed : base == "free" ? Base::free : Base::as_in_file;
  Imported imported;
  ModelInput input;
  {
    const py::gil_scoped_release released;
    imported = import_model(path, {stands, strict, accept_inertia, loops, model_folder});
    input = read_imported(imported);
  }
  return py::make_tuple(told_model(input, path), imported.model, ledger_of(imported), notes_of(input),
                        input ? start_of(input.mechanism) : py::make_tuple(0.0, ""));
}

}  // namespace

void bind_import(py::module_& module) { module.def("import_model", imported_file); }

}  // namespace trammel::python
