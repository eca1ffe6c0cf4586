// How a motion goes on in another mechanism or in other coordinates: poses and twists of bodies, own
// coordinates, states, inputs, turns of angles, what rests on its stop, the work done, all by name.
#include <Eigen/Geometry>
#include <algorithm>

#include "formulations/projection/assembly.h"
#include "formulations/reactions/work.h"
#include "simulation/bring_together.h"
#include "simulation/events.h"
#include "simulation/frictions.h"
#include "simulation/take_over.h"
#include "trammel/run.h"

namespace trammel {
namespace {

template <class T>
std::size_t find_by_name(const std::vector<T>& all, const std::string& name) {
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const T& x) { return x.name == name; }) - all.begin());
}

// values[i] of what has the same name in both lists
template <class T, class U>
void carry(const std::vector<T>& to, std::vector<U>& values, const std::vector<T>& from,
           const std::vector<U>& old) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (const std::size_t k = find_by_name(from, to[i].name); k < from.size()) values[i] = old[k];
}

// As the model file places it.
Pose placed(const Body& body) {
  Pose pose;
  pose.position = body.placement.at + body.placement.axes * body.com;
  pose.axes = body.placement.axes;
  pose.angle = body.angle;
  pose.velocity = body.velocity.value_or(Vec3::Zero());
  pose.angular_velocity = body.angular_velocity.value_or(Vec3::Zero());
  return pose;
}

// The pose of a body whose centre of mass may have moved in it: its axes stay where they are.
Pose moved(const Pose& pose, const Body& before, const Body& now) {
  Pose out = pose;
  const Vec3 shift = pose.axes * (now.com - before.com);
  out.position += shift;
  out.velocity += pose.angular_velocity.cross(shift);
  return out;
}

std::vector<const Joint*> contacts(const Mechanism& mechanism) {
  std::vector<const Joint*> all;
  for (const Joint& joint : mechanism.joints)
    if (joint.friction) all.push_back(&joint);
  return all;
}

}  // namespace

std::vector<Pose> simulation::carried_poses(const Simulation& from, const Mechanism& mechanism) {
  const std::vector<Body>& old = from.mechanism().bodies;
  const std::vector<Pose> known = from.system().poses(from.state());
  std::vector<Pose> poses;
  for (const Body& body : mechanism.bodies) {
    const std::size_t k = find_by_name(old, body.name);
    poses.push_back(k < known.size() ? moved(known[k], old[k], body) : placed(body));
  }
  return poses;
}

State Simulation::carried_from(const Simulation& from, const std::vector<Pose>& poses) const {
  const Mechanism &now = mechanism(), &old = from.mechanism();
  const State& before = from.state();
  State s = state();
  s.t = before.t;
  carry(now.states, s.x, old.states, before.x);
  carry(now.inputs, s.inputs, old.inputs, before.inputs);
  if (now.generalized && old.generalized) {
    carry(now.generalized->coordinates, s.q, old.generalized->coordinates, before.q);
    carry(now.generalized->coordinates, s.v, old.generalized->coordinates, before.v);
  } else {
    system().place(now.bodies, poses, s);
    system().take_turns(from.system().turns(before), s);
  }
  if (const auto* work = before.recall(formulations::kWork))
    s.remember(formulations::kWork, work->size()) = *work;
  if (const auto* stops = before.recall(simulation::kStops); stops && !now.stops.empty())
    carry(now.stops, s.remember(simulation::kStops, now.stops.size()), old.stops, *stops);
  if (const auto* grips = before.recall(simulation::kGrips)) {
    const auto here = simulation::frictions_of(now), there = simulation::frictions_of(old);
    if (!here.empty()) carry(here, s.remember(simulation::kGrips, here.size()), there, *grips);
  }
  if (const auto* lost = before.recall(simulation::kContacts)) {
    const auto here = contacts(now), there = contacts(old);
    std::vector<double>& values = s.remember(simulation::kContacts, here.size());
    for (std::size_t i = 0; i < here.size(); ++i)
      for (std::size_t k = 0; k < there.size(); ++k)
        if (here[i]->name == there[k]->name) values[i] = (*lost)[k];
  }
  return s;
}

TakeOver Simulation::set_parameter(const std::string& name, double value) {
  Mechanism changed = mechanism();
  changed.set_parameter(name, value);
  Simulation next(changed, plan(), running_->executor);
  TakeOver over;
  if (assembled_) {
    over = next.take_over(*this);
    if (!over.assembly.report.accepted()) throw std::invalid_argument(explain(over.assembly, next));
  }
  running_ = std::move(next.running_);
  watch_events();
  return over;
}

TakeOver Simulation::take_over(const Simulation& from) {
  TakeOver out;
  const auto mechanical = [](const Simulation& s) { return s.energy().kinetic + s.energy().potential; };
  const double before = mechanical(from);
  const std::vector<Pose> carried = simulation::carried_poses(from, mechanism());
  const auto close_from = [&](const std::vector<Pose>& poses) {
    running_->restore(carried_from(from, poses));
    running_->state.lambda.assign(static_cast<std::size_t>(system().sizes().rows), 0.0);
    return formulations::close(system(), running_->state);
  };
  out.assembly = close_from(carried);
  if (!out.assembly.open.empty()) {
    std::vector<Pose> nearer = carried;
    if (simulation::bring_together(mechanism(), system().length_scale(), nearer))
      out.assembly = close_from(nearer);
  }
  if (!out.assembly.report.accepted()) return out;
  const std::vector<Pose> closed = system().poses(state());
  for (std::size_t b = 0; b < carried.size(); ++b) {
    out.assembly.largest_move =
        std::max(out.assembly.largest_move, (closed[b].position - carried[b].position).norm());
    out.impulse =
        std::max(out.impulse, mechanism().bodies[b].mass * (closed[b].velocity - carried[b].velocity).norm());
  }
  out.assembly = begin(std::move(out.assembly));
  if (out.assembly.report.accepted()) out.energy = mechanical(*this) - before;
  return out;
}

}  // namespace trammel
