#include "simulation/recorder.h"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <set>

#include "math/spans.h"

namespace trammel::simulation {
namespace {

constexpr const char* kPlane = "xy";
constexpr const char* kSpace = "xyz";
// Multipliers that have not grown so much since the last row do not come from a singular position.
constexpr double kGrown = 3;

std::string prefixed(const std::string& object, const std::string& quantity) {
  return object.empty() ? quantity : object + "." + quantity;
}

}  // namespace

// One column per letter of `components`, named NAME.c, or NAME alone without components.
void Recorder::vector_channel(const std::string& group, const std::string& dataset, const std::string& name,
                              const std::string& unit, const std::string& components, bool may_be_missing) {
  if (components.empty()) channels_.push_back({group, dataset, "", unit, name, may_be_missing});
  for (char c : components)
    channels_.push_back({group, dataset, std::string(1, c), unit, name + "." + c, may_be_missing});
}

Recorder::Recorder(const Mechanism& mechanism, ReactionAxes axes, StateReader& reader, const State& start)
    : planar_(mechanism.is_planar),
      reactions_(planar_, axes, reader.system(), start, reader.scratch()),
      ever_moved_(reactions_.columns().size(), false) {
  channels_.push_back({"", "time", "", "s", "t", false});
  describe_bodies(mechanism);
  describe_joints(reader, start);
  describe_marks(reader, start);
  for (const char* kind : {"kinetic", "potential", "work"})
    vector_channel("energy", kind, std::string("energy.") + kind, "J", "");
  for (const char* level : {"position", "velocity", "acceleration"})
    vector_channel("violation", level, std::string("violation.") + level, "", "");
  vector_channel("solver", "iterations", "iterations", "", "");
  vector_channel("solver", "marked", "marked", "", "");
}

void Recorder::describe_bodies(const Mechanism& mechanism) {
  const std::string axes = planar_ ? kPlane : kSpace;
  for (const Body& body : mechanism.bodies) {
    const std::string group = "bodies/" + body.name;
    vector_channel(group, "position", body.name, "m", axes);
    if (planar_)
      vector_channel(group, "orientation", body.name + ".angle", "rad", "");
    else
      vector_channel(group, "orientation", body.name + ".q", "", "wxyz");
    vector_channel(group, "velocity", body.name + ".v", "m/s", axes);
    if (planar_)
      vector_channel(group, "angular_velocity", body.name + ".omega", "rad/s", "");
    else
      vector_channel(group, "angular_velocity", body.name + ".omega", "rad/s", kSpace);
  }
  for (const Point& point : mechanism.points) {
    bool moves = true;
    for (const Marker& m : point.on) moves = moves && m.body != kGround;
    moving_point_.push_back(moves);
    if (moves) vector_channel("points/" + point.name, "position", point.name, "m", axes);
  }
}

void Recorder::describe_joints(StateReader& reader, const State& start) {
  for (const system::Reading& r : reader.system().readings(start, reader.scratch())) {
    const std::string group = r.object.empty() ? "columns" : "joints/" + r.object;
    // A person's own formula may have no value somewhere.
    vector_channel(group, r.quantity, prefixed(r.object, r.quantity), r.unit, "", r.object.empty());
  }
  for (const auto& column : reactions_.columns()) channels_.push_back(column.channel);
}

// One mark for the whole row; one per component of the joints that need them at the start.
void Recorder::describe_marks(StateReader& reader, const State& start) {
  if (reactions_.columns().empty()) return;
  vector_channel("reactions", "unique", "reactions.unique", "", "", true);
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
}

std::span<const double> Recorder::row(StateReader& reader, const State& state, const StepResult& last) {
  row_.clear();
  row_.push_back(state.t);
  add_poses(reader.system(), state);
  // Multipliers and reactions that belong to the state, not the iteration's.
  Report solved;
  const State exact = reader.with_reactions(state, solved);
  for (const system::Reading& r : reader.system().readings(exact, reader.scratch()))
    row_.push_back(std::isfinite(r.value) ? r.value : std::numeric_limits<double>::quiet_NaN());
  why_unknown_ = solved.accepted() ? "" : solved.message;
  judge_reactions(reader, exact, solved.accepted());
  add_reactions(reader, exact, solved.accepted());
  add_marks(reader, state);
  energy_ = reader.energy(state);
  row_.insert(row_.end(), {energy_.kinetic, energy_.potential, energy_.work});
  row_.insert(row_.end(), {last.violation.position, last.violation.velocity, last.violation.acceleration});
  row_.push_back(last.iterations);
  row_.push_back(last.report.outcome == Outcome::marked || rounding_ ? 1 : 0);
  return row_;
}

void Recorder::add_poses(const system::Readable& system, const State& state) {
  const int dimensions = planar_ ? 2 : 3;
  const auto push = [&](const Vec3& x) { row_.insert(row_.end(), x.data(), x.data() + dimensions); };
  for (const Pose& pose : system.poses(state)) {
    push(pose.position);
    if (planar_) {
      row_.push_back(pose.angle);
    } else {
      const Eigen::Quaterniond q(pose.axes);
      row_.insert(row_.end(), {q.w(), q.x(), q.y(), q.z()});
    }
    push(pose.velocity);
    if (planar_)
      row_.push_back(pose.angular_velocity.z());
    else
      push(pose.angular_velocity);
  }
  const std::vector<Vec3> points = system.point_positions(state);
  for (std::size_t k = 0; k < points.size(); ++k)
    if (moving_point_[k]) push(points[k]);
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
