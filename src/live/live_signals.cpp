#include "live/live_signals.h"

#include <cmath>
#include <limits>

namespace trammel::live {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::string dotted(const system::Reading& r) {
  return r.object.empty() ? r.quantity : r.object + "." + r.quantity;
}

}  // namespace

void LiveSignals::add(std::string name, std::string unit, bool unique) {
  index_.emplace(name, static_cast<int>(names_.size()));
  names_.push_back({std::move(name), std::move(unit), unique});
}

LiveSignals::LiveSignals(const Simulation& simulation)
    : LiveSignals(simulation, simulation.reader(simulation.state())) {}

LiveSignals::LiveSignals(const Simulation& simulation, simulation::StateReader& reader)
    : reactions_(simulation.mechanism().is_planar, simulation.plan().reaction_axes, reader.system(),
                 simulation.state(), reader.scratch()) {
  const Mechanism& m = simulation.mechanism();
  const std::string axes = m.is_planar ? "xy" : "xyz";
  begin(kBodies);
  for (const Body& body : m.bodies) {
    for (const char c : axes) add(body.name + "." + c, "m");
    for (const char c : axes) add(body.name + ".v" + c, "m/s");
    if (m.is_planar) {
      add(body.name + ".angle", "rad");
      add(body.name + ".omega", "rad/s");
    } else {
      for (const char c : axes) add(body.name + ".omega." + c, "rad/s");
    }
  }
  begin(kReadings);
  for (const system::Reading& r : reader.readings(simulation.state())) add(dotted(r), r.unit);
  for (const system::ForceColumn& c : reader.system().force_columns()) add(system::full_name(c), c.unit);
  begin(kReactions);
  const std::vector<bool> unique = reactions_.unique(reader.freedom(simulation.state()));
  for (std::size_t k = 0; k < reactions_.columns().size(); ++k) {
    const Channel& channel = reactions_.columns()[k].channel;
    add(channel.name, channel.unit, unique.empty() || unique[k]);
  }
  begin(kEnergy);
  for (const char* kind : {"kinetic", "potential", "work", "balance"})
    add(std::string("energy.") + kind, "J");
  begin(kSolver);
  for (const char* level : {"position", "velocity", "acceleration"})
    add(std::string("violation.") + level, "");
  add("iterations", "");
  add("realtime", "");
}

int LiveSignals::find(const std::string& name) const {
  const auto at = index_.find(name);
  return at == index_.end() ? -1 : at->second;
}

unsigned LiveSignals::group(std::size_t signal) const {
  unsigned group = 0;
  for (const auto& [start, kind] : starts_)
    if (signal >= start) group = kind;
  return group;
}

std::vector<double> LiveSignals::values(const Simulation& simulation, const std::vector<Pose>& poses,
                                        const StepResult& last, double realtime, unsigned groups) {
  const State& state = simulation.state();
  simulation::StateReader& reader = simulation.reader(state);
  const system::System& system = reader.system();
  const bool planar = simulation.mechanism().is_planar;
  const int dimensions = planar ? 2 : 3;
  system::Terms& scratch = reader.scratch();
  std::vector<double> row;
  row.reserve(names_.size());
  const auto push = [&](const Vec3& x) { row.insert(row.end(), x.data(), x.data() + dimensions); };
  for (const Pose& pose : poses) {
    push(pose.position);
    push(pose.velocity);
    if (planar)
      row.insert(row.end(), {pose.angle, pose.angular_velocity.z()});
    else
      push(pose.angular_velocity);
  }
  // Fills a group with values, or leaves it out.
  const auto group = [&](std::size_t k, const auto& fill) {
    if ((groups & starts_[k].second) != 0) fill();
    row.resize(k + 1 < starts_.size() ? starts_[k + 1].first : names_.size(), kMissing);
  };
  group(1, [&] {
    for (const system::Reading& r : reader.readings(state)) row.push_back(r.value);
    std::vector<double> forces(system.force_columns().size());
    system.forces(state, scratch, forces);
    row.insert(row.end(), forces.begin(), forces.end());
  });
  group(2, [&] {
    Report solved;
    const State exact = reader.with_reactions(state, solved);
    reactions_.append(system.reactions(exact, scratch), system.efforts(exact, scratch), solved.accepted(),
                      row);
  });
  group(3, [&] {
    const Energy e = reader.energy(state);
    row.insert(row.end(), {e.kinetic, e.potential, e.work, e.balance()});
  });
  group(4, [&] {
    const Violation& v = last.violation;
    row.insert(row.end(),
               {v.position, v.velocity, v.acceleration, static_cast<double>(last.iterations), realtime});
  });
  return row;
}

}  // namespace trammel::live
