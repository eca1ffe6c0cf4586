#include "trammel/modular_editor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>
#include <set>
#include <stdexcept>

#include "mechanism/force_texts.h"
#include "mechanism/validate.h"
#include "simulation/events.h"
#include "simulation/modular/modular.h"

namespace trammel {
namespace {

// A gap of this part of its bodies' size is closed by the stabilization without being felt.
constexpr double kSmallGap = 1e-4;

Edit refused(const std::string& why) {
  Edit edit;
  edit.report.outcome = Outcome::refused;
  edit.report.message = why;
  return edit;
}

template <class List>
bool erase_named(List& list, const std::string& name) {
  return std::erase_if(list, [&](const auto& x) { return x.name == name; }) > 0;
}

bool is_coupler(const Joint& joint) { return joint.markers.empty(); }

// Joints inside a subsystem are part of what was compiled.
std::string inside(const Mechanism& mechanism, const std::string& joint) {
  const simulation::Division division(mechanism);
  const std::vector<simulation::Connector> all = division.connectors();
  const bool between =
      std::any_of(all.begin(), all.end(), [&](const simulation::Connector& c) { return c.name == joint; });
  return between ? ""
                 : fmt::format(
                       "joint '{}' lies inside a subsystem, which is compiled as one; only what joins "
                       "subsystems comes and goes",
                       joint);
}

double kinetic_energy(const simulation::Running& running, const std::set<std::string>& bodies) {
  double sum = 0;
  const std::vector<Pose> poses = running.mode->system->poses(running.state);
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Body& body = running.mechanism.bodies[b];
    if (bodies.count(body.name) == 0) continue;
    const Vec3 w = poses[b].axes.transpose() * poses[b].angular_velocity;
    sum += 0.5 * (body.mass * poses[b].velocity.squaredNorm() + w.dot(body.inertia * w));
  }
  return sum;
}

class Editor {
 public:
  explicit Editor(simulation::Running& running)
      : running_(running), old_(running.mechanism), state_(running.state) {}

  // Makes the running mechanism `changed`; closing: joints that must fit now.
  Edit apply(const Mechanism& changed, const std::vector<std::string>& closing) {
    if (const auto issues = validate(changed); !issues.empty())
      return refused(fmt::format("{}; {}", issues.front().message, issues.front().remedy));
    Edit edit;
    std::set<std::string> staying;
    for (const Body& body : changed.bodies)
      if (old_.body(body.name) != nullptr) staying.insert(body.name);
    edit.energy_before = kinetic_energy(running_, staying);
    try {
      move_to(changed);
    } catch (const std::invalid_argument& error) {
      return refused(error.what());
    }
    edit.report = close(closing, edit.impulses);
    if (!edit.report.accepted()) {
      move_to(old_);
      running_.state = state_;
      return edit;
    }
    edit.energy_after = kinetic_energy(running_, staying);
    return edit;
  }

 private:
  void move_to(const Mechanism& mechanism) {
    const simulation::Holds holds = running_.holds();
    running_.modes.follow(mechanism, holds, running_.state);
    running_.mechanism = mechanism;
    running_.assembled.reset();
    running_.mode = &running_.modes.at(holds, {});
  }

  Report close(const std::vector<std::string>& closing, std::vector<Edit::Impulse>& impulses) {
    simulation::Modular& modular = *running_.mode->modular;
    for (const std::string& name : closing) {
      const double gap = modular.gap(running_.state, name);
      if (gap <= kSmallGap) continue;
      Report report;
      report.outcome = Outcome::refused;
      report.message = fmt::format(
          "joint '{}' does not fit the bodies as they stand: it would have to close {:.2g} of their size at "
          "once; "
          "place it where they are now (ModularEditor::here)",
          name, gap);
      return report;
    }
    Report report;
    if (!closing.empty()) report = modular.reconcile(running_.state, running_.mechanism, impulses);
    if (report.accepted()) report = modular.settle(running_.state);
    return report;
  }

  simulation::Running& running_;
  const Mechanism old_;
  const State state_;
};

// Whatever else the mechanism has that names one of these.
std::vector<std::string> users(const Mechanism& m, const std::string& name) {
  std::vector<std::string> all;
  for (const Joint& joint : m.joints)
    if (std::find(joint.of.begin(), joint.of.end(), name) != joint.of.end()) all.push_back(joint.name);
  for (const Driver& driver : m.drivers)
    if (driver.of == name) all.push_back(driver.name);
  for (const EndStop& stop : m.stops)
    if (stop.joint == name) all.push_back(stop.name);
  for (const Force& force : m.forces)
    if (mechanism::acts_on(force, name)) all.push_back(force.name);
  return all;
}

// Its bodies are then free on purpose.
void erase_joint(Mechanism& mechanism, const std::string& name) {
  for (const Marker& marker : mechanism.joint(name)->markers)
    for (Body& body : mechanism.bodies)
      if (body.name == marker.body) body.free = true;
  erase_named(mechanism.joints, name);
}

constexpr const char* kOnlyModular =
    "joints and subsystems come and go with formulation modular only; run with it";

}  // namespace

bool ModularEditor::is_modular() const { return simulation_.running_->mode->modular != nullptr; }

Edit ModularEditor::edit(const Mechanism& changed, const std::vector<std::string>& closing) {
  Edit done = Editor(*simulation_.running_).apply(changed, closing);
  simulation_.watch_events();  // they know the mechanism's joints
  return done;
}

Edit ModularEditor::add_joint(const Joint& joint) {
  if (!is_modular()) return refused(kOnlyModular);
  if (is_coupler(joint))
    return refused(
        fmt::format("'{}' couples joints by where they were at the start; only joints of bodies can be "
                    "added to a running mechanism",
                    joint.name));
  Mechanism changed = simulation_.mechanism();
  changed.joints.push_back(joint);
  if (const std::string why = inside(changed, joint.name); !why.empty()) return refused(why);
  return edit(changed, {joint.name});
}

Edit ModularEditor::remove_joint(const std::string& name) {
  if (!is_modular()) return refused(kOnlyModular);
  Mechanism changed = simulation_.mechanism();
  if (changed.joint(name) == nullptr) return refused(fmt::format("there is no joint '{}'", name));
  if (const std::string why = inside(changed, name); !why.empty()) return refused(why);
  if (const auto others = users(changed, name); !others.empty())
    return refused(
        fmt::format("{} would have nothing to act on without joint '{}'", fmt::join(others, ", "), name));
  erase_joint(changed, name);
  return edit(changed, {});
}

Edit ModularEditor::add_subsystem(const Subsystem& subsystem, const std::vector<Body>& bodies,
                                  const std::vector<Joint>& joints) {
  if (!is_modular()) return refused(kOnlyModular);
  Mechanism changed = simulation_.mechanism();
  changed.subsystems.push_back(subsystem);
  for (const Body& body : bodies) {
    changed.bodies.push_back(body);
    changed.bodies.back().free = true;
  }
  std::vector<std::string> closing;
  changed.joints.insert(changed.joints.end(), joints.begin(), joints.end());
  for (const Joint& joint : joints)
    if (inside(changed, joint.name).empty()) closing.push_back(joint.name);
  return edit(changed, closing);
}

Edit ModularEditor::remove_subsystem(const std::string& name) {
  if (!is_modular()) return refused(kOnlyModular);
  Mechanism changed = simulation_.mechanism();
  const simulation::Division division(changed);
  const auto& all = division.subsystems();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Subsystem& s) { return s.name == name; });
  if (at == all.end()) return refused(fmt::format("there is no subsystem '{}'", name));
  const auto leaves = [&](const Marker& marker) {
    return marker.body != kGround && division.home(marker.body) == static_cast<std::size_t>(at - all.begin());
  };
  const std::vector<Joint> joints = changed.joints;
  for (const Joint& joint : joints) {
    if (std::none_of(joint.markers.begin(), joint.markers.end(), leaves)) continue;
    if (const auto others = users(changed, joint.name); !others.empty())
      return refused(fmt::format("{} would have nothing to act on without joint '{}', which goes with '{}'",
                                 fmt::join(others, ", "), joint.name, name));
    erase_joint(changed, joint.name);
  }
  for (Point& point : changed.points) std::erase_if(point.on, leaves);
  std::erase_if(changed.points, [](const Point& point) { return point.on.empty(); });
  for (const std::string& body : at->bodies) erase_named(changed.bodies, body);
  erase_named(changed.subsystems, name);
  return edit(changed, {});
}

Joint ModularEditor::here(Joint joint) const {
  const std::vector<Pose> poses = simulation_.system().poses(simulation_.state());
  const auto pose_of = [&](const std::string& name) {
    for (std::size_t b = 0; b < poses.size(); ++b)
      if (const Body& body = simulation_.mechanism().bodies[b]; body.name == name)
        return Frame{poses[b].position - poses[b].axes * body.com, poses[b].axes};
    return Frame{};
  };
  const auto world = [&](const Marker& m) {
    const Frame body = pose_of(m.body);
    return Frame{body.at + body.axes * m.frame.at, body.axes * m.frame.axes};
  };
  if (joint.markers.size() < 2) return joint;
  const Frame first = world(joint.markers.front());
  if (joint.kind == Joint::Kind::distance) {
    joint.value = (world(joint.markers[1]).at - first.at).norm();
    return joint;
  }
  // The second axis of a universal joint is perpendicular to the first.
  const bool turns = joint.kind == Joint::Kind::universal;
  const Mat3 axes =
      turns ? Mat3(first.axes * Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY())) : first.axes;
  for (std::size_t k = 1; k < joint.markers.size(); ++k) {
    const Frame body = pose_of(joint.markers[k].body);
    joint.markers[k].frame = {body.axes.transpose() * (first.at - body.at), body.axes.transpose() * axes};
  }
  return joint;
}

}  // namespace trammel
