// Points and bodies of a model file.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "mechanism/shapes.h"
#include "mechanism/solids.h"
#include "mechanism/validate.h"
#include "model/writer/parts.h"

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;

std::size_t order(const Mechanism& m, const std::string& body) {
  const auto at =
      std::find_if(m.bodies.begin(), m.bodies.end(), [&](const Body& b) { return b.name == body; });
  return static_cast<std::size_t>(at - m.bodies.begin());  // ground last
}

// Bodies of a point are read in the order of the file, and an angle there is the first's minus the second's.
bool in_file_order(const Mechanism& m, const std::vector<Marker>& markers) {
  for (std::size_t k = 1; k < markers.size(); ++k)
    if (order(m, markers[k - 1].body) >= order(m, markers[k].body)) return false;
  return true;
}

Json inertia_json(const Body& body, bool planar) {
  const Mat3& I = body.inertia;
  if (planar) return I(2, 2);
  Json rows = Json::array();
  for (int r = 0; r < 3; ++r) rows.push_back(Json::array({I(r, 0), I(r, 1), I(r, 2)}));
  return rows;
}

// Which shape it is and its sizes.
Json sizes_json(const Shape& shape, const PlaceWriter& places) {
  Json j = {{"shape", mechanism::about(shape.kind).name}};
  const auto has = [&](const char* key) { return mechanism::about(shape.kind).has(key); };
  if (shape.kind == Shape::Kind::box) {
    j["size"] = Json::array({shape.size.x(), shape.size.y()});
    if (shape.size.z() > 0) j["size"].push_back(shape.size.z());
  }
  if (has("radii")) j["radii"] = Json::array({shape.size.x(), shape.size.y(), shape.size.z()});
  if (has("radius")) j["radius"] = shape.size.x();
  if (has("length") && shape.size.y() > 0) j["length"] = shape.size.y();
  if (shape.kind == Shape::Kind::bar) {
    const Vec3 half = 0.5 * shape.size.x() * shape.place.axes.col(0);
    j["from"] = places.vector(shape.place.at - half);
    j["to"] = places.vector(shape.place.at + half);
    j["width"] = shape.size.y();
    if (shape.size.z() > 0) j["thickness"] = shape.size.z();
  }
  if (has("file")) {
    j["file"] = shape.file;
    j["scale"] = shape.scale.isConstant(shape.scale.x(), 0) && shape.scale.x() > 0
                     ? Json(shape.scale.x())
                     : Json::array({shape.scale.x(), shape.scale.y(), shape.scale.z()});
  }
  return j;
}

// The axis of a shape that has one. In the plane an axis lies in it: one across it is what it has without.
void add_axis(const Shape& shape, bool planar, const PlaceWriter& places, Json& j) {
  const Vec3 axis = shape.place.axes.col(2);
  if (mechanism::about(shape.kind).has("axis") && !(planar && std::abs(axis.z()) > 0.5))
    j["axis"] = places.vector(axis);
}

// Of a body whose mass and inertia still are those of its shape; empty: they are not.
Json shape_json(const Body& body, bool planar, const PlaceWriter& places) {
  constexpr double kSame = 1e-12;  // rounding
  if (!body.shape) return {};
  Body filled = body;
  mechanism::fill(filled, planar);
  if (std::abs(filled.mass - body.mass) > kSame * body.mass ||
      !filled.inertia.isApprox(body.inertia, kSame) ||
      (filled.com - body.com).norm() > kSame * (body.com.norm() + body.shape->size.norm()))
    return {};
  const Shape& shape = *body.shape;
  Json j = sizes_json(shape, places);
  if (mechanism::about(shape.kind).has("center") && !shape.place.at.isZero())
    j["center"] = places.vector(shape.place.at);
  add_axis(shape, planar, places, j);
  j[shape.density > 0 ? "density" : "mass"] = shape.density > 0 ? shape.density : body.mass;
  return j;
}

Json colour_json(const Colour& c) {
  Json j = Json::array({c.red, c.green, c.blue});
  if (c.opacity != 1) j.push_back(c.opacity);
  return j;
}

Json quaternion_of(const Mat3& axes) {
  const Eigen::Quaterniond q(axes);
  return {{"quaternion", Json::array({q.w(), q.x(), q.y(), q.z()})}};
}

Json rigid_json(const Body& body, bool planar, const PlaceWriter& places) {
  Json j = shape_json(body, planar, places);
  if (j.empty()) {
    j = {{"mass", body.mass}, {"inertia", inertia_json(body, planar)}};
    if (!body.com.isZero()) j["com"] = places.vector(body.com);
  }
  j["at"] = places.vector(body.placement.at);
  if (planar) {
    j["angle"] = body.angle;
  } else if (!body.placement.axes.isIdentity(0)) {
    j["orientation"] = quaternion_of(body.placement.axes);
  }
  if (body.rotor)
    j["rotor"] = {{"axis", places.vector(body.rotor->axis)},
                  {"inertia", body.rotor->inertia},
                  {"speed", body.rotor->speed}};
  return j;
}

Json places_json(const std::map<std::string, Vec3>& all, const PlaceWriter& places) {
  Json j = Json::object();
  for (const auto& [name, at] : all) j[name] = places.vector(at);
  return j;
}

}  // namespace

Json drawn_json(const std::vector<DrawnShape>& drawn, bool planar, const PlaceWriter& places) {
  Json list = Json::array();
  for (const DrawnShape& one : drawn) {
    Json j = sizes_json(one.shape, places);
    const bool lies_in_plane =
        planar && mechanism::about(one.shape.kind).has("axis") && std::abs(one.shape.place.axes(2, 2)) < 0.5;
    if (one.shape.kind == Shape::Kind::bar) {
      if (!planar) j["axis"] = places.vector(one.shape.place.axes.col(2));
    } else {
      if (!one.shape.place.at.isZero()) j["center"] = places.vector(one.shape.place.at);
      if (lies_in_plane)
        j["axis"] = places.vector(one.shape.place.axes.col(2));
      else if (!one.shape.place.axes.isIdentity(0))
        j[planar ? "angle" : "orientation"] =
            planar ? Json(std::atan2(one.shape.place.axes(1, 0), one.shape.place.axes(0, 0)))
                   : quaternion_of(one.shape.place.axes);
    }
    if (one.colour) j["colour"] = colour_json(*one.colour);
    list.push_back(j);
  }
  return list;
}

CarriedPoints::CarriedPoints(const Mechanism& mechanism, PlaceWriter& places) {
  for (const Point& point : mechanism.points) {
    if (point.on.empty()) continue;
    const Joint* pin = mechanism.joint(point.name);
    const bool shared =
        pin != nullptr && pin->kind == Joint::Kind::pin && in_file_order(mechanism, pin->markers);
    std::vector<Marker> on = {point.on.front()};
    if (shared) {
      on = pin->markers;
      pins_.insert(point.name);
    }
    Json& j = points_[point.name] = {{"at", places.vector(point.at)}};
    for (const Marker& m : on) {
      if (m.body == kGround) {
        j = {{"at", places.vector(m.frame.at)}, {"on", kGround}};
      } else {
        carried_[m.body].push_back({point.name, m.frame.at});
      }
    }
  }
  for (const Body& body : mechanism.bodies) {
    if (body.kind == Body::Kind::rigid) continue;
    find_end(body, Vec3::Zero(), body.kind == Body::Kind::rod ? "start" : "place", places);
    if (body.kind == Body::Kind::rod) find_end(body, Vec3(body.length, 0, 0), "end", places);
  }
}

void CarriedPoints::find_end(const Body& body, const Vec3& local, const char* stem, PlaceWriter& places) {
  std::vector<Carrier>& own = carried_[body.name];
  // A point of the model, or one made for it. What is a rounding away is the same end.
  const double near = 1e-12 * std::max(body.length, 1e-300);
  const auto known = std::find_if(own.begin(), own.end(), [&](const Carrier& c) {
    return body.kind == Body::Kind::point_mass || (c.at - local).norm() <= near;
  });
  if (known != own.end()) {
    ends_[body.name].push_back(known->point);
    own.erase(known);
    return;
  }
  const std::string name = places.free_name(body.name + "_" + stem);
  points_[name] = {{"at", places.vector(body.placement.at + body.placement.axes * local)}};
  ends_[body.name].push_back(name);
}

bool CarriedPoints::says(const Joint& joint) const {
  return joint.kind == Joint::Kind::pin && pins_.contains(joint.name);
}

const std::string& CarriedPoints::end(const Body& body, bool second) const {
  return ends_.at(body.name)[second ? 1 : 0];
}

Json CarriedPoints::others(const Body& body, const PlaceWriter& places) const {
  Json j = Json::object();
  if (const auto at = carried_.find(body.name); at != carried_.end())
    for (const Carrier& c : at->second) j[c.point] = places.vector(c.at);
  return j;
}

Json CarriedPoints::json() const { return points_; }

Json bodies_json(const Mechanism& m, const CarriedPoints& carried, PlaceWriter& places) {
  Json all = Json::object();
  const std::unordered_set<std::string> connected = mechanism::connected_bodies(m);
  for (const Body& body : m.bodies) {
    Json j;
    if (body.kind == Body::Kind::rod)
      j = {{"rod", Json::array({carried.end(body, false), carried.end(body, true)})},
           {"mass", body.mass},
           {"length", body.length}};
    else if (body.kind == Body::Kind::point_mass)
      j = {{"point", carried.end(body, false)}, {"mass", body.mass}};
    else
      j = rigid_json(body, m.is_planar, places);
    if (body.kind != Body::Kind::point_mass) {
      if (const Json own = places_json(places.points(body.name), places); !own.empty()) j["points"] = own;
      if (const Json own = places_json(places.vectors(body.name), places); !own.empty()) j["vectors"] = own;
      if (const Json others = carried.others(body, places); !others.empty()) j["carries"] = others;
    }
    if (body.colour) j["colour"] = colour_json(*body.colour);
    if (!body.drawn.empty()) j["drawn"] = drawn_json(body.drawn, m.is_planar, places);
    if (body.free && !connected.contains(body.name)) j["free"] = true;
    all[body.name] = j;
  }
  return all;
}

}  // namespace trammel::model
