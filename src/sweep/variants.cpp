#include "sweep/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/parameter_units.h"
#include "results/files/model_text.h"
#include "simulation/output_times.h"
#include "simulation/resolve.h"

namespace trammel::sweep {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// Keeps the columns that observations read.
class ObservedSink final : public ResultSink {
 public:
  // `names` of the columns, and where they stand in a row.
  ObservedSink(const std::vector<std::string>& names, std::vector<std::size_t> from)
      : names_(names), from_(std::move(from)) {
    rows.width = from_.size() + 1;
  }
  bool reads(const Channel& channel) const override { return std::ranges::count(names_, channel.name) > 0; }
  void write(std::span<const double> row) override {
    rows.values.push_back(row[0]);
    for (const std::size_t column : from_) rows.values.push_back(row[column]);
  }
  ObservedRows rows;

 private:
  const std::vector<std::string>& names_;
  std::vector<std::size_t> from_;
};

std::vector<double> output_times(const Plan& plan) {
  const simulation::OutputTimes times(simulation::resolve(plan));
  std::vector<double> all;
  for (long n = 0; n <= times.rows; ++n) all.push_back(times.at(n));
  return all;
}

// Whether a mechanism is what its source makes, but for the name that a file without one gets.
bool is_as_read(const Mechanism& mechanism) {
  if (mechanism.source == nullptr) return false;
  Mechanism read = mechanism.source->with(mechanism.changed_parameters);
  read.name = mechanism.name;
  return read == mechanism;
}

// Why a run failed, or what is doubtful about it.
std::string message_of(const RunSummary& summary) {
  std::string text = summary.message;
  for (const std::string& warning : summary.warnings) text += (text.empty() ? "" : "; ") + warning;
  return text;
}

}  // namespace

Variants::Variants(const Mechanism& given, std::vector<std::string> names, bool verify,
                   std::vector<std::string>& errors)
    : names_(std::move(names)),
      text_(is_as_read(given) ? given.text : results::model_text(given)),
      mechanism_(with_path_parameters(given, names_, paths_, errors)),
      verify_(verify),
      as_read_(is_as_read(mechanism_)) {
  mechanism_.plan.verify = verify_;
  for (const std::string& name : names_) ids_.push_back(paths_.contains(name) ? paths_.at(name) : name);
  known_ = names_;
  for (const auto& [name, value] : mechanism_.parameters)
    if (std::ranges::count(known_, name) == 0) known_.push_back(name);
}

std::vector<std::string> Variants::known_names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : mechanism_.parameters) all.push_back(name);
  for (const auto& [path, name] : paths_) all.push_back(path);
  return all;
}

ParameterUnits Variants::units() const {
  ParameterUnits all = model::parameter_units(mechanism_);
  for (const auto& [path, name] : paths_)
    if (all.contains(name)) all[path] = all[name];
  return all;
}

void Variants::observe(const std::vector<std::string>& texts, std::uint64_t tried,
                       const std::function<std::vector<double>(std::uint64_t)>& values,
                       const std::vector<double>& times, std::vector<std::string>& errors) {
  std::string why;
  const auto try_model = [&](const Mechanism& model) {
    Simulation simulation(model, model.plan);
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) {
      if (why.empty()) why = explain(assembly, simulation);
      return false;
    }
    observations_.emplace(texts, channels_of(simulation), known_,
                          times.empty() ? output_times(model.plan) : times, errors);
    return true;
  };
  for (std::uint64_t k = 0; k <= tried; ++k) {
    try {
      if (try_model(k == 0 ? mechanism_ : model(values(k - 1)))) return;
    } catch (const std::exception& error) {
      if (why.empty()) why = error.what();
    }
  }
  errors.push_back(
      fmt::format("neither the model nor any of the first {} runs can be assembled: {}", tried, why));
}

std::vector<double> Variants::observed_values(const Mechanism& model,
                                              const std::vector<double>& values) const {
  std::vector<double> all = values;
  for (std::size_t k = values.size(); k < known_.size(); ++k) {
    const auto at = model.parameters.find(known_[k]);
    all.push_back(at == model.parameters.end() ? kNoValue : at->second);
  }
  return all;
}

Mechanism Variants::model(const std::vector<double>& values) const {
  std::map<std::string, double> by_name;
  for (std::size_t k = 0; k < ids_.size(); ++k) by_name[ids_[k]] = values[k];
  if (!as_read_) {
    Mechanism changed = mechanism_;
    changed.set_parameters(by_name);
    return changed;
  }
  // Built once; set_parameters() would build the old one too, to see what a person has changed.
  std::map<std::string, double> all = mechanism_.changed_parameters;
  for (const auto& [name, value] : by_name) all[name] = value;
  Mechanism changed = mechanism_.source->with(all);
  changed.name = mechanism_.name;
  changed.plan.verify = verify_;
  return changed;
}

SweepRow Variants::compute(const std::vector<double>& values, const Progress& progress) const {
  SweepRow row;
  row.values.assign(observations_->size(), kNoValue);
  const auto fail = [&](const std::string& why) {
    row.status = RunStatus::failed;
    row.message = why;
    return row;
  };
  try {
    const Mechanism changed = model(values);
    Simulation simulation(changed, changed.plan);
    const AssemblyReport assembly = simulation.assemble();
    if (!assembly.report.accepted()) return fail(explain(assembly, simulation));
    const std::vector<Channel> channels = channels_of(simulation);
    std::vector<std::size_t> from;
    for (const std::string& name : observations_->needed()) {
      const auto at = std::ranges::find(channels, name, &Channel::name);
      if (at == channels.end())
        return fail(fmt::format("with these values the model has no column {}", name));
      from.push_back(static_cast<std::size_t>(at - channels.begin()));
    }
    ObservedSink sink(observations_->needed(), std::move(from));
    const RunSummary summary = trammel::run(simulation, sink, progress);
    row.status = summary.status;
    row.message = message_of(summary);
    row.time = summary.time;
    if (summary.status == RunStatus::failed || summary.status == RunStatus::stopped) return row;
    observations_->evaluate(sink.rows, observed_values(changed, values), row.values);
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  return row;
}

}  // namespace trammel::sweep
