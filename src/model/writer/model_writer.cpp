#include "model/writer/model_writer.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>

#include "mechanism/functions.h"
#include "mechanism/markers.h"
#include "mechanism/signals.h"
#include "model/writer/kept_expressions.h"
#include "model/writer/parts.h"
#include "model/yaml/yaml_flow.h"
#include "model/yaml/yaml_tree.h"
#include "system/system.h"
#include "trammel/run.h"

namespace trammel {
namespace {

using Json = nlohmann::ordered_json;

// Marker frames agree to this where assembly has closed them.
constexpr double kClosed = 1e-9;

// Axes as a model file gives them to a rod: x along it.
Mat3 rod_axes(const Vec3& x) {
  const Vec3 z = x.unitOrthogonal();
  Mat3 axes;
  axes << x, z.cross(x), z;
  return axes;
}

// A rod in space has no twist of its own: its axes become those of a file, and what is on it is turned back.
void turn_rod(Mechanism& mechanism, Body& rod, const Mat3& axes) {
  rod.placement.axes = rod_axes(axes.col(0));
  const Mat3 back = rod.placement.axes.transpose() * axes;
  mechanism::for_each_marker(mechanism, [&](Marker& m) {
    if (m.body != rod.name) return;
    m.frame.at = back * m.frame.at;
    m.frame.axes = back * m.frame.axes;
  });
  for (DrawnShape& one : rod.drawn)
    one.shape.place = {back * one.shape.place.at, back * one.shape.place.axes};
  for (auto& [name, at] : rod.points) at = back * at;
  for (auto& [name, n] : rod.vectors) n = back * n;
}

// A velocity that is rounding may be a spin about the rod's own axis alone, which is refused as a start.
void take_spin_away(Body& rod) {
  constexpr double kAcross = 1e-3;  // of the angular velocity; readers refuse 1e-6
  const Vec3 along = rod.placement.axes.col(0), omega = *rod.angular_velocity;
  if (!(omega.cross(along).norm() > kAcross * omega.norm())) rod.angular_velocity = Vec3(Vec3::Zero());
}

Json functions_json(const Mechanism& m) {
  Json all = Json::object();
  for (const TableFunction& f : m.functions) {
    Json list = Json::array();
    for (std::size_t k = 0; k < f.x.size(); ++k) list.push_back({f.x[k], f.y[k]});
    all[f.name] = {{f.kind == TableFunction::Kind::table ? "table" : "spline", list}};
    for (const mechanism::SplineShape& shape : mechanism::kSplineShapes)
      if (shape.kind == f.kind && f.kind != TableFunction::Kind::natural) all[f.name]["shape"] = shape.name;
    if (f.kind == TableFunction::Kind::clamped) all[f.name]["slopes"] = {f.first_slope, f.last_slope};
  }
  return all;
}

Json definitions_json(const Mechanism& m) {
  Json all = Json::object();
  for (const Definition& one : m.definitions) all[one.name] = one.text;
  return all;
}

void add_own_coordinates(const GeneralizedModel& model, Json& out) {
  Json coordinates = Json::object(), mass = Json::object(), applied = Json::object(),
       constraints = Json::object();
  for (const auto& q : model.coordinates) {
    coordinates[q.name] = {{"start", q.start}};
    if (q.rate) coordinates[q.name]["rate"] = *q.rate;
  }
  for (const auto& entry : model.mass)
    mass[entry.row == entry.column ? entry.row : entry.row + " " + entry.column] = entry.value;
  for (const auto& term : model.applied) applied[term.name] = term.value;
  for (const auto& term : model.constraints) constraints[term.name] = term.value;
  out["coordinates"] = coordinates;
  out["mass"] = mass;
  out["applied"] = applied;
  if (!model.potential.empty()) out["potential"] = model.potential;
  out["constraints"] = constraints;
}

Json initial_json(const Mechanism& m, const model::PlaceWriter& places) {
  Json all = Json::object();
  for (const Point& point : m.points)
    if (point.velocity) all[point.name]["velocity"] = places.vector(*point.velocity);
  for (const Body& body : m.bodies) {
    if (body.held_angle) all[body.name]["angle"] = *body.held_angle;
    if (body.velocity) all[body.name]["velocity"] = places.vector(*body.velocity);
    if (!body.angular_velocity) continue;
    all[body.name]["angular-velocity"] =
        m.is_planar ? Json(body.angular_velocity->z()) : places.vector(*body.angular_velocity);
  }
  for (const Joint& joint : m.joints) {
    if (joint.held) all[joint.name][mechanism::has_angle(m, joint) ? "angle" : "displacement"] = *joint.held;
    if (joint.speed) all[joint.name]["speed"] = *joint.speed;
  }
  return all;
}

Json states_json(const Mechanism& m) {
  Json all = Json::object();
  for (const AuxiliaryState& x : m.states)
    all[x.name] = {{"derivative", x.derivative}, {"initial", x.initial}};
  return all;
}

Json inputs_json(const Mechanism& m) {
  Json all = Json::object();
  for (const Input& input : m.inputs) all[input.name] = input.value;
  return all;
}

Json stops_json(const Mechanism& m) {
  Json all = Json::object();
  for (const EndStop& stop : m.stops) {
    Json& one = all[stop.name] = {{m.generalized ? "coordinate" : "joint", stop.joint}};
    if (stop.lower) one["lower"] = *stop.lower;
    if (stop.upper) one["upper"] = *stop.upper;
    one["restitution"] = stop.restitution;
  }
  return all;
}

// The plan of many runs is nothing of the mechanism: it stays as the text has it.
std::string kept_sweep(const std::string& text) {
  const model::YamlDocument document = model::parse_yaml(text);
  const model::YamlNode* section = document.root.find("sweep");
  if (section == nullptr) return {};
  model::YamlNode only, key;
  only.kind = model::YamlNode::Kind::map, key.kind = model::YamlNode::Kind::scalar;
  key.text = "sweep";
  only.children = {key, *section};
  return model::yaml_of(only);
}

}  // namespace

Json model::model_json(const Mechanism& m, Expressions expressions) {
  if (!m.constraints.empty())
    throw std::runtime_error(
        fmt::format("constraint '{}' is written in C++: a model file cannot hold it", m.constraints[0].name));
  Json all = {{"trammel", 1}};
  if (!m.name.empty()) all["name"] = m.name;
  PlaceWriter places(m);
  if (m.is_planar) all["plane"] = "xy";
  if (!m.gravity.isZero()) all["gravity"] = places.vector(m.gravity);
  all["parameters"] = m.parameters;
  all["functions"] = functions_json(m);
  all["define"] = definitions_json(m);
  if (m.generalized) {
    add_own_coordinates(*m.generalized, all);
  } else {
    // Joints and forces name the places they need, which bodies then have.
    CarriedPoints carried(m, places);
    const Json joints = joints_json(m, carried, places), drivers = drivers_json(m, places),
               forces = forces_json(m, places);
    const Json bodies = bodies_json(m, carried, places);
    all["points"] = carried.json();
    all["bodies"] = bodies;
    if (!m.ground.empty()) all["ground"] = {{"drawn", drawn_json(m.ground, m.is_planar, places)}};
    all["joints"] = joints;
    all["drivers"] = drivers;
    all["forces"] = forces;
    all["initial"] = initial_json(m, places);
  }
  all["subsystems"] = subsystems_json(m);
  all["stops"] = stops_json(m);
  all["states"] = states_json(m);
  all["inputs"] = inputs_json(m);
  all["simulate"] = simulate_json(m);
  all["outputs"] = outputs_json(m);
  const KeptExpressions kept(m);
  Json out = Json::object();
  for (const auto& [section, value] : all.items())
    if (!value.is_structured() || !value.empty())
      out[section] = expressions == Expressions::kept ? kept.restored(section, value) : value;
  return out;
}

std::string write_model(const Mechanism& m, const std::string& remark) {
  const Json sections = model::model_json(m);
  std::string out =
      "# Written by Trammel. Fields that were expressions of parameters still are, unless they were "
      "changed.\n";
  if (!remark.empty()) out += "# " + remark + "\n";
  for (const auto& [name, value] : sections.items()) {
    if (!value.is_object()) {
      out += fmt::format("{}: {}\n", name, model::yaml_flow(value));
      continue;
    }
    out += fmt::format("{}:\n", name);
    for (const auto& [key, entry] : value.items())
      out += fmt::format("  {}: {}\n", model::yaml_text(key), model::yaml_flow(entry));
  }
  return out + kept_sweep(m.text);
}

bool model::frames_are_closed(const Mechanism& mechanism) {
  for (const Joint& joint : mechanism.joints) {
    if (joint.kind != Joint::Kind::fixed && joint.kind != Joint::Kind::prismatic) continue;
    const Mat3 first = mechanism.placement(joint.markers[0].body).axes * joint.markers[0].frame.axes,
               second = mechanism.placement(joint.markers[1].body).axes * joint.markers[1].frame.axes;
    if ((first - second).cwiseAbs().maxCoeff() > kClosed) return false;
  }
  return true;
}

namespace {

Mechanism placed_and_moving_as(Mechanism out, const Simulation& simulation, bool in_motion) {
  const State& s = simulation.state();
  const std::vector<Pose> poses = simulation.system().poses(s);
  const std::vector<Vec3> points = simulation.system().point_positions(s);
  for (std::size_t k = 0; k < out.points.size(); ++k) {
    out.points[k].at = points[k];
    if (in_motion) out.points[k].velocity.reset();
    for (Marker& m : out.points[k].on)
      if (m.body == kGround) m.frame.at = points[k];
  }
  for (std::size_t b = 0; b < out.bodies.size(); ++b) {
    Body& body = out.bodies[b];
    body.angle = poses[b].angle;
    body.placement.at = poses[b].position - poses[b].axes * body.com;
    if (!out.is_planar && body.kind == Body::Kind::rod)
      turn_rod(out, body, poses[b].axes);
    else
      body.placement.axes = poses[b].axes;
    if (!in_motion) continue;
    body.held_angle.reset();
    body.velocity = poses[b].velocity;
    if (body.kind != Body::Kind::point_mass) body.angular_velocity = poses[b].angular_velocity;
    if (!out.is_planar && body.kind == Body::Kind::rod) take_spin_away(body);
  }
  for (std::size_t k = 0; in_motion && k < out.states.size(); ++k) out.states[k].initial = s.x[k];
  for (std::size_t k = 0; in_motion && k < out.inputs.size(); ++k) out.inputs[k].value = s.inputs[k];
  for (std::size_t k = 0; in_motion && k < out.joints.size(); ++k) {
    out.joints[k].held.reset();
    out.joints[k].speed.reset();
  }
  if (auto& own = out.generalized)
    for (std::size_t k = 0; k < own->coordinates.size(); ++k) {
      own->coordinates[k].start = s.q[k];
      if (in_motion) own->coordinates[k].rate = s.v[k];
    }
  return out;
}

}  // namespace

Mechanism placed_as(const Mechanism& mechanism, const Simulation& simulation) {
  return placed_and_moving_as(mechanism, simulation, false);
}

Mechanism moving_as(const Mechanism& mechanism, const Simulation& simulation) {
  // What a formulation leaves open of the constraints would be refused as a start: closed first.
  Simulation closed(simulation.mechanism(), simulation.plan());
  const AssemblyReport assembly = closed.take_over(simulation).assembly;
  if (!assembly.report.accepted()) throw std::runtime_error(explain(assembly, closed));
  Mechanism out = placed_and_moving_as(mechanism, closed, true);
  model::shift_time(out, simulation.state().t);
  return out;
}

}  // namespace trammel
