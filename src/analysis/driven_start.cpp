#include "analysis/driven_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/without_stiction.h"
#include "formulations/projection/assembly.h"
#include "trammel/run.h"

namespace trammel::analysis {
namespace {

Report refused_start(std::string message) {
  Report report;
  report.outcome = Outcome::refused;
  report.message = std::move(message);
  return report;
}

Report assembled(Simulation& simulation, double* largest_move = nullptr) {
  const AssemblyReport assembly = simulation.assemble();
  if (largest_move != nullptr) *largest_move = assembly.largest_move;
  Report report = assembly.report;
  if (!report.accepted()) report.message = explain(assembly, simulation);
  return report;
}

// Chosen in reference coordinates, in which every joint has its coordinate: so they are the same whatever the
// model's own are.
std::vector<HeldFreedom> freedoms_to_hold(const Mechanism& mechanism, const Plan& plan,
                                          const Simulation& own) {
  Plan reference = plan;
  reference.coordinates = name_of(CoordinatesKind::reference);
  const std::unique_ptr<Simulation> twin = bare_simulation(mechanism, reference);
  const Simulation& at = twin->take_over(own).assembly.report.accepted() ? *twin : own;
  return undriven_freedoms(at.system(), at.mechanism(), at.state());
}

// How far the places of a body lie from its centre of mass; 1 m where all are there.
double size_of(const Mechanism& mechanism, const Body& body) {
  double size = 0;
  const auto see = [&](const Vec3& at) { size = std::max(size, (at - body.com).norm()); };
  for (const auto& [name, at] : body.points) see(at);
  for (const Joint& joint : mechanism.joints)
    for (const Marker& marker : joint.markers)
      if (marker.body == body.name) see(marker.frame.at);
  return size > 0 ? size : 1;
}

}  // namespace

Mechanism with_masses(Mechanism mechanism) {
  double mass = 0;
  for (const Body& body : mechanism.bodies) mass = std::max(mass, body.mass);
  for (Body& body : mechanism.bodies) {
    const bool turns = body.kind == Body::Kind::rigid && body.inertia.isZero(0);
    if (body.mass > 0 && !turns) continue;
    if (!(body.mass > 0)) body.mass = mass > 0 ? mass : 1;
    if (body.kind == Body::Kind::rod) {
      const double inertia = body.mass * body.length * body.length / 12;
      body.com = Vec3(body.length / 2, 0, 0);
      body.inertia = Vec3(0, inertia, inertia).asDiagonal();
    }
    if (turns) body.inertia = body.mass * std::pow(size_of(mechanism, body), 2) * Mat3::Identity();
  }
  return mechanism;
}

std::unique_ptr<Simulation> bare_simulation(Mechanism mechanism, const Plan& given) {
  mechanism.stops.clear();
  remove_dry_friction(mechanism);
  mechanism.stop_when.clear();
  mechanism.subsystems.clear();
  // Velocities at the start are the drivers'.
  for (Body& body : mechanism.bodies) {
    body.velocity.reset();
    body.angular_velocity.reset();
  }
  for (Point& point : mechanism.points) point.velocity.reset();
  for (Joint& joint : mechanism.joints) joint.speed.reset();
  Plan plan;
  plan.coordinates = given.coordinates;
  plan.open = given.open;
  plan.duration = given.duration;
  plan.output_interval = given.output_interval;
  plan.reaction_axes = given.reaction_axes;
  mechanism.plan = plan;
  return std::make_unique<Simulation>(mechanism, plan);
}

DrivenStart driven_start(const Mechanism& mechanism, const Plan& plan, Undriven undriven,
                         bool velocity_constraints) {
  DrivenStart out;
  out.simulation = bare_simulation(mechanism, plan);
  out.report = assembled(*out.simulation, &out.largest_move);
  if (!out.report.accepted()) return out;
  const system::System& system = out.simulation->system();
  const auto of_velocities = static_cast<std::size_t>(system.sizes().holonomic);
  if (!velocity_constraints && of_velocities < system.rows().size()) {
    out.report = refused_start(
        fmt::format("'{}' constrains velocities: positions follow by integration only; use 'trammel run'",
                    system.rows()[of_velocities].name));
    return out;
  }
  const Eigen::Index freedoms = allowed_velocities(system, out.simulation->state()).cols();
  if (freedoms == 0) return out;
  if (mechanism.generalized) {
    out.report = refused_start(
        "the model has coordinates of its own, of which some are free: nothing can hold them; prescribe them "
        "by `constraints:` of time");
    return out;
  }
  const std::vector<HeldFreedom> held = freedoms_to_hold(mechanism, plan, *out.simulation);
  if (undriven == Undriven::refused) {
    std::vector<std::string> names;
    for (const HeldFreedom& one : held)
      if (std::ranges::find(names, one.freedom) == names.end()) names.push_back(one.freedom);
    out.report = refused_start(fmt::format(
        "the motion is not prescribed: nothing drives {}; add {} under `drivers:`, or hold at the start with "
        "--hold",
        fmt::join(names, ", "), freedoms == 1 ? "a driver" : fmt::format("{} drivers", freedoms)));
    return out;
  }
  if (static_cast<Eigen::Index>(held.size()) < freedoms) {
    out.report =
        refused_start(fmt::format("{} of its {} freedoms cannot be held by a coordinate; add drivers",
                                  freedoms - static_cast<Eigen::Index>(held.size()), freedoms));
    return out;
  }
  for (const HeldFreedom& one : held)
    out.held.push_back(fmt::format("{} = {:.6g} {}", one.name, one.value, one.unit));
  const Mechanism holding = with_held(mechanism, held);
  for (std::size_t k = mechanism.drivers.size(); k < holding.drivers.size(); ++k)
    out.held_drivers.push_back(holding.drivers[k].name);
  const std::vector<Pose> places = system.poses(out.simulation->state());
  const std::unique_ptr<Simulation> free = std::exchange(out.simulation, bare_simulation(holding, plan));
  if (of_velocities == system.rows().size()) {
    out.report = assembled(*out.simulation);
    return out;
  }
  // What holds all positions leaves nothing for constraints of velocities, which drivers may set in motion:
  // positions alone are closed.
  State s = out.simulation->state();
  out.simulation->system().place(out.simulation->mechanism().bodies, places, s);
  out.report = formulations::assemble_positions(out.simulation->system(), s).report;
  if (out.report.accepted()) out.simulation->restore(s);
  return out;
}

}  // namespace trammel::analysis
