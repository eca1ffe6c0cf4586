#include "simulation/recorder.h"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace trammel {
namespace {

constexpr const char* kPlane = "xy";
constexpr const char* kSpace = "xyz";

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

Recorder::Recorder(const Simulation& simulation) : terms_(simulation.system().make_terms()) {
  channels_.push_back({"", "time", "", "s", "t", false});
  describe_bodies(simulation.mechanism());
  describe_joints(simulation);
  for (const char* kind : {"kinetic", "potential", "work"})
    vector_channel("energy", kind, std::string("energy.") + kind, "J", "");
  for (const char* level : {"position", "velocity", "acceleration"})
    vector_channel("violation", level, std::string("violation.") + level, "", "");
  vector_channel("solver", "iterations", "iterations", "", "");
  vector_channel("solver", "marked", "marked", "", "");
}

void Recorder::describe_bodies(const Mechanism& mechanism) {
  const bool planar = mechanism.is_planar;
  const std::string axes = planar ? kPlane : kSpace;
  for (const Body& body : mechanism.bodies) {
    const std::string group = "bodies/" + body.name;
    vector_channel(group, "position", body.name, "m", axes);
    if (planar)
      vector_channel(group, "orientation", body.name + ".angle", "rad", "");
    else
      vector_channel(group, "orientation", body.name + ".q", "", "wxyz");
    vector_channel(group, "velocity", body.name + ".v", "m/s", axes);
    if (planar)
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

void Recorder::describe_joints(const Simulation& simulation) {
  const System& system = simulation.system();
  const bool planar = simulation.mechanism().is_planar;
  for (const Reading& r : system.readings(simulation.state(), terms_)) {
    const std::string group = r.object.empty() ? "columns" : "joints/" + r.object;
    vector_channel(group, r.quantity, prefixed(r.object, r.quantity), r.unit, "");
  }
  for (const Wrench& w : system.reactions(simulation.state(), terms_)) {
    const std::string name = w.alone ? w.joint : w.joint + "." + w.body;
    const std::string group = "joints/" + w.joint, prefix = w.alone ? "" : w.body + ".";
    vector_channel(group, prefix + "force", name + ".force", "N", planar ? kPlane : kSpace, true);
    vector_channel(group, prefix + "torque", name + ".torque", "N.m", planar ? "z" : kSpace, true);
  }
}

std::span<const double> Recorder::row(const Simulation& simulation, const StepResult& last) {
  const State& state = simulation.state();
  const System& system = simulation.system();
  const bool planar = simulation.mechanism().is_planar;
  const int dimensions = planar ? 2 : 3;
  row_.clear();
  const auto push = [&](const Vec3& x) { row_.insert(row_.end(), x.data(), x.data() + dimensions); };
  row_.push_back(state.t);
  for (const Pose& pose : system.poses(state)) {
    push(pose.position);
    if (planar) {
      row_.push_back(pose.angle);
    } else {
      const Eigen::Quaterniond q(pose.axes);
      row_.insert(row_.end(), {q.w(), q.x(), q.y(), q.z()});
    }
    push(pose.velocity);
    if (planar)
      row_.push_back(pose.angular_velocity.z());
    else
      push(pose.angular_velocity);
  }
  const std::vector<Vec3> points = system.point_positions(state);
  for (std::size_t k = 0; k < points.size(); ++k)
    if (moving_point_[k]) push(points[k]);

  // Multipliers and reactions that belong to the state, not the iteration's.
  Report solved;
  const State exact = simulation.with_reactions(solved);
  for (const Reading& r : system.readings(exact, terms_)) row_.push_back(r.value);
  peak_ = {0, "", state.t};
  for (const Wrench& w : system.reactions(exact, terms_)) {
    const bool known = solved.accepted() && w.force.allFinite() && w.torque.allFinite();
    const Vec3 none = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    push(known ? w.force : none);
    if (planar)
      row_.push_back(known ? w.torque.z() : none.z());
    else
      push(known ? w.torque : none);
    if (known && w.force.norm() >= peak_.force) {
      peak_.force = w.force.norm();
      peak_.joint = w.joint;
    }
  }
  const Energy energy = simulation.energy();
  row_.insert(row_.end(), {energy.kinetic, energy.potential, energy.work});
  row_.insert(row_.end(), {last.violation.position, last.violation.velocity, last.violation.acceleration});
  row_.push_back(last.iterations);
  row_.push_back(last.report.outcome == Outcome::marked ? 1 : 0);
  return row_;
}

std::vector<Channel> channels_of(const Simulation& simulation) { return Recorder(simulation).channels(); }

}  // namespace trammel
