#include "model/writer/places.h"

#include <fmt/format.h>

namespace trammel::model {

PlaceWriter::PlaceWriter(const Mechanism& mechanism) : mechanism_(mechanism) {
  const auto take = [&](const auto& list) {
    for (const auto& one : list) names_.insert(one.name);
  };
  for (const auto& [name, value] : mechanism.parameters) names_.insert(name);
  take(mechanism.functions);
  take(mechanism.points);
  take(mechanism.bodies);
  take(mechanism.joints);
  take(mechanism.drivers);
  take(mechanism.stops);
  take(mechanism.forces);
  take(mechanism.states);
  take(mechanism.inputs);
  for (const auto& [name, text] : mechanism.outputs) names_.insert(name);
  for (const Body& body : mechanism.bodies) {
    points_[body.name] = body.points;
    vectors_[body.name] = body.vectors;
  }
}

std::string PlaceWriter::free_name(const std::string& stem) {
  std::string name = stem;
  for (int k = 2; !names_.insert(name).second; ++k) name = fmt::format("{}_{}", stem, k);
  return name;
}

PlaceWriter::Json PlaceWriter::vector(const Vec3& x) const {
  if (mechanism_.is_planar) return {x.x(), x.y()};
  return {x.x(), x.y(), x.z()};
}

// The name of a value that is there already, or a new one. Reading turns it into other axes and back, which
// costs some last digits: without an allowance for them each writing would add names.
std::string PlaceWriter::own(std::map<std::string, Vec3>& all, const Vec3& value, const std::string& stem) {
  constexpr double kRounding = 4e-15;
  for (const auto& [name, known] : all)
    if ((known - value).norm() <= kRounding * value.norm()) return name;
  std::string name = stem;
  for (int k = 2; !all.emplace(name, value).second; ++k) name = fmt::format("{}_{}", stem, k);
  return name;
}

PlaceWriter::Json PlaceWriter::place(const Marker& marker, const std::string& stem) {
  const Body* body = mechanism_.body(marker.body);
  if (body == nullptr) return {{"body", kGround}, {"at", vector(marker.frame.at)}};
  if (body->kind == Body::Kind::point_mass || marker.frame.at == body->com) return body->name + ".com";
  return body->name + "." + own(points_[body->name], marker.frame.at, stem);
}

PlaceWriter::Json PlaceWriter::direction(const Marker& marker, int axis, const std::string& stem) {
  const Vec3 local = marker.frame.axes.col(axis);
  const Body* body = mechanism_.body(marker.body);
  if (body == nullptr) return vector(local);
  return body->name + "." + own(vectors_[body->name], local, stem);
}

}  // namespace trammel::model
