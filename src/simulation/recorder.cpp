#include "simulation/recorder.h"

#include <cmath>
#include <limits>
#include <set>

#include "math/spans.h"

namespace trammel::simulation {
namespace {

// Multipliers that have not grown so much since the last row do not come from a singular position.
constexpr double kGrown = 3;

std::string prefixed(const std::string& object, const std::string& quantity) {
  return object.empty() ? quantity : object + "." + quantity;
}

}  // namespace

Recorder::Recorder(const Mechanism& mechanism, ReactionAxes axes, StateReader& reader, const State& start)
    : poses_(mechanism),
      reactions_(mechanism.is_planar, axes, reader.system(), start, reader.scratch()),
      ever_moved_(reactions_.columns().size(), false) {
  channels_.push_back({"", "time", "", "s", "t", false});
  channels_.insert(channels_.end(), poses_.channels().begin(), poses_.channels().end());
  of_poses_ = part_since(1);
  describe_joints(reader, start);
  describe_marks(reader, start);
  for (const char* kind : {"kinetic", "potential", "work"})
    add_channels(channels_, "energy", kind, std::string("energy.") + kind, "J");
  for (const char* level : {"position", "velocity", "acceleration"})
    add_channels(channels_, "violation", level, std::string("violation.") + level, "");
  add_channels(channels_, "solver", "iterations", "iterations", "");
  add_channels(channels_, "solver", "marked", "marked", "");
  matters_.assign(channels_.size(), true);
}

void Recorder::compute_for(const ResultSink& sink) {
  std::size_t first = 1;
  for (Part* part : {&of_poses_, &of_readings_, &of_forces_, &of_reactions_, &of_marks_}) {
    part->computed = false;
    for (const std::size_t end = first + part->columns; first < end; ++first) {
      matters_[first] = sink.reads(channels_[first]);
      part->computed = part->computed || matters_[first];
    }
  }
  examined_ = examined_ && of_marks_.computed;
}

void Recorder::describe_joints(StateReader& reader, const State& start) {
  std::size_t first = channels_.size();
  for (const system::Reading& r : reader.readings(start)) {
    const std::string group = r.object.empty() ? "columns" : "joints/" + r.object;
    // A person's own formula may have no value somewhere.
    add_channels(channels_, group, r.quantity, prefixed(r.object, r.quantity), r.unit, "", r.object.empty());
  }
  of_readings_ = part_since(first);
  first = channels_.size();
  describe_forces(reader.system());
  of_forces_ = part_since(first);
  first = channels_.size();
  for (const auto& column : reactions_.columns()) channels_.push_back(column.channel);
  of_reactions_ = part_since(first);
}

void Recorder::describe_forces(const system::Readable& system) {
  for (const system::ForceColumn& c : system.force_columns())
    channels_.push_back({"forces/" + c.force, c.quantity, c.component, c.unit, system::full_name(c), true});
  forces_.resize(system.force_columns().size());
}

// One mark for the whole row; one per component of the joints that need them at the start.
void Recorder::describe_marks(StateReader& reader, const State& start) {
  if (reactions_.columns().empty()) return;
  const std::size_t first = channels_.size();
  add_channels(channels_, "reactions", "unique", "reactions.unique", "", "", true);
  const std::vector<bool> unique = reactions_.unique(reader.freedom(start));
  std::set<std::string> owners;
  for (std::size_t c = 0; c < unique.size(); ++c)
    if (!unique[c]) owners.insert(reactions_.columns()[c].owner);
  for (std::size_t c = 0; c < unique.size(); ++c) {
    const auto& [owner, channel] = reactions_.columns()[c];
    if (!owners.contains(owner)) continue;
    marked_.push_back(c);
    channels_.push_back(
        {channel.group, channel.dataset + ".unique", channel.component, "", channel.name + ".unique", true});
  }
  of_marks_ = part_since(first);
}

template <class Add>
void Recorder::add_part(const Part& part, const Add& add) {
  if (part.computed)
    add();
  else
    row_.insert(row_.end(), part.columns, std::numeric_limits<double>::quiet_NaN());
}

std::span<const double> Recorder::row(StateReader& reader, const State& state, const StepResult& last) {
  row_.clear();
  row_.push_back(state.t);
  add_part(of_poses_, [&] { poses_.append(reader.system(), state, row_); });
  // Multipliers and reactions that belong to the state, not the iteration's.
  Report solved;
  const State exact = reader.with_reactions(state, solved);
  add_part(of_readings_, [&] {
    for (const system::Reading& r : reader.readings(exact, solved.accepted()))
      row_.push_back(std::isfinite(r.value) ? r.value : std::numeric_limits<double>::quiet_NaN());
  });
  add_part(of_forces_, [&] { add_forces(reader, exact); });
  why_unknown_ = solved.accepted() ? "" : solved.message;
  judge_reactions(reader, exact, solved.accepted());
  add_part(of_reactions_, [&] { add_reactions(reader, exact, solved.accepted()); });
  add_part(of_marks_, [&] { add_marks(reader, state); });
  energy_ = reader.energy(state);
  row_.insert(row_.end(), {energy_.kinetic, energy_.potential, energy_.work});
  row_.insert(row_.end(), {last.violation.position, last.violation.velocity, last.violation.acceleration});
  row_.push_back(last.iterations);
  row_.push_back(last.report.outcome == Outcome::marked || rounding_ ? 1 : 0);
  return row_;
}

void Recorder::add_forces(StateReader& reader, const State& state) {
  reader.system().forces(state, reader.scratch(), forces_);
  for (const double force : forces_)
    row_.push_back(std::isfinite(force) ? force : std::numeric_limits<double>::quiet_NaN());
}

void Recorder::judge_reactions(StateReader& reader, const State& exact, bool known) {
  // What keeps a free body rigid is nobody's reaction.
  double size = 0;
  const auto& rows = reader.system().rows();
  for (std::size_t r = 0; r < exact.lambda.size(); ++r)
    if (rows[r].kind != system::RowOwner::Kind::body || !rows[r].joints.empty())
      size = std::max(size, std::abs(exact.lambda[r]));
  rounding_ = known && size > kGrown * multipliers_before_ && !reader.reactions_hold(exact);
  if (!rounding_) multipliers_before_ = size;
}

void Recorder::add_reactions(StateReader& reader, const State& exact, bool known) {
  const std::vector<system::Wrench> wrenches = reader.system().reactions(exact, reader.scratch());
  reactions_.append(wrenches, reader.system().efforts(exact, reader.scratch()), known, row_);
  peak_ = {0, "", exact.t};
  for (const system::Wrench& w : wrenches)
    if (known && w.torque.allFinite() && w.force.norm() >= peak_.force) {
      peak_.force = w.force.norm();
      peak_.joint = w.joint;
    }
}

void Recorder::add_marks(StateReader& reader, const State& state) {
  if (reactions_.columns().empty()) return;
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<bool> unique = reactions_.unique(reader.freedom(state));
  examined_ = examined_ && !unique.empty();
  bool all = true;
  for (std::size_t c = 0; c < unique.size(); ++c) {
    all = all && unique[c];
    ever_moved_[c] = ever_moved_[c] || !unique[c];
  }
  row_.push_back(unique.empty() ? kMissing : all ? 1 : 0);
  for (const std::size_t c : marked_) row_.push_back(unique[c] ? 1 : 0);
}

ReactionSummary Recorder::reactions() const {
  ReactionSummary summary{examined_, {}};
  for (std::size_t c = 0; c < ever_moved_.size(); ++c)
    if (ever_moved_[c]) summary.not_unique.push_back(reactions_.columns()[c].channel.name);
  return summary;
}

Recorder recorder_of(const Simulation& simulation) {
  const State& start = simulation.state();
  return {simulation.mechanism(), simulation.plan().reaction_axes, simulation.reader(start), start};
}

}  // namespace trammel::simulation

namespace trammel {

std::vector<Channel> channels_of(const Simulation& simulation) {
  return simulation::recorder_of(simulation).channels();
}

}  // namespace trammel
