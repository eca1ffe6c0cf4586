#include "mechanism/numbers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "mechanism/force_texts.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/markers.h"
#include "mechanism/signals.h"

namespace trammel::mechanism {
namespace {

constexpr std::array<const char*, 3> kAxisNames = {"x", "y", "z"};

using Visit = std::function<void(const NumberPlace&, double&)>;

class NumberWalk {
 public:
  NumberWalk(Mechanism& mechanism, const Visit& visit) : m_(mechanism), visit_(visit) {}

  void walk() {
    vector("gravity", "m/s^2", m_.gravity);
    for (auto& [name, value] : m_.parameters) one("parameters." + name, "", value);
    for (Body& body : m_.bodies) walk_body(body);
    walk_drawn("ground", m_.ground);
    for (Point& point : m_.points) walk_point(point);
    for (Joint& joint : m_.joints) walk_joint(joint);
    for (Driver& driver : m_.drivers) markers("drivers." + driver.name, driver.markers);
    for (EndStop& stop : m_.stops) walk_stop(stop);
    for (Force& force : m_.forces)
      std::visit([&](auto& law) { walk_law("forces." + force.name, law); }, force.law);
    for (AuxiliaryState& x : m_.states) one("states." + x.name + ".initial", "", x.initial);
    for (Input& input : m_.inputs) one("inputs." + input.name + ".value", "", input.value);
    for (TableFunction& f : m_.functions)
      for (auto* list : {&f.x, &f.y})
        for (std::size_t k = 0; k < list->size(); ++k)
          one(fmt::format("functions.{}.{}.{}", f.name, list == &f.x ? "x" : "y", k), "", (*list)[k], false);
    for (TableFunction& f : m_.functions)
      if (f.kind == TableFunction::Kind::clamped) {
        one("functions." + f.name + ".slopes.0", "", f.first_slope, false);
        one("functions." + f.name + ".slopes.1", "", f.last_slope, false);
      }
    if (m_.generalized) walk_coordinates();
    one("plan.step", "s", m_.plan.step);
    one("plan.duration", "s", m_.plan.duration, false);
    one("plan.tolerance", "", m_.plan.tolerance);
  }

 private:
  void one(const std::string& path, const char* unit, double& value, bool shown = true) {
    visit_({path, unit, shown}, value);
  }
  void maybe(const std::string& path, const char* unit, std::optional<double>& value, bool shown = true) {
    if (value) one(path, unit, *value, shown);
  }
  void vector(const std::string& path, const char* unit, Vec3& value, bool shown = true) {
    for (int i = 0; i < 3; ++i)
      one(path + "." + kAxisNames[static_cast<std::size_t>(i)], unit, value[i],
          shown && !(m_.is_planar && i == 2));
  }
  void frame(const std::string& path, Frame& value, bool shown) {
    vector(path + ".at", "m", value.at, shown);
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) one(fmt::format("{}.axes.{}{}", path, r, c), "", value.axes(r, c), false);
  }
  void markers(const std::string& path, std::vector<Marker>& list) {
    for (std::size_t k = 0; k < list.size(); ++k)
      frame(fmt::format("{}.markers.{}", path, k), list[k].frame, true);
  }

  void walk_body(Body& body) {
    const std::string path = "bodies." + body.name;
    const bool rigid = body.kind == Body::Kind::rigid;
    one(path + ".mass", "kg", body.mass);
    one(path + ".length", "m", body.length, body.kind == Body::Kind::rod);
    vector(path + ".com", "m", body.com, rigid);
    for (int r = 0; r < 3; ++r)
      for (int c = r; c < 3; ++c) {
        const std::string entry =
            kAxisNames[static_cast<std::size_t>(r)] + std::string(kAxisNames[static_cast<std::size_t>(c)]);
        one(path + ".inertia." + entry, "kg.m^2", body.inertia(r, c), rigid && (!m_.is_planar || r == 2));
        body.inertia(c, r) = body.inertia(r, c);
      }
    frame(path + ".placement", body.placement, false);
    one(path + ".angle", "rad", body.angle, false);
    for (auto& [name, at] : body.points) vector(path + ".points." + name, "m", at);
    for (auto& [name, n] : body.vectors) vector(path + ".vectors." + name, "", n, false);
    if (body.rotor) {
      vector(path + ".rotor.axis", "", body.rotor->axis, false);
      one(path + ".rotor.inertia", "kg.m^2", body.rotor->inertia);
      one(path + ".rotor.speed", "rad/s", body.rotor->speed);
    }
    if (body.shape) walk_shape(path + ".shape", *body.shape);
    if (body.colour) walk_colour(path + ".colour", *body.colour);
    walk_drawn(path, body.drawn);
    maybe(path + ".held-angle", "rad", body.held_angle, false);
    if (body.velocity) vector(path + ".velocity", "m/s", *body.velocity);
    if (body.angular_velocity)
      for (int i = 0; i < 3; ++i)
        one(path + ".angular-velocity." + kAxisNames[static_cast<std::size_t>(i)], "rad/s",
            (*body.angular_velocity)[i], !m_.is_planar || i == 2);
  }

  void walk_shape(const std::string& path, Shape& shape) {
    vector(path + ".size", "m", shape.size, false);
    frame(path + ".place", shape.place, false);
    vector(path + ".scale", "", shape.scale, false);
    one(path + ".density", "kg/m^3", shape.density, false);
  }

  void walk_colour(const std::string& path, Colour& colour) {
    one(path + ".red", "", colour.red, false);
    one(path + ".green", "", colour.green, false);
    one(path + ".blue", "", colour.blue, false);
    one(path + ".opacity", "", colour.opacity, false);
  }

  void walk_drawn(const std::string& owner, std::vector<DrawnShape>& drawn) {
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      const std::string path = fmt::format("{}.drawn.{}", owner, k);
      walk_shape(path, drawn[k].shape);
      if (drawn[k].colour) walk_colour(path + ".colour", *drawn[k].colour);
    }
  }

  void walk_point(Point& point) {
    const std::string path = "points." + point.name;
    vector(path + ".at", "m", point.at, false);
    if (point.velocity) vector(path + ".velocity", "m/s", *point.velocity);
    for (std::size_t k = 0; k < point.on.size(); ++k)
      frame(fmt::format("{}.on.{}", path, k), point.on[k].frame, false);
  }

  void walk_joint(Joint& joint) {
    const std::string path = "joints." + joint.name;
    const JointValue& value = about(joint.kind).value;
    one(path + ".value", value.key == nullptr ? "m" : value.unit, joint.value, value.key != nullptr);
    one(path + ".armature", has_angle(m_, joint) ? "kg.m^2" : "kg", joint.armature, joint.armature != 0);
    one(path + ".offset", "", joint.offset, false);
    maybe(path + ".friction", "", joint.friction);
    const bool toothed = about(joint.kind).teeth;
    for (std::size_t k = 0; k < 2; ++k)
      one(fmt::format("{}.radii.{}", path, k), "m", joint.teeth.radii[k],
          toothed && std::isfinite(joint.teeth.radii[k]));
    one(path + ".pressure-angle", "rad", joint.teeth.pressure_angle, toothed);
    one(path + ".helix-angle", "rad", joint.teeth.helix_angle, toothed);
    for (std::size_t k = 0; k < 2; ++k)
      one(fmt::format("{}.pulleys.{}", path, k), "m", joint.pulleys[k], joint.kind == Joint::Kind::belt);
    maybe(path + ".held", "", joint.held, false);
    maybe(path + ".speed", has_angle(m_, joint) ? "rad/s" : "m/s", joint.speed);
    markers(path, joint.markers);
  }

  void walk_stop(EndStop& stop) {
    const std::string path = "stops." + stop.name;
    const Joint* joint = m_.joint(stop.joint);
    const char* unit = joint != nullptr && has_angle(m_, *joint) ? "rad" : "m";
    maybe(path + ".lower", unit, stop.lower);
    maybe(path + ".upper", unit, stop.upper);
    one(path + ".restitution", "", stop.restitution);
  }

  void walk_law(const std::string& path, SpringDamper& law) {
    const bool numbers = law.law.empty();
    one(path + ".stiffness", "N/m", law.stiffness, numbers);
    one(path + ".length", "m", law.length, numbers);
    one(path + ".damping", "N.s/m", law.damping, numbers);
    one(path + ".preload", "N", law.preload, numbers);
    frame(path + ".a", law.a.frame, true);
    frame(path + ".b", law.b.frame, true);
  }
  void walk_law(const std::string& path, JointSpring& law) {
    const bool numbers = law.law.empty();
    one(path + ".stiffness", "", law.stiffness, numbers);
    one(path + ".free", "", law.free, numbers);
    one(path + ".damping", "", law.damping, numbers);
    one(path + ".preload", "", law.preload, numbers);
  }
  void walk_law(const std::string& path, Tendon& law) {
    for (Tendon::Term& term : law.terms) one(path + ".tendon." + term.joint, "", term.coefficient);
    one(path + ".stiffness", "N/m", law.stiffness);
    one(path + ".length", "m", law.free);
    one(path + ".damping", "N.s/m", law.damping);
    one(path + ".preload", "N", law.preload);
  }
  void walk_law(const std::string& path, JointFriction& law) {
    one(path + ".coulomb", "", law.coulomb);
    one(path + ".viscous", "", law.viscous);
    one(path + ".transition", "", law.transition);
  }
  void walk_law(const std::string&, Motor&) {}
  void walk_law(const std::string& path, DryFriction& law) {
    one(path + ".ratio", "", law.ratio, law.joints.size() > 1);
    const bool loaded = is_loaded(law);
    one(path + ".coefficient", "", law.coefficient, loaded);
    one(path + ".static-coefficient", "", law.static_coefficient, loaded);
    one(path + ".radius", "m", law.radius, loaded && law.radius != 0);
    one(path + ".length", "m", law.length, loaded && law.length != 0);
    one(path + ".flank-angle", "rad", law.flank_angle, loaded && law.flank_angle != 0);
  }
  void walk_law(const std::string& path, AppliedForce& law) { frame(path + ".at", law.at.frame, true); }
  void walk_law(const std::string&, AppliedTorque&) {}
  void walk_law(const std::string& path, Bushing& law) {
    for (auto* matrix : {&law.stiffness, &law.damping})
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
          one(fmt::format("{}.{}.{}{}", path, matrix == &law.stiffness ? "stiffness" : "damping", r, c), "",
              (*matrix)(r, c), r == c && !(m_.is_planar && (r == 2 || r == 3 || r == 4)));
    frame(path + ".a", law.a.frame, true);
    frame(path + ".b", law.b.frame, true);
  }
  void walk_law(const std::string& path, ElasticBelt& law) {
    for (std::size_t k = 0; k < 2; ++k) one(fmt::format("{}.radii.{}", path, k), "m", law.pulleys[k]);
    frame(path + ".a", law.a.frame, true);
    frame(path + ".b", law.b.frame, true);
  }
  void walk_law(const std::string&, UserForcePtr&) {}

  void walk_coordinates() {
    for (auto& q : m_.generalized->coordinates) {
      one("coordinates." + q.name + ".start", "", q.start, false);
      maybe("coordinates." + q.name + ".rate", "", q.rate, false);
    }
  }

  Mechanism& m_;
  const Visit& visit_;
};

void set_rod_inertia(const Mechanism& mechanism, Body& rod) {
  const double inertia = rod.mass * rod.length * rod.length / 12;
  rod.com = Vec3(rod.length / 2, 0, 0);
  rod.inertia = Vec3(0, mechanism.is_planar ? 0 : inertia, inertia).asDiagonal();
}

// Everything on the rod keeps its part of the length.
void stretch_rod(Mechanism& mechanism, Body& rod, double length) {
  if (!(length > 0))
    throw std::invalid_argument(fmt::format("a rod's length must be positive, not {}", length));
  const double ratio = length / rod.length;
  for_each_marker(mechanism, [&](Marker& marker) {
    if (marker.body == rod.name) marker.frame.at.x() *= ratio;
  });
  for (auto& [name, at] : rod.points) at.x() *= ratio;
  rod.length = length;
  set_rod_inertia(mechanism, rod);
}

Body* rod_of(Mechanism& mechanism, const std::string& path, const char* field) {
  for (Body& body : mechanism.bodies)
    if (body.kind == Body::Kind::rod && path == "bodies." + body.name + "." + field) return &body;
  return nullptr;
}

[[noreturn]] void unknown_path(Mechanism& mechanism, const std::string& path) {
  std::vector<std::string> known;
  for_each_number(mechanism, [&](const NumberPlace& place, double&) {
    if (place.shown) known.push_back(place.path);
  });
  for_each_formula(mechanism, [&](const std::string& name, std::string&) { known.push_back(name); });
  const std::string nearest = expressions::nearest_name(path, known);
  throw std::invalid_argument(
      fmt::format("the model has no number at '{}'{}", path,
                  nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace

void for_each_number(Mechanism& mechanism, const Visit& visit) { NumberWalk(mechanism, visit).walk(); }

void for_each_formula(Mechanism& mechanism,
                      const std::function<void(const std::string&, std::string&)>& visit) {
  const auto list = [&](const std::string& path, std::vector<std::string>& texts) {
    for (std::size_t k = 0; k < texts.size(); ++k) visit(fmt::format("{}.{}", path, k), texts[k]);
  };
  for (Joint& joint : mechanism.joints) list("joints." + joint.name + ".law", joint.law);
  for (Driver& driver : mechanism.drivers) list("drivers." + driver.name + ".equals", driver.equals);
  for (Force& force : mechanism.forces) {
    const std::string path = "forces." + force.name;
    for_each_text(force, [&](const std::string& field, const char*, std::string& text) {
      visit(path + "." + field, text);
    });
  }
  for (AuxiliaryState& x : mechanism.states) visit("states." + x.name + ".derivative", x.derivative);
  for (Definition& one : mechanism.definitions) visit("define." + one.name, one.text);
  for (auto& [name, text] : mechanism.outputs) visit("outputs." + name, text);
}

std::optional<std::string> unit_of(Mechanism& mechanism, const std::string& path) {
  std::optional<std::string> found;
  for_each_number(mechanism, [&](const NumberPlace& place, double&) {
    if (place.shown && place.path == path) found = place.unit;
  });
  for (const FreeStart& start : free_starts(mechanism))
    if (start.path == path) found = start.unit;
  return found;
}

std::vector<FreeStart> free_starts(const Mechanism& mechanism) {
  std::vector<FreeStart> all;
  const auto vector = [&](const std::string& path, const char* unit, int first, int end) {
    for (int i = first; i < end; ++i)
      all.push_back({path + "." + kAxisNames[static_cast<std::size_t>(i)], unit});
  };
  for (const Body& body : mechanism.bodies) {
    const bool turns = body.kind != Body::Kind::point_mass;
    if (!body.velocity) vector("bodies." + body.name + ".velocity", "m/s", 0, mechanism.is_planar ? 2 : 3);
    if (!body.angular_velocity && turns)
      vector("bodies." + body.name + ".angular-velocity", "rad/s", mechanism.is_planar ? 2 : 0, 3);
  }
  for (const Joint& joint : mechanism.joints)
    if (!joint.speed && has_angle(mechanism, joint) != has_displacement(mechanism, joint))
      all.push_back({"joints." + joint.name + ".speed", has_angle(mechanism, joint) ? "rad/s" : "m/s"});
  return all;
}

bool is_start(const std::string& path) {
  const bool part = path.starts_with("bodies.") || path.starts_with("joints.") || path.starts_with("points.");
  return path.starts_with("states.") ||
         (part &&
          (path.ends_with(".speed") || path.find(".velocity.") != std::string::npos ||
           path.find(".angular-velocity.") != std::string::npos) &&
          path.find(".rotor.") == std::string::npos);
}

namespace {

// A velocity at the start that the model did not say until now.
void say_start(Mechanism& mechanism, const std::string& path) {
  for (const FreeStart& start : free_starts(mechanism)) {
    if (start.path != path) continue;
    for (Body& body : mechanism.bodies) {
      if (path.starts_with("bodies." + body.name + ".velocity.")) body.velocity = Vec3::Zero();
      if (path.starts_with("bodies." + body.name + ".angular-velocity."))
        body.angular_velocity = Vec3::Zero();
    }
    for (Joint& joint : mechanism.joints)
      if (path == "joints." + joint.name + ".speed") joint.speed = 0;
    return;
  }
}

}  // namespace

void set_value(Mechanism& mechanism, const std::string& path,
               const std::variant<double, std::string>& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    say_start(mechanism, path);
    if (Body* rod = rod_of(mechanism, path, "length")) return stretch_rod(mechanism, *rod, *number);
    bool found = false;
    for_each_number(mechanism, [&](const NumberPlace& place, double& at) {
      if (!place.shown || place.path != path) return;
      at = *number;
      found = true;
    });
    if (Body* rod = rod_of(mechanism, path, "mass")) set_rod_inertia(mechanism, *rod);
    if (found) return;
  }
  bool found = false;
  for_each_formula(mechanism, [&](const std::string& name, std::string& at) {
    if (name != path) return;
    found = true;
    at = std::holds_alternative<double>(value) ? fmt::format("{:.17g}", std::get<double>(value))
                                               : std::get<std::string>(value);
  });
  if (!found) unknown_path(mechanism, path);
}

void adopt_differences(Mechanism& mechanism, Mechanism before, Mechanism after) {
  std::map<std::string, double> old, changed;
  std::map<std::string, std::string> old_text, changed_text;
  for_each_number(before, [&](const NumberPlace& place, double& x) { old[place.path] = x; });
  for_each_formula(before, [&](const std::string& path, std::string& x) { old_text[path] = x; });
  std::size_t count = 0;
  const auto same_parts = [](bool same) {
    if (!same)
      throw std::invalid_argument(
          "this parameter changes which parts the model has; change it in the file and open it again");
  };
  for_each_number(after, [&](const NumberPlace& place, double& x) {
    ++count;
    const auto at = old.find(place.path);
    same_parts(at != old.end());
    if (at->second != x) changed[place.path] = x;
  });
  for_each_formula(after, [&](const std::string& path, std::string& x) {
    ++count;
    const auto at = old_text.find(path);
    same_parts(at != old_text.end());
    if (at->second != x) changed_text[path] = x;
  });
  same_parts(count == old.size() + old_text.size());
  for_each_number(mechanism, [&](const NumberPlace& place, double& x) {
    if (const auto at = changed.find(place.path); at != changed.end()) x = at->second;
  });
  for_each_formula(mechanism, [&](const std::string& path, std::string& x) {
    if (const auto at = changed_text.find(path); at != changed_text.end()) x = at->second;
  });
}

}  // namespace trammel::mechanism
