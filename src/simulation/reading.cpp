// Reading a Simulation by the names of its model.
#include "trammel/motion_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "simulation/column_value.h"
#include "simulation/modes.h"
#include "simulation/reaction_columns.h"
#include "system/system.h"
#include "trammel/simulation.h"

namespace trammel {
namespace {

constexpr const char* kCentreOfMass = "com";  // as the model file calls it

[[noreturn]] void refuse(const std::string& what, const std::string& name,
                         const std::vector<std::string>& known) {
  throw std::invalid_argument(
      fmt::format("there is no {} '{}'; {}", what, name,
                  known.empty() ? "the model has none" : expressions::name_advice(name, known)));
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T& one : all) names.push_back(one.name);
  return names;
}

template <class T>
std::size_t index_of(const std::vector<T>& all, const std::string& what, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
  if (found == all.end()) refuse(what, name, names_of(all));
  return static_cast<std::size_t>(found - all.begin());
}

std::string full_name(const system::Reading& r) {
  return r.object.empty() ? r.quantity : r.object + "." + r.quantity;
}

// A point fixed to a body, given in its axes.
PointMotion carried(const Body& body, const Pose& pose, const Vec3& at) {
  const Vec3 arm = pose.axes * (at - body.com);
  return {pose.position + arm, pose.velocity + pose.angular_velocity.cross(arm)};
}

bool is_rate(const system::Reading& r) { return r.quantity.ends_with("rate"); }

}  // namespace

void Simulation::set_input(const std::string& name, double value) {
  const std::size_t index = index_of(mechanism().inputs, "input", name);
  if (state().inputs[index] == value) return;
  const State before = state();
  set_input(index, value);
  // Forces jump here: accelerations and histories of rules start anew. Where that fails, the next step tells.
  if (!running_->start().accepted()) {
    restore(before);
    set_input(index, value);
  }
}

Pose MotionReader::pose(const std::string& body) const {
  const std::size_t index = index_of(simulation_.mechanism().bodies, "body", body);
  return simulation_.reader(state_).system().poses(state_)[index];
}

PointMotion MotionReader::point(const std::string& name) const {
  const Mechanism& m = simulation_.mechanism();
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos) {
    const Body& body = m.bodies[index_of(m.bodies, "body", name.substr(0, dot))];
    const auto own = body.points.find(name.substr(dot + 1));
    if (own != body.points.end()) return carried(body, pose(body.name), own->second);
    if (name.substr(dot + 1) == kCentreOfMass) return carried(body, pose(body.name), body.com);
    std::vector<std::string> known{fmt::format("{}.{}", body.name, kCentreOfMass)};
    for (const auto& [point, at] : body.points) known.push_back(body.name + "." + point);
    refuse("point", name, known);
  }
  const std::size_t index = index_of(m.points, "point", name);
  PointMotion motion{simulation_.reader(state_).system().point_positions(state_)[index], Vec3::Zero()};
  const std::vector<Marker>& on = m.points[index].on;
  const bool fixed = std::any_of(on.begin(), on.end(), [](const Marker& k) { return k.body == kGround; });
  if (!fixed && !on.empty())
    motion.velocity = carried(*m.body(on.front().body), pose(on.front().body), on.front().frame.at).velocity;
  return motion;
}

double MotionReader::value(const std::string& name) const {
  std::vector<std::string> known;
  const std::vector<Input>& inputs = simulation_.mechanism().inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].name == name) return state_.inputs[k];
    known.push_back(inputs[k].name);
  }
  if (const std::optional<double> value = simulation::column_value(simulation_, state_, name, known))
    return *value;
  refuse("value", name, known);
}

std::vector<std::string> MotionReader::names() const {
  std::vector<std::string> names = simulation::column_names(simulation_, state_);
  for (const Input& input : simulation_.mechanism().inputs)
    if (std::ranges::count(names, input.name) == 0) names.push_back(input.name);
  return names;
}

double MotionReader::only_reading(const std::string& joint, bool rate) const {
  std::vector<system::Reading> found;
  std::vector<std::string> known;
  for (const system::Reading& r : simulation_.reader(state_).readings(state_)) {
    if (r.object.empty() || is_rate(r) != rate) continue;
    if (r.object == joint) found.push_back(r);
    if (known.empty() || known.back() != r.object) known.push_back(r.object);
  }
  if (found.size() == 1) return found.front().value;
  if (found.empty()) refuse("joint with a coordinate", joint, known);
  throw std::invalid_argument(
      fmt::format("joint '{}' has two coordinates; ask for value(\"{}\") or value(\"{}\")", joint,
                  full_name(found[0]), full_name(found[1])));
}

double MotionReader::coordinate(const std::string& joint) const { return only_reading(joint, false); }
double MotionReader::speed(const std::string& joint) const { return only_reading(joint, true); }

JointReaction MotionReader::reaction(const std::string& name) const {
  JointReaction out;
  Report solved;
  const State exact = simulation_.reader(state_).with_reactions(state_, solved);
  out.known = solved.accepted();
  const Vec3 nothing = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  system::Terms terms = simulation_.reader(state_).system().make_terms();
  std::vector<std::string> known;
  for (const system::Wrench& w : simulation_.reader(state_).system().reactions(exact, terms)) {
    if (w.joint == name)
      out.loads.push_back({w.body, out.known ? w.force : nothing, out.known ? w.torque : nothing});
    if (known.empty() || known.back() != w.joint) known.push_back(w.joint);
  }
  bool has_effort = false;
  for (const system::Reading& r : simulation_.reader(state_).system().efforts(exact, terms)) {
    // Of models with coordinates of their own: the multiplier "lambda.NAME".
    const std::string owner = r.object.empty() ? r.quantity.substr(r.quantity.find('.') + 1) : r.object;
    if (owner == name) {
      out.effort = out.known ? r.value : std::numeric_limits<double>::quiet_NaN();
      has_effort = true;
    }
    known.push_back(owner);
  }
  if (out.loads.empty() && !has_effort) refuse("joint or driver with a reaction", name, known);
  const simulation::ReactionCheck check = simulation::check_reactions(simulation_, state_);
  out.examined = check.examined;
  for (const simulation::ReactionCheck::Entry& entry : check.entries)
    if ((entry.joint == name || entry.joint == "lambda." + name) && !entry.unique)
      out.not_unique.push_back(entry.component);
  return out;
}

Energy MotionReader::energy() const { return simulation_.reader(state_).energy(state_); }

Pose Simulation::pose(const std::string& body) const { return MotionReader(*this, state()).pose(body); }
PointMotion Simulation::point(const std::string& name) const {
  return MotionReader(*this, state()).point(name);
}
double Simulation::value(const std::string& name) const { return MotionReader(*this, state()).value(name); }
double Simulation::coordinate(const std::string& joint) const {
  return MotionReader(*this, state()).coordinate(joint);
}
double Simulation::speed(const std::string& joint) const { return MotionReader(*this, state()).speed(joint); }
JointReaction Simulation::reaction(const std::string& name) const {
  return MotionReader(*this, state()).reaction(name);
}
Energy Simulation::energy() const { return MotionReader(*this, state()).energy(); }

}  // namespace trammel
