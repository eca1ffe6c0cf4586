// Joints and drivers of a model file.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"
#include "mechanism/spline_curve.h"
#include "model/writer/parts.h"

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Joint::Kind;

Json list(const Json& first, const Json& second) { return Json::array({first, second}); }

class JointWriter {
 public:
  JointWriter(const Mechanism& m, const Joint& joint, PlaceWriter& places)
      : m_(m), joint_(joint), places_(places), planar_(m.is_planar) {}

  Json write() {
    const std::string kind = mechanism::to_string(joint_.kind);
    switch (joint_.kind) {
      case Kind::pin:
        return two_bodies(mechanism::to_string(planar_ ? Kind::revolute : Kind::spherical));
      case Kind::revolute:
        if (planar_) return with_armature(two_bodies(kind));
        return with_armature(with_coordinate(with_axis(two_bodies(kind), "axis"), offset_along_z()));
      case Kind::prismatic:
        return with_armature(with_coordinate(with_axis(two_bodies(kind), "axis"), joint_.offset));
      case Kind::cylindrical:
        return with_axis(two_bodies(kind), "axis");
      case Kind::planar:
        return with_axis(two_bodies(kind), "normal");
      case Kind::universal:
      case Kind::constant_velocity:
        return with_axis(two_bodies(kind), "axes");
      case Kind::spherical:
      case Kind::fixed:
        return two_bodies(kind);
      case Kind::distance:
        return {{kind, list(place(0), place(1))}, {"length", joint_.value}};
      case Kind::point_on_line:
        return on_other("along", planar_ ? 0 : 2);
      case Kind::point_on_plane:
        return on_other("normal", 2);
      case Kind::point_on_curve:
        return on_curve();
      case Kind::gear_pair:
      case Kind::rack_pair:
      case Kind::bevel_pair:
      case Kind::worm_pair:
        return toothed_pair();
      case Kind::belt:
        return belt();
      case Kind::cam:
        return cam();
      case Kind::screw_pair: {
        Json j = with_axis(two_bodies(kind), "axis");
        j["pitch"] = joint_.value;
        return j;
      }
      case Kind::coupler:
        return {{kind, Json(joint_.of)}, {"equals", joint_.law.at(0)}};
      case Kind::gear:
      case Kind::screw:
      case Kind::rack:
        return {{kind, joint_.of.size() == 1 ? Json(joint_.of[0]) : Json(joint_.of)},
                {mechanism::about(joint_.kind).value.key, joint_.value}};
      case Kind::knife_edge:
        return edge("across", 1);
      case Kind::velocity_along:
        return edge("along", 0);
      case Kind::rolling:
      case Kind::rolling_disk:
        return rolling();
      case Kind::pursuit:
        return {{kind, list(place(0), place(1))}};
      case Kind::velocity:
        return sum();
    }
    return {};
  }

 private:
  const Marker& marker(std::size_t k) const { return joint_.markers.at(k); }
  Json place(std::size_t k) { return places_.place(marker(k), joint_.name + "_at"); }
  Json direction(std::size_t k, int axis) {
    return places_.direction(marker(k), axis, joint_.name + "_axis");
  }
  // A place, as `through:` takes it.
  Json through(std::size_t k) {
    return marker(k).body == kGround ? places_.vector(marker(k).frame.at) : place(k);
  }

  Json two_bodies(const std::string& kind) {
    return {{kind, list(marker(0).body, marker(1).body)}, {"at", list(place(0), place(1))}};
  }

  Json with_axis(Json j, const char* key) {
    const int axis = planar_ ? 0 : 2;
    j[key] = list(direction(0, axis), direction(1, axis));
    return j;
  }

  Json with_coordinate(Json j, double value) const {
    if (value != 0) j["coordinate"] = value;
    return j;
  }

  Json with_armature(Json j) const {
    if (joint_.armature != 0) j["armature"] = joint_.armature;
    return j;
  }

  // The reader turns the markers about their axes, to x axes normal to both: what the angle then must start
  // from.
  double offset_along_z() const {
    const auto world = [&](std::size_t k) -> Mat3 {
      return m_.placement(marker(k).body).axes * marker(k).frame.axes;
    };
    const Mat3 first = world(0), second = world(1);
    const Vec3 z1 = first.col(2), z2 = second.col(2);
    Vec3 x = z1.cross(z2);
    x = x.norm() > 1e-9 ? x.normalized() : Vec3(z1.unitOrthogonal());
    const auto turned = [&](const Mat3& axes) { return std::atan2(x.dot(axes.col(1)), x.dot(axes.col(0))); };
    return joint_.offset - turned(first) + turned(second);
  }

  Json on_other(const char* key, int axis) {
    Json j = {
        {mechanism::to_string(joint_.kind), place(0)}, {"through", through(1)}, {key, direction(1, axis)}};
    if (marker(1).body != kGround) j["of"] = marker(1).body;
    return j;
  }

  Json on_curve() {
    Json points = Json::array();
    for (const Vec3& p : joint_.curve.through)
      points.push_back(places_.vector(marker(1).frame.at + marker(1).frame.axes * p));
    Json j = {{mechanism::to_string(joint_.kind), place(0)}, {"through", points}};
    if (joint_.curve.closed) j["closed"] = true;
    if (marker(1).body != kGround) j["of"] = marker(1).body;
    return j;
  }

  Json toothed_pair() {
    const Joint::Teeth& teeth = joint_.teeth;
    Json j = {{mechanism::to_string(joint_.kind), list(marker(0).body, marker(1).body)},
              {"pressure-angle", teeth.pressure_angle}};
    if (joint_.kind == Kind::bevel_pair)
      j["apex"] = place(0);
    else
      j["centers"] = list(place(0), place(1));
    if (joint_.kind == Kind::rack_pair) {
      j["radius"] = teeth.radii[0];
      j["along"] = direction(1, 0);
    } else {
      j["radii"] = list(std::abs(teeth.radii[0]), std::abs(teeth.radii[1]));
    }
    const bool parallel = joint_.kind == Kind::gear_pair || joint_.kind == Kind::rack_pair;
    if (!planar_) j[parallel ? "axis" : "axes"] = list(direction(0, 2), direction(1, 2));
    if (teeth.radii[0] < 0 || teeth.radii[1] < 0) j["internal"] = true;
    if (joint_.kind == Kind::worm_pair)
      j["lead-angle"] = teeth.helix_angle;
    else if (teeth.helix_angle != 0)
      j[parallel ? "helix-angle" : "spiral-angle"] = teeth.helix_angle;
    if (teeth.flank != 0) j["flank"] = teeth.flank > 0 ? "positive" : "negative";
    return j;
  }

  // Each span is a belt of its own.
  Json belt() {
    Json j = {{mechanism::to_string(joint_.kind), list(marker(0).body, marker(1).body)},
              {"radii", list(joint_.pulleys[0], joint_.pulleys[1])},
              {"centers", list(place(0), place(1))},
              {"closed", false}};
    if (!planar_) j["axis"] = direction(0, 2);
    return j;
  }

  Json cam() {
    Json points = Json::array();
    for (const Vec3& p : joint_.curve.through)
      points.push_back(places_.vector(marker(1).frame.at + marker(1).frame.axes * p));
    Json j = {
        {mechanism::to_string(joint_.kind), marker(1).body}, {"through", points}, {"follower", place(0)}};
    const bool closed = joint_.curve.closed;
    if (!closed) j["closed"] = false;
    if (joint_.cam.face) {
      j["face"] = direction(0, 0);
    } else {
      j["radius"] = joint_.value;
      const bool left = joint_.cam.side > 0;
      // the area is positive where the inside lies to the left
      const bool inside = closed && left == (mechanism::SplineCurve(joint_.curve.through, true).area() > 0);
      if (!closed || inside) j["side"] = closed ? "inside" : left ? "left" : "right";
    }
    if (joint_.ends_run) j["when-lost"] = "stop";
    if (!joint_.keeps_contact) j["contact"] = false;
    return j;
  }

  Json edge(const char* key, int axis) {
    Json j = {{mechanism::to_string(Kind::knife_edge), marker(0).body},
              {"at", list(place(0), place(1))},
              {key, direction(0, axis)}};
    if (marker(1).body != kGround) j["on"] = marker(1).body;
    return j;
  }

  Json rolling() {
    Json j = {{mechanism::to_string(Kind::rolling), marker(0).body},
              {"radius", joint_.value},
              {"center", place(0)},
              {"through", through(1)},
              {"normal", direction(1, planar_ ? 1 : 2)}};
    if (joint_.kind == Kind::rolling_disk) j["axis"] = direction(0, 2);
    if (marker(1).body != kGround) j["on"] = marker(1).body;
    if (!joint_.keeps_contact) j["contact"] = false;
    if (joint_.friction) j["friction"] = *joint_.friction;
    if (joint_.ends_run) j["when-lost"] = "stop";
    return j;
  }

  Json sum() const {
    Json speeds = Json::object();
    for (std::size_t k = 0; k < joint_.of.size(); ++k) speeds[joint_.of[k]] = joint_.law[k];
    return {{mechanism::to_string(joint_.kind), speeds}, {"equals", joint_.law.back()}};
  }

  const Mechanism& m_;
  const Joint& joint_;
  PlaceWriter& places_;
  bool planar_;
};

}  // namespace

Json joints_json(const Mechanism& m, const CarriedPoints& carried, PlaceWriter& places) {
  Json all = Json::object();
  for (const Joint& joint : m.joints) {
    if (carried.says(joint)) continue;
    const bool taken = m.point(joint.name) != nullptr;
    // A pin of more bodies than two is one joint for each after the first.
    for (std::size_t k = 1; k < std::max<std::size_t>(joint.markers.size(), 2); ++k) {
      Joint pair = joint;
      if (joint.markers.size() > 2) pair.markers = {joint.markers[0], joint.markers[k]};
      const std::string name = taken || k > 1 ? places.free_name(joint.name + "_joint") : joint.name;
      all[name] = JointWriter(m, pair, places).write();
    }
  }
  return all;
}

Json drivers_json(const Mechanism& m, PlaceWriter& places) {
  Json all = Json::object();
  for (const Driver& driver : m.drivers) {
    const auto place = [&](std::size_t k) { return places.place(driver.markers.at(k), driver.name + "_at"); };
    Json& j = all[driver.name];
    switch (driver.kind) {
      case Driver::Kind::joint:
      case Driver::Kind::body_angle: {
        const char* key = driver.of_speed                           ? "speed"
                          : driver.kind == Driver::Kind::body_angle ? "angle"
                                                                    : "joint";
        j = {{key, driver.of}, {"equals", driver.equals.at(0)}};
        break;
      }
      case Driver::Kind::distance:
        j = {{"distance", list(place(0), place(1))}, {"equals", driver.equals.at(0)}};
        break;
      case Driver::Kind::position: {
        Json equals = Json::array();
        for (const std::string& text : driver.equals) equals.push_back(text.empty() ? "free" : text);
        j = {{"position", place(0)}, {"equals", equals}};
        break;
      }
    }
  }
  return all;
}

}  // namespace trammel::model
