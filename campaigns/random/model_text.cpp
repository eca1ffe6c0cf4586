#include "model_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace trammel::campaigns::random {
namespace {

using JointKind = JointSpec::Kind;

std::string number(double x) { return fmt::format("{}", x); }

class Text {
 public:
  explicit Text(const Specification& spec) : spec_(spec) {}

  std::string vector(const Vector3d& v) const {
    return spec_.planar ? fmt::format("[{}, {}]", v.x(), v.y())
                        : fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z());
  }
  std::string point(int body, const Vector3d& place) const {
    return fmt::format("{{body: {}, at: {}}}", body_name(body), vector(place));
  }
  std::string body(const BodySpec& b) const {
    const Vector3d origin = b.position - b.orientation * b.com;
    if (spec_.planar)
      return fmt::format("{{mass: {}, inertia: {}, com: {}, at: {}, angle: {}, free: true}}", b.mass,
                         b.inertia(2, 2), vector(b.com), vector(origin), b.angle);
    const auto row = [&](int k) { return vector(b.inertia.row(k).transpose()); };
    const Quaterniond& q = b.orientation;
    std::string out = fmt::format(
        "{{mass: {}, inertia: [{}, {}, {}], com: {}, at: {}, orientation: {{quaternion: [{}, {}, {}, {}]}}, "
        "free: "
        "true",
        b.mass, row(0), row(1), row(2), vector(b.com), vector(origin), q.w(), q.x(), q.y(), q.z());
    if (b.rotor_inertia > 0)
      out += fmt::format(", rotor: {{axis: {}, inertia: {}, speed: {}}}", vector(b.rotor_axis),
                         b.rotor_inertia, b.rotor_speed);
    return out + "}";
  }

  std::string joint(const JointSpec& j) const {
    const std::string key = key_of(j.kind), two = fmt::format("[{}, {}]", body_name(j.a), body_name(j.b)),
                      at = vector(j.at), axis = vector(j.axis);
    switch (j.kind) {
      case JointKind::revolute:
        return spec_.planar ? fmt::format("{{{}: {}, at: {}}}", key, two, at)
                            : fmt::format("{{{}: {}, at: {}, axis: {}}}", key, two, at, axis);
      case JointKind::prismatic:
      case JointKind::cylindrical:
        return fmt::format("{{{}: {}, at: {}, axis: {}}}", key, two, at, axis);
      case JointKind::universal:
        return fmt::format("{{{}: {}, at: {}, axes: [{}, {}]}}", key, two, at, axis, vector(j.axis2));
      case JointKind::planar:
        return fmt::format("{{{}: {}, at: {}, normal: {}}}", key, two, at, axis);
      case JointKind::spherical:
      case JointKind::fixed:
        return fmt::format("{{{}: {}, at: {}}}", key, two, at);
      case JointKind::distance:
      case JointKind::pursuit:
        return fmt::format("{{{}: [{}, {}]}}", key, point(j.a, j.at), point(j.b, j.second));
      case JointKind::point_on_line:
      case JointKind::point_on_plane:
        return fmt::format("{{{}: {}, through: {}, {}: {}, of: {}}}", key, point(j.a, j.at), vector(j.second),
                           j.kind == JointKind::point_on_line ? "along" : "normal", axis, body_name(j.b));
      case JointKind::point_on_curve:
        return curve(j);
      default:
        return coupler_or_contact(j);
    }
  }

  std::string coupler_or_contact(const JointSpec& j) const {
    const std::string at = vector(j.at), axis = vector(j.axis);
    const auto of = [](int k) { return joint_name(k); };
    switch (j.kind) {
      case JointKind::gear:
        return fmt::format("{{gear: [{}, {}], ratio: {}}}", of(j.of[0]), of(j.of[1]), j.value);
      case JointKind::rack:
        return fmt::format("{{rack: [{}, {}], radius: {}}}", of(j.of[0]), of(j.of[1]), j.value);
      case JointKind::screw:
        return fmt::format("{{screw: {}, pitch: {}}}", of(j.of[0]), j.value);
      case JointKind::velocity:
        return fmt::format("{{velocity: {{{}.rate: 1, {}.rate: {}}}}}", of(j.of[0]), of(j.of[1]), j.value);
      case JointKind::knife_along:
      case JointKind::knife_across:
        return fmt::format("{{knife-edge: {}, at: {}, {}: {}, on: {}}}", body_name(j.a), at,
                           j.kind == JointKind::knife_along ? "along" : "across", axis, body_name(j.b));
      case JointKind::rolling:
      case JointKind::rolling_disk:
        return fmt::format("{{rolling: {}, radius: {}, center: {}, {}on: {}, through: {}, normal: {}}}",
                           body_name(j.a), j.value, at,
                           j.kind == JointKind::rolling ? "" : fmt::format("axis: {}, ", vector(j.axis2)),
                           body_name(j.b), vector(j.second), axis);
      default:
        return "";
    }
  }

  // Expression of a law; signals are coordinates of joints with one.
  std::string law(const LawSpec& l) const {
    std::string out = number(l.c0);
    if (l.c1 != 0) out += fmt::format(" + ({})*t", l.c1);
    if (l.amplitude != 0) out += fmt::format(" + ({})*sin({}*t + ({}))", l.amplitude, l.frequency, l.phase);
    for (const auto& s : l.signals)
      out += fmt::format(" + ({})*{}.{}", s.coefficient, joint_name(s.joint),
                         s.rate ? "rate" : coordinate(s.joint));
    return out;
  }

  std::string driver(const DriverSpec& d) const {
    const std::string key = key_of(d.kind), equals = law(d.law);
    switch (d.kind) {
      case DriverSpec::Kind::joint:
      case DriverSpec::Kind::speed:
        return fmt::format("{{{}: {}, equals: {}}}", key, joint_name(d.of), equals);
      case DriverSpec::Kind::body_angle:
        return fmt::format("{{{}: {}, equals: {}}}", key, body_name(d.of), equals);
      case DriverSpec::Kind::distance:
        return fmt::format("{{{}: [{}, {}], equals: {}}}", key, point(d.a, d.at), point(d.b, d.second),
                           equals);
      case DriverSpec::Kind::position: {
        std::vector<std::string> axes(spec_.planar ? 2 : 3, "free");
        axes[static_cast<std::size_t>(d.component)] = equals;
        return fmt::format("{{{}: {}, equals: [{}]}}", key, point(d.a, d.at), fmt::join(axes, ", "));
      }
    }
    return "";
  }

  std::string force(const ForceSpec& f) const {
    const std::string numbers =
        fmt::format("stiffness: {}, damping: {}, preload: {}", f.stiffness, f.damping, f.preload);
    switch (f.kind) {
      case ForceSpec::Kind::spring:
        return fmt::format("{{spring: [{}, {}], length: {}, {}}}", point(f.a, f.at), point(f.b, f.second),
                           f.free, numbers);
      case ForceSpec::Kind::tension:
        return fmt::format("{{spring: [{}, {}], tension: {}}}", point(f.a, f.at), point(f.b, f.second),
                           law(f.laws[0]));
      case ForceSpec::Kind::joint_spring:
        return fmt::format("{{joint-spring: {}, free: {}, {}}}", joint_name(f.joint), f.free, numbers);
      case ForceSpec::Kind::joint_law:
        return fmt::format("{{joint-spring: {}, {}: {}}}", joint_name(f.joint),
                           coordinate(f.joint) == "angle" ? "torque" : "force", law(f.laws[0]));
      case ForceSpec::Kind::friction:
        return fmt::format("{{friction: {}, coulomb: {}, viscous: {}, transition: {}}}", joint_name(f.joint),
                           f.coulomb, f.viscous, f.transition);
      case ForceSpec::Kind::bushing:
        return fmt::format("{{bushing: [{}, {}], at: {}, stiffness: {}, damping: {}}}", body_name(f.a),
                           body_name(f.b), vector(f.at), matrix(f.K), matrix(f.C));
      case ForceSpec::Kind::force:
        return fmt::format("{{force: {}, at: {}, axes: {}}}", components(f), point(f.a, f.at),
                           f.body_axes ? "body" : "world");
      case ForceSpec::Kind::torque:
        return fmt::format("{{torque: {}, on: {}, axes: {}}}", spec_.planar ? law(f.laws[2]) : components(f),
                           body_name(f.a), f.body_axes ? "body" : "world");
    }
    return "";
  }

  std::string initial(const BodySpec& b) const {
    return fmt::format("{{velocity: {}, angular-velocity: {}}}", vector(b.velocity),
                       spec_.planar ? number(b.spin.z()) : vector(b.spin));
  }

 private:
  std::string coordinate(int joint) const {
    return spec_.joints[static_cast<std::size_t>(joint)].kind == JointKind::prismatic ? "displacement"
                                                                                      : "angle";
  }
  std::string components(const ForceSpec& f) const {
    std::vector<std::string> all;
    for (int k = 0; k < (spec_.planar ? 2 : 3); ++k) all.push_back(law(f.laws[k]));
    return fmt::format("[{}]", fmt::join(all, ", "));
  }
  // The plane has x, y and the angle; a 6x6 matrix in space.
  std::string matrix(const Eigen::Matrix<double, 6, 6>& M) const {
    if (spec_.planar) return fmt::format("[{}, {}, {}]", M(0, 0), M(1, 1), M(5, 5));
    std::vector<std::string> rows;
    for (int r = 0; r < 6; ++r) {
      std::vector<double> row;
      for (int c = 0; c < 6; ++c) row.push_back(M(r, c));
      rows.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
    }
    return fmt::format("[{}]", fmt::join(rows, ", "));
  }
  // A curve's points are in the axes of its body.
  std::string curve(const JointSpec& j) const {
    std::vector<std::string> places;
    for (const Vector3d& world : j.curve) {
      Vector3d place = world;
      if (j.b >= 0) {
        const BodySpec& b = spec_.bodies[static_cast<std::size_t>(j.b)];
        place = b.orientation.conjugate() * (world - b.position) + b.com;
      }
      places.push_back(vector(place));
    }
    return fmt::format("{{point-on-curve: {}, of: {}, closed: true, through: [{}]}}", point(j.a, j.at),
                       body_name(j.b), fmt::join(places, ", "));
  }

  const Specification& spec_;
};

}  // namespace

const char* key_of(JointSpec::Kind kind) {
  constexpr const char* kNames[] = {
      "revolute", "prismatic", "cylindrical",      "universal",         "spherical",      "planar",
      "fixed",    "distance",  "point-on-line",    "point-on-plane",    "point-on-curve", "gear",
      "rack",     "screw",     "knife-edge along", "knife-edge across", "rolling",        "rolling disk",
      "pursuit",  "velocity"};
  return kNames[static_cast<int>(kind)];
}

const char* key_of(ForceSpec::Kind kind) {
  constexpr const char* kNames[] = {"spring",   "tension", "joint-spring", "joint law",
                                    "friction", "bushing", "force",        "torque"};
  return kNames[static_cast<int>(kind)];
}

const char* key_of(DriverSpec::Kind kind) {
  constexpr const char* kNames[] = {"joint", "speed", "angle", "distance", "position"};
  return kNames[static_cast<int>(kind)];
}

std::string model_text(const Specification& spec) {
  const Text text(spec);
  std::string out = fmt::format("trammel: 1\nname: random mechanism {}\n", spec.seed);
  if (spec.planar) out += "plane: xy\n";
  out += fmt::format("gravity: {}\n", text.vector(spec.gravity));
  const auto section = [&](const char* title, const auto& entries, const auto& name, const auto& write) {
    if (!entries.empty()) out += fmt::format("{}:\n", title);
    for (std::size_t i = 0; i < entries.size(); ++i)
      out += fmt::format("  {}: {}\n", name(i), write(entries[i]));
  };
  section(
      "bodies", spec.bodies, [](std::size_t i) { return body_name(static_cast<int>(i)); },
      [&](const BodySpec& b) { return text.body(b); });
  section(
      "joints", spec.joints, [](std::size_t i) { return joint_name(static_cast<int>(i)); },
      [&](const JointSpec& j) { return text.joint(j); });
  section(
      "drivers", spec.drivers, [](std::size_t i) { return driver_name(i); },
      [&](const DriverSpec& d) { return text.driver(d); });
  section(
      "forces", spec.forces, [](std::size_t i) { return fmt::format("f{}", i); },
      [&](const ForceSpec& f) { return text.force(f); });
  std::string given;
  for (std::size_t b = 0; b < spec.bodies.size(); ++b)
    if (spec.bodies[b].given)
      given += fmt::format("  {}: {}\n", body_name(static_cast<int>(b)), text.initial(spec.bodies[b]));
  if (!given.empty()) out += "initial:\n" + given;
  out += fmt::format("simulate: {{duration: {}}}\noutputs: {{interval: {}}}\n", spec.duration,
                     spec.duration / spec.rows);
  return out;
}

}  // namespace trammel::campaigns::random
