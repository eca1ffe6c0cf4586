#include "simulation/column_value.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "simulation/recorder.h"
#include "system/system.h"

namespace trammel::simulation {
namespace {

constexpr const char* kUnique = ".unique";

std::optional<double> reading(StateReader& reader, const State& state, const std::string& name) {
  for (const system::Reading& r : reader.readings(state))
    if ((r.object.empty() ? r.quantity : r.object + "." + r.quantity) == name) return r.value;
  return {};
}

// Of the channels, as a row has them.
std::optional<double> find(const std::vector<Channel>& channels, const std::string& name,
                           std::span<const double> row) {
  const auto at = std::ranges::find(channels, name, &Channel::name);
  if (at == channels.end()) return {};
  return row[static_cast<std::size_t>(at - channels.begin())];
}

// "O.force.x.unique". A run has such a column only of joints that are not unique where it starts.
std::optional<double> mark(const Simulation& simulation, StateReader& reader, const State& state,
                           const std::string& name) {
  if (!name.ends_with(kUnique)) return {};
  const ReactionColumns reactions(simulation.mechanism().is_planar, simulation.plan().reaction_axes,
                                  reader.system(), state, reader.scratch());
  const std::string of = name.substr(0, name.size() - std::string(kUnique).size());
  const auto& columns = reactions.columns();
  const auto at = std::ranges::find(columns, of, [](const auto& one) { return one.channel.name; });
  if (at == columns.end()) return {};
  const std::vector<bool> unique = reactions.unique(reader.freedom(state));
  if (unique.empty()) return std::numeric_limits<double>::quiet_NaN();
  return unique[static_cast<std::size_t>(at - columns.begin())] ? 1 : 0;
}

// Columns that tell of steps.
std::string of_a_step(const std::string& name) {
  if (name != "iterations" && name != "marked") return {};
  return "'" + name + "' tells of a step, and a state has none; look for it in the results of a run";
}

// What a row tells of the step before it, of the state alone.
StepResult as_of_a_step(StateReader& reader, const State& state) {
  StepResult step;
  step.violation = reader.projector().violation(state);
  return step;
}

}  // namespace

std::optional<double> column_value(const Simulation& simulation, const State& state, const std::string& name,
                                   std::vector<std::string>& known) {
  if (name == "t") return state.t;
  if (const std::string why = of_a_step(name); !why.empty()) throw std::invalid_argument(why);
  StateReader& reader = simulation.reader(state);
  if (const auto value = reading(reader, state, name)) return value;
  const PoseColumns poses(simulation.mechanism());
  if (std::ranges::count(poses.channels(), name, &Channel::name) > 0) {
    std::vector<double> row;
    poses.append(reader.system(), state, row);
    return find(poses.channels(), name, row);
  }
  if (const auto value = mark(simulation, reader, state, name)) return value;
  Recorder recorder(simulation.mechanism(), simulation.plan().reaction_axes, reader, state);
  if (std::ranges::count(recorder.channels(), name, &Channel::name) > 0)
    return find(recorder.channels(), name, recorder.row(reader, state, as_of_a_step(reader, state)));
  for (const Channel& channel : recorder.channels()) known.push_back(channel.name);
  return {};
}

std::vector<std::string> column_names(const Simulation& simulation, const State& state) {
  StateReader& reader = simulation.reader(state);
  const Recorder recorder(simulation.mechanism(), simulation.plan().reaction_axes, reader, state);
  std::vector<std::string> names;
  for (const Channel& channel : recorder.channels())
    if (of_a_step(channel.name).empty()) names.push_back(channel.name);
  return names;
}

}  // namespace trammel::simulation
