// PlaceWriter: names for places and directions on bodies, as a model file refers to them. A place that has no
// name gets one, as an own point of its body.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "trammel/mechanism.h"

namespace trammel::model {

class PlaceWriter {
 public:
  using Json = nlohmann::ordered_json;

  explicit PlaceWriter(const Mechanism& mechanism);

  Json vector(const Vec3& x) const;  // two components in the plane
  // What is written for a place on a body: "arm.tip", or {body: ground, at: […]}.
  Json place(const Marker& marker, const std::string& stem);
  // A direction fixed in the body of a marker: "arm.n", or components for ground.
  Json direction(const Marker& marker, int axis, const std::string& stem);
  // A name that the model does not have.
  std::string free_name(const std::string& stem);

  const std::map<std::string, Vec3>& points(const std::string& body) const { return points_.at(body); }
  const std::map<std::string, Vec3>& vectors(const std::string& body) const { return vectors_.at(body); }

 private:
  static std::string own(std::map<std::string, Vec3>& all, const Vec3& value, const std::string& stem);

  const Mechanism& mechanism_;
  std::set<std::string> names_;
  std::map<std::string, std::map<std::string, Vec3>> points_, vectors_;  // by body
};

}  // namespace trammel::model
