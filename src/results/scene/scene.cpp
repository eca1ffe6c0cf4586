#include "results/scene/scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "linalg/dense.h"
#include "mechanism/force_kinds.h"
#include "mechanism/joint_kinds.h"
#include "mechanism/signals.h"
#include "mechanism/spline_curve.h"
#include "mechanism/teeth.h"
#include "results/scene/scene_shapes.h"

namespace trammel::results {
namespace {

using Json = nlohmann::ordered_json;

Json marker_json(const Marker& m) {
  return {{"body", m.body}, {"at", vector_json(m.frame.at)}, {"q", quaternion_json(m.frame.axes)}};
}

Json markers_json(const std::vector<Marker>& markers) {
  Json list = Json::array();
  for (const Marker& m : markers) list.push_back(marker_json(m));
  return list;
}

Json body_json(const Body& body, bool planar, SceneShapes& shapes) {
  const char* kind = body.kind == Body::Kind::rod     ? "rod"
                     : body.kind == Body::Kind::rigid ? "rigid"
                                                      : "point-mass";
  const BodySize size = body_size(body, planar);
  const Mat3& I = body.inertia;
  Json points = Json::object();
  for (const auto& [name, at] : body.points) points[name] = vector_json(at);
  Json j = {
      {"name", body.name},
      {"kind", kind},
      {"mass", body.mass},
      {"com", vector_json(body.com)},
      {"inertia", {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}},
      {"length", body.length},
      {"placement", {{"at", vector_json(body.placement.at)}, {"q", quaternion_json(body.placement.axes)}}},
      {"points", points},
      {"size", {{"half", vector_json(size.half)}, {"q", quaternion_json(size.axes)}}}};
  if (body.shape) j["shape"] = shapes.shape(*body.shape);
  if (body.colour) j["colour"] = SceneShapes::colour(*body.colour);
  if (!body.drawn.empty()) j["drawn"] = shapes.drawn(body.drawn);
  return j;
}

// Half the angles of the pitch cones, rad.
Json cones_json(const Joint& joint, const Mechanism& mechanism) {
  const auto axis = [&](std::size_t k) -> Vec3 {
    const Marker& m = joint.markers.at(k);
    return mechanism.placement(m.body).axes * m.frame.axes.col(2);
  };
  const mechanism::PitchCones cones = mechanism::pitch_cones(joint.teeth, axis(0), axis(1));
  return {cones.first, cones.second};
}

Json joint_json(const Joint& joint, const Mechanism& mechanism) {
  const mechanism::JointInfo& kind = mechanism::about(joint.kind);
  Json coordinates = Json::array();
  if (mechanism::has_angle(mechanism, joint)) coordinates.push_back("angle");
  if (mechanism::has_displacement(mechanism, joint)) coordinates.push_back("displacement");
  Json j = {{"name", joint.name},
            {"kind", kind.name},
            {"drawn", kind.drawn.in(mechanism.is_planar)},
            {"coordinates", coordinates},
            {"markers", markers_json(joint.markers)},
            {"of", joint.of},
            {"value", joint.value}};
  if (joint.armature != 0) j["armature"] = joint.armature;
  if (kind.kind == Joint::Kind::coupler) j["law"] = joint.law;
  if (kind.teeth)  // of a rack: null
    j["radii"] = {joint.teeth.radii[0],
                  std::isfinite(joint.teeth.radii[1]) ? Json(joint.teeth.radii[1]) : Json(nullptr)};
  if (kind.teeth) j["helix"] = joint.teeth.helix_angle;
  if (joint.kind == Joint::Kind::bevel_pair) j["cones"] = cones_json(joint, mechanism);
  if (joint.kind == Joint::Kind::belt) j["radii"] = joint.pulleys;
  if (!joint.curve.through.empty()) {
    const mechanism::SplineCurve curve(joint.curve.through, joint.curve.closed);
    j["path"] = Json::array();  // in the second marker's axes
    for (const Vec3& p : curve.samples()) j["path"].push_back(vector_json(p));
    if (joint.kind == Joint::Kind::cam) {
      j["face"] = joint.cam.face;
      j["inside"] = curve.is_closed() && (curve.area() > 0) == (joint.cam.side > 0) && !joint.cam.face;
    }
  }
  return j;
}

Json driver_json(const Driver& driver) {
  static constexpr const char* kKindNames[] = {"joint", "angle", "distance", "position"};
  return {{"name", driver.name},
          {"kind", kKindNames[static_cast<int>(driver.kind)]},
          {"of", driver.of},
          {"of_speed", driver.of_speed},
          {"markers", markers_json(driver.markers)},
          {"equals", driver.equals}};
}

Json stop_json(const EndStop& stop) {
  const auto limit = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
  return {{"name", stop.name},
          {"joint", stop.joint},
          {"lower", limit(stop.lower)},
          {"upper", limit(stop.upper)},
          {"restitution", stop.restitution}};
}

// What each law has besides its name.
struct LawJson {
  Json operator()(const SpringDamper& s) const {
    return {{"markers", markers_json({s.a, s.b})},
            {"stiffness", s.stiffness},
            {"length", s.length},
            {"damping", s.damping},
            {"preload", s.preload},
            {"law", s.law}};
  }
  Json operator()(const JointSpring& s) const {
    return {{"markers", Json::array()},
            {"of", s.joint},
            {"stiffness", s.stiffness},
            {"free", s.free},
            {"damping", s.damping},
            {"preload", s.preload},
            {"law", s.law}};
  }
  Json operator()(const Tendon& t) const {
    Json joints = Json::array(), coefficients = Json::array();
    for (const Tendon::Term& term : t.terms) {
      joints.push_back(term.joint);
      coefficients.push_back(term.coefficient);
    }
    return {{"markers", Json::array()}, {"joints", joints}, {"coefficients", coefficients},
            {"stiffness", t.stiffness}, {"length", t.free}, {"damping", t.damping},
            {"preload", t.preload}};
  }
  Json operator()(const JointFriction& f) const {
    return {{"markers", Json::array()},
            {"of", f.joint},
            {"coulomb", f.coulomb},
            {"viscous", f.viscous},
            {"transition", f.transition}};
  }
  Json operator()(const Motor& f) const {
    return {{"markers", Json::array()}, {"of", f.joint}, {"turns", f.turns}, {"law", f.law}};
  }
  Json operator()(const DryFriction& f) const {
    return {{"markers", Json::array()},
            {"of", f.joints.at(0)},
            {"with", f.joints.size() > 1 ? f.joints[1] : ""},
            {"ratio", f.ratio},
            {"capacity", f.capacity},
            {"static", f.static_capacity},
            {"coefficient", f.coefficient},
            {"static-coefficient", f.static_coefficient},
            {"radius", f.radius},
            {"length", f.length},
            {"flank-angle", f.flank_angle}};
  }
  Json operator()(const AppliedForce& f) const {
    return {{"markers", markers_json({f.at})}, {"components", f.components}, {"body_fixed", f.body_fixed}};
  }
  Json operator()(const AppliedTorque& t) const {
    return {{"markers", Json::array()},
            {"of", t.body},
            {"components", t.components},
            {"body_fixed", t.body_fixed}};
  }
  Json operator()(const Bushing& b) const { return {{"markers", markers_json({b.a, b.b})}}; }
  Json operator()(const ElasticBelt& b) const {
    return {{"markers", markers_json({b.a, b.b})}, {"radii", b.pulleys}, {"law", b.law}};
  }
  Json operator()(const UserForcePtr& f) const {
    Json markers = Json::array();
    for (const UserPoint& p : f->points()) markers.push_back(marker_json({p.body, {p.at, Mat3::Identity()}}));
    return {{"markers", markers}};
  }
};

Json force_json(const Force& force) {
  const mechanism::ForceInfo& kind = mechanism::about(mechanism::kind_of(force));
  Json j = {{"name", force.name}, {"kind", kind.name}, {"drawn", kind.drawn}};
  j.update(std::visit(LawJson{}, force.law));
  return j;
}

template <typename T, typename Function>
Json list_json(const std::vector<T>& items, const Function& one) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(one(item));
  return list;
}

}  // namespace

BodySize body_size(const Body& body, bool planar) {
  BodySize size;
  if (!(body.mass > 0) || body.kind != Body::Kind::rigid) return size;
  if (planar) {
    // I = ½ m r²
    const double r = std::sqrt(2 * std::max(0.0, body.inertia(2, 2)) / body.mass);
    size.half = {r, r, 0};
    return size;
  }
  Vec3 moments = body.inertia.diagonal();
  if (!body.inertia.isDiagonal()) {
    const linalg::SymmetricEigen principal = linalg::symmetric_eigen(body.inertia);
    moments = principal.values;
    size.axes = principal.vectors;
    if (size.axes.determinant() < 0) size.axes.col(2) *= -1;
  }
  // I_x = m (b² + c²)/3 with half sides a, b, c, so a² = 3 (I_y + I_z − I_x)/(2 m)
  const double sum = moments.sum();
  for (int k = 0; k < 3; ++k)
    size.half[k] = std::sqrt(std::max(0.0, 1.5 * (sum - 2 * moments[k]) / body.mass));
  return size;
}

Json scene_json(const Mechanism& mechanism) {
  SceneShapes shapes(mechanism);
  const auto body = [&](const Body& b) { return body_json(b, mechanism.is_planar, shapes); };
  const auto point = [](const Point& p) -> Json {
    return {{"name", p.name}, {"at", vector_json(p.at)}, {"on", markers_json(p.on)}};
  };
  const auto joint = [&](const Joint& j) { return joint_json(j, mechanism); };
  Json coordinates = Json::array();
  if (mechanism.generalized)
    for (const auto& c : mechanism.generalized->coordinates) coordinates.push_back(c.name);
  Json scene = {{"name", mechanism.name},
                {"planar", mechanism.is_planar},
                {"gravity", vector_json(mechanism.gravity)},
                {"parameters", mechanism.parameters},
                {"bodies", list_json(mechanism.bodies, body)},
                {"points", list_json(mechanism.points, point)},
                {"joints", list_json(mechanism.joints, joint)},
                {"drivers", list_json(mechanism.drivers, driver_json)},
                {"stops", list_json(mechanism.stops, stop_json)},
                {"forces", list_json(mechanism.forces, force_json)},
                {"coordinates", coordinates},
                {"ground", {{"drawn", shapes.drawn(mechanism.ground)}}}};
  scene["meshes"] = shapes.meshes();
  scene["notes"] = shapes.notes();
  return scene;
}

}  // namespace trammel::results
