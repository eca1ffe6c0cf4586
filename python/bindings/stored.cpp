// Runs in files: read again, gone on with, compared.
#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <stdexcept>
#include <variant>

#include "analysis/mobility.h"
#include "bindings.h"
#include "results/files/results_hdf5.h"
#include "results/report/page.h"
#include "results/report/report.h"
#include "results/report/summary.h"
#include "results/results_source.h"
#include "results/run_folder.h"
#include "told.h"
#include "trammel/model.h"
#include "trammel/results.h"
#include "trammel/run.h"
#include "trammel/thread_pool.h"
#include "words.h"

namespace trammel::python {
namespace {

namespace fs = std::filesystem;
using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;

// A run as its files have it.
struct StoredRun {
  results::LogContents contents;

  std::string report(std::size_t most_values) const {
    const py::gil_scoped_release released;
    const ModelInput model = read_model_text(contents.header.model, "", {}, UnreadOptions::allowed);
    if (!model || results::report_page().empty()) return {};
    return results::report_html(results::report_page(), model.mechanism, contents, most_values);
  }
};

// From results.h5, from the log of a run, or from the folder of either. The rows of a run that was killed are
// in its log alone.
StoredRun read_run(const std::string& given) {
  const py::gil_scoped_release released;
  StoredRun run{results::read_run(given)};
  results::say_killed(run.contents);
  return run;
}

py::array_t<double> rows_of(const py::object& run, const Trajectory& rows) {
  return read_only({static_cast<py::ssize_t>(rows.rows()), static_cast<py::ssize_t>(rows.channels.size())},
                   rows.values.data(), run);
}

// The mechanism that a log was made of.
Mechanism mechanism_in(const results::LogHeader& header, const fs::path& log) {
  if (header.model.empty())
    throw std::runtime_error(fmt::format(
        "'{}' holds no model: a program wrote it whose mechanism no model file can describe; run that "
        "program again",
        log.string()));
  ModelInput input = read_model_text(header.model, log.string(), {}, UnreadOptions::allowed);
  if (!input) throw std::invalid_argument(to_string(input.errors.front()));
  if (input.mechanism.name.empty())
    input.mechanism.name = fs::path(header.creation.value("model_file", log.string())).stem().string();
  return std::move(input.mechanism);
}

// Goes on with the run of a folder, and makes its files: the text of its summary, remarks, and whether it was
// stopped.
class ResumedRun {
 public:
  ResumedRun(const std::string& given, std::function<bool(double, double)> goes_on)
      : folder_(results::folder_of(given)), goes_on_(std::move(goes_on)) {}

  void run() {
    results::LogContents contents = results::read_log(folder_.log());
    const std::string shown = folder_.path.string();
    const std::string instead = fmt::format("tr.read_results('{}') reads the rows that are there", shown);
    if (const std::string reason = results::not_resumable(contents, instead); !reason.empty())
      throw std::runtime_error(fmt::format("cannot resume '{}': {}", shown, reason));
    const auto asked = [&](const char* flag) { return results::asked_for(flag, contents.header); };
    csv_ = asked("--csv"), report_ = !asked("--no-report"), log_ = !asked("--no-log");
    if (results::has_ended(folder_, contents)) {
      if (folder_.lacks_results(csv_)) results::write_files(folder_, contents, csv_);
    } else {
      go_on(std::move(contents));
    }
  }

  const std::string& text() const { return text_; }
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  void go_on(results::LogContents contents) {
    const nlohmann::json creation = contents.header.creation;
    const Mechanism mechanism = mechanism_in(contents.header, folder_.log());
    Simulation simulation(mechanism, mechanism.plan, make_executor(mechanism.plan));
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) throw std::runtime_error(explain(assembly, simulation));
    const analysis::Mobility mobility = analysis::mobility(simulation);

    bool stopped = false;
    const double duration = simulation.plan().duration;
    results::RunKeeper keeper(folder_, contents, [&] { return !stopped; });
    const results::RunRecords records =
        take_up(folder_, std::move(contents), simulation.plan().verify, keeper);
    keeper.keep_checkpoints(kCheckpoint);
    RunSummary summary = resume(simulation, keeper, records.first, records.second, [&](double t) {
      stopped = stopped || !goes_on_(t, duration);
      return !stopped;
    });
    summary.assembly = assembly;
    keeper.finish(results::summary_json(simulation, mobility, summary, creation));
    if (!stopped) fs::remove(folder_.second_log());
    keeper.write_files(report_ ? &simulation.mechanism() : nullptr, csv_, simulation.executor().get());
    text_ = results::summary_text(simulation, mobility, summary);
    remarks_ = trammel::remarks(simulation, summary);
    if (!stopped && !log_ && summary.status != RunStatus::failed) fs::remove(folder_.log());
  }

  static constexpr double kCheckpoint =
      1;  // s of wall time between two, at least, as 'trammel resume' has it
  results::RunFolder folder_;
  std::function<bool(double, double)> goes_on_;
  bool csv_ = false, report_ = true, log_ = true;
  std::string text_;
  std::vector<std::string> remarks_;
};

// progress is called now and then with the time and the end.
py::tuple resume_folder(const std::string& given, const std::optional<py::function>& progress) {
  Interruption interruption;
  ResumedRun resumed(given, [&](double t, double end) {
    const py::gil_scoped_acquire held;
    return interruption.goes_on([&] { return !progress || py::cast<bool>((*progress)(t, end)); });
  });
  {
    const py::gil_scoped_release released;
    resumed.run();
  }
  interruption.raise();
  return py::make_tuple(in_python(resumed.text()), resumed.remarks(), interruption.stopped());
}

// Names and units of columns, rows, errors; the last may have no rows.
using Table = std::tuple<std::string, std::vector<std::pair<std::string, std::string>>, Values, Values>;

Trajectory trajectory(const std::vector<std::pair<std::string, std::string>>& columns, const Values& values) {
  Trajectory rows;
  for (const auto& [name, unit] : columns) {
    Channel channel;
    channel.name = name;
    channel.unit = unit;
    rows.channels.push_back(std::move(channel));
  }
  rows.values.assign(values.data(), values.data() + values.size());
  return rows;
}

// Of results in memory, or in the file of that name.
results::ResultsTable table_of(const std::variant<std::string, Table>& given) {
  if (const auto* path = std::get_if<std::string>(&given)) {
    const py::gil_scoped_release released;
    return results::read_results(*path);
  }
  const auto& [name, columns, values, errors] = std::get<Table>(given);
  return {name, trajectory(columns, values), trajectory(columns, errors)};
}

// Text and figures, as 'trammel diff' tells them.
py::tuple difference(const std::variant<std::string, Table>& a, const std::variant<std::string, Table>& b,
                     double of_range, bool within_errors) {
  const results::ResultsTable first = table_of(a), second = table_of(b);
  const py::gil_scoped_release released;
  const results::ResultsDifference found =
      results::difference(first, second, {.of_range = of_range, .within_errors = within_errors});
  const std::string text = results::difference_text(found), json = results::difference_json(found).dump();
  const py::gil_scoped_acquire held;
  return py::make_tuple(text, json);
}

}  // namespace

void bind_stored(py::module_& module) {
  py::class_<StoredRun>(module, "StoredRun")
      .def_property_readonly(
          "channels", [](const StoredRun& run) { return channels_of(run.contents.trajectory.channels); })
      .def_property_readonly("values",
                             [](const py::object& self) {
                               return rows_of(self, self.cast<const StoredRun&>().contents.trajectory);
                             })
      .def_property_readonly(
          "errors",
          [](const py::object& self) { return rows_of(self, self.cast<const StoredRun&>().contents.errors); })
      .def("summary_json", [](const StoredRun& run) { return run.contents.summary->dump(); })
      .def("report", &StoredRun::report, py::arg("most_values") = kReportValues)
      .def("write_hdf5",
           [](const StoredRun& run, const std::string& path) {
             const py::gil_scoped_release released;
             results::write_hdf5(path, run.contents);
           })
      .def("write_csv", [](const StoredRun& run, const std::string& path, bool errors) {
        const py::gil_scoped_release released;
        write_csv(path, errors ? run.contents.errors : run.contents.trajectory);
      });
  module.def("read_run", read_run);
  module.def("resume", resume_folder);
  module.def("difference", difference);
}

}  // namespace trammel::python
