#include "trammel/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "results/files/model_text.h"
#include "simulation/output_times.h"
#include "simulation/resolve.h"
#include "sweep/chunk_file.h"
#include "sweep/parts.h"
#include "trammel/version.h"

namespace trammel {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
// Chunks are so many that threads have even work, and so large that writing one costs little beside it.
constexpr std::uint64_t kWantedChunks = 64, kLargestChunk = 256;
// Runs that are tried for a start that can be assembled, to learn the names of columns.
constexpr std::uint64_t kTriedRuns = 100;

// Keeps the columns that observations read.
class ObservedSink final : public ResultSink {
 public:
  explicit ObservedSink(std::vector<std::size_t> from) : from_(std::move(from)) {
    rows.width = from_.size() + 1;
  }
  void write(std::span<const double> row) override {
    rows.values.push_back(row[0]);
    for (const std::size_t column : from_) rows.values.push_back(row[column]);
  }
  sweep::ObservedRows rows;

 private:
  std::vector<std::size_t> from_;
};

std::vector<double> output_times(const Plan& plan) {
  const simulation::OutputTimes times(simulation::resolve(plan));
  std::vector<double> all;
  for (long n = 0; n <= times.rows; ++n) all.push_back(times.at(n));
  return all;
}

Json spec_json(const SweepSpec& spec) {
  return {{"vary", spec.vary},     {"table", spec.table}, {"sample", spec.sample},   {"runs", spec.runs},
          {"design", spec.design}, {"seed", spec.seed},   {"observe", spec.observe}, {"verify", spec.verify}};
}

Json columns_json(const std::vector<SweepColumn>& columns) {
  Json all = Json::array();
  for (const SweepColumn& one : columns) {
    Json column = {{"name", one.name}, {"text", one.text}, {"unit", one.unit}};
    if (!one.points.empty()) {
      column["points"] = one.points;
      column["point_unit"] = one.point_unit;
    }
    all.push_back(std::move(column));
  }
  return all;
}

// Whether a mechanism is what its source makes, but for the name that a file without one gets.
bool is_as_read(const Mechanism& mechanism) {
  if (mechanism.source == nullptr) return false;
  Mechanism read = mechanism.source->with(mechanism.changed_parameters);
  read.name = mechanism.name;
  return read == mechanism;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// Why a run failed, or what is doubtful about it.
std::string message_of(const RunSummary& summary) {
  std::string text = summary.message;
  for (const std::string& warning : summary.warnings) text += (text.empty() ? "" : "; ") + warning;
  return text;
}

}  // namespace

Sweep::Parts::Parts(const Mechanism& given, SweepSpec wanted, std::string table_text)
    : spec(std::move(wanted)),
      table(std::move(table_text)),
      model_text(is_as_read(given) ? given.text : results::model_text(given)),
      mechanism(sweep::with_path_parameters(given, sweep::varied_names(spec, table), paths, errors)) {
  std::vector<std::string> names;
  for (const auto& [name, value] : mechanism.parameters) names.push_back(name);
  sweep::ParameterUnits units = sweep::parameter_units(mechanism);
  for (const auto& [path, name] : paths) {
    names.push_back(path);
    if (units.contains(name)) units[path] = units[name];
  }
  if (errors.empty()) plan.emplace(spec, table, names, units, errors);
  if (!errors.empty()) return;
  for (const std::string& name : plan->names()) ids.push_back(paths.contains(name) ? paths.at(name) : name);
  known = plan->names();
  for (const auto& [name, value] : mechanism.parameters)
    if (std::ranges::count(known, name) == 0) known.push_back(name);
  as_read = is_as_read(mechanism);
  mechanism.plan.verify = spec.verify;
  chunk_size = std::clamp<std::uint64_t>(plan->runs() / kWantedChunks, 1, kLargestChunk);
  find_columns();
  if (errors.empty()) describe();
}

// Columns are those of the model as it stands, or of the first run that can be assembled.
void Sweep::Parts::find_columns() {
  std::string why;
  const auto try_model = [&](const Mechanism& model) {
    Simulation simulation(model, model.plan);
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) {
      if (why.empty()) why = explain(assembly, simulation);
      return false;
    }
    observations.emplace(spec.observe, channels_of(simulation), known, output_times(model.plan), errors);
    return true;
  };
  const std::uint64_t tried = std::min(kTriedRuns, plan->runs());
  for (std::uint64_t k = 0; k <= tried; ++k) {
    try {
      if (try_model(k == 0 ? mechanism : model(k - 1))) return;
    } catch (const std::exception& error) {
      if (why.empty()) why = error.what();
    }
  }
  errors.push_back(
      fmt::format("neither the model nor any of the first {} runs can be assembled: {}", tried, why));
}

void Sweep::Parts::describe() {
  Json told = {{"format", kFormat},           {"trammel_version", TRAMMEL_VERSION},
               {"name", mechanism.name},      {"spec", spec_json(spec)},
               {"runs", plan->runs()},        {"chunk_size", chunk_size},
               {"parameters", plan->names()}, {"observations", columns_json(observations->columns())},
               {"model", model_text}};
  if (!spec.table.empty()) told["table_hash"] = sweep::fingerprint(table);
  description = told.dump(1) + "\n";
}

std::vector<double> Sweep::Parts::known_values(const Mechanism& model,
                                               const std::vector<double>& values) const {
  std::vector<double> all = values;
  for (std::size_t k = values.size(); k < known.size(); ++k) {
    const auto at = model.parameters.find(known[k]);
    all.push_back(at == model.parameters.end() ? std::numeric_limits<double>::quiet_NaN() : at->second);
  }
  return all;
}

Mechanism Sweep::Parts::model(std::uint64_t run) const {
  const std::vector<double> values = plan->values(run);
  std::map<std::string, double> by_name;
  for (std::size_t k = 0; k < ids.size(); ++k) by_name[ids[k]] = values[k];
  if (!as_read) {
    Mechanism changed = mechanism;
    changed.set_parameters(by_name);
    return changed;
  }
  // Built once; set_parameters() would build the old one too, to see what a person has changed.
  std::map<std::string, double> all = mechanism.changed_parameters;
  for (const auto& [name, value] : by_name) all[name] = value;
  Mechanism changed = mechanism.source->with(all);
  changed.name = mechanism.name;
  changed.plan.verify = spec.verify;
  return changed;
}

SweepRow Sweep::Parts::compute(std::uint64_t run, const Progress& progress) const {
  SweepRow row;
  row.values.assign(observations->size(), std::numeric_limits<double>::quiet_NaN());
  const auto fail = [&](const std::string& why) {
    row.status = RunStatus::failed;
    row.message = why;
    return row;
  };
  try {
    const Mechanism changed = model(run);
    Simulation simulation(changed, changed.plan);
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) return fail(explain(assembly, simulation));
    const std::vector<Channel> channels = channels_of(simulation);
    std::vector<std::size_t> from;
    for (const std::string& name : observations->needed()) {
      const auto at = std::ranges::find(channels, name, &Channel::name);
      if (at == channels.end())
        return fail(fmt::format("with these values the model has no column {}", name));
      from.push_back(static_cast<std::size_t>(at - channels.begin()));
    }
    ObservedSink sink(std::move(from));
    const RunSummary summary = trammel::run(simulation, sink, progress);
    row.status = summary.status;
    row.message = message_of(summary);
    row.time = summary.time;
    if (summary.status == RunStatus::failed || summary.status == RunStatus::stopped) return row;
    observations->evaluate(sink.rows, known_values(changed, plan->values(run)), row.values);
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  return row;
}

Sweep::Sweep(const Mechanism& mechanism, const SweepSpec& spec)
    : parts_(std::make_unique<Parts>(mechanism, spec,
                                     spec.table.empty() ? "" : sweep::read_text_file(spec.table))) {
  if (!parts_->errors.empty()) throw std::invalid_argument(joined(parts_->errors));
}

Sweep::Sweep(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {
  if (!parts_->errors.empty()) throw std::invalid_argument(joined(parts_->errors));
}

Sweep::~Sweep() = default;
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;

const Mechanism& Sweep::mechanism() const { return parts_->mechanism; }
const SweepSpec& Sweep::spec() const { return parts_->spec; }
std::uint64_t Sweep::runs() const { return parts_->plan->runs(); }
std::uint64_t Sweep::chunk_size() const { return parts_->chunk_size; }
std::uint64_t Sweep::chunks() const { return (runs() + chunk_size() - 1) / chunk_size(); }
const std::vector<std::string>& Sweep::parameters() const { return parts_->plan->names(); }
const std::vector<SweepColumn>& Sweep::observations() const { return parts_->observations->columns(); }
std::vector<double> Sweep::values(std::uint64_t run) const { return parts_->plan->values(run); }
Mechanism Sweep::model(std::uint64_t run) const { return parts_->model(run); }
SweepRow Sweep::compute(std::uint64_t run, const Progress& progress) const {
  return parts_->compute(run, progress);
}
std::string Sweep::description() const { return parts_->description; }

std::string sweep::differences(const std::string& there, const std::string& here) {
  const Json a = Json::parse(there, nullptr, false), b = Json::parse(here, nullptr, false);
  if (!a.is_object() || !b.is_object()) return "its sweep.json cannot be read";
  std::vector<std::string> told;
  const auto compare = [&](const Json& x, const Json& y, const std::string& key) {
    if (x.value(key, Json()) == y.value(key, Json())) return;
    told.push_back(
        fmt::format("{} was {} and is {}", key, x.value(key, Json()).dump(), y.value(key, Json()).dump()));
  };
  const Json empty = Json::object();
  const Json spec_a = a.value("spec", empty), spec_b = b.value("spec", empty);
  for (const char* key : {"vary", "table", "sample", "runs", "design", "seed", "observe", "verify"})
    compare(spec_a, spec_b, key);
  compare(a, b, "trammel_version");
  if (a.value("table_hash", Json()) != b.value("table_hash", Json()))
    told.emplace_back("the table of runs was changed");
  if (a.value("model", "") != b.value("model", "")) told.emplace_back("the model, or its plan, was changed");
  if (told.empty() && there != here) told.emplace_back("it was made by another build of the program");
  return fmt::format("{}", fmt::join(told, "; "));
}

Sweep open_sweep(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "sweep.json";
  if (!std::filesystem::exists(path))
    throw std::runtime_error(fmt::format(
        "there is no sweep.json in '{}'; name the folder that a sweep has written to", folder.string()));
  const std::string text = sweep::read_text_file(path);
  const Json told = Json::parse(text, nullptr, false);
  if (!told.is_object() || !told.contains("spec") || !told.contains("model"))
    throw std::runtime_error(
        fmt::format("'{}' is damaged; start the sweep again in another folder", path.string()));
  if (told["model"].get<std::string>().empty())
    throw std::runtime_error(fmt::format(
        "'{}' holds no model: its mechanism has parts that no file can describe; go on in the program that "
        "began it",
        path.string()));
  const Json& own = told["spec"];
  SweepSpec spec{own["vary"],   own["table"], own["sample"],  own["runs"],
                 own["design"], own["seed"],  own["observe"], own["verify"]};
  ModelInput input = read_model_text(told["model"], path.string(), {}, UnreadOptions::allowed);
  if (input.mechanism.name.empty()) input.mechanism.name = told.value("name", "");
  const std::string table = spec.table.empty() ? "" : sweep::read_text_file(folder / "runs.csv");
  Sweep sweep(std::make_unique<const Sweep::Parts>(std::move(input).value(), std::move(spec), table));
  if (sweep.description() != text)
    throw std::runtime_error(
        fmt::format("cannot go on with the sweep in '{}': {}; use the same program, or start "
                    "again in another folder",
                    folder.string(), sweep::differences(text, sweep.description())));
  return sweep;
}

}  // namespace trammel
