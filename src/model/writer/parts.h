// The sections of a model file, each as JSON to be written in YAML's flow style.
#pragma once

#include <nlohmann/json.hpp>

#include "model/writer/places.h"
#include "trammel/mechanism.h"

namespace trammel::model {

// Which body carries which named point in the file. A point that bodies share is a joint there, so only the
// bodies of its pin carry it; ends of rods that are left get points of their own.
class CarriedPoints {
 public:
  CarriedPoints(const Mechanism& mechanism, PlaceWriter& places);

  // Whether the file's points already say this joint.
  bool says(const Joint& joint) const;
  // The point at the first or second end of a rod, or of a point mass.
  const std::string& end(const Body& body, bool second) const;
  // Other points that the body carries: names to places in body axes.
  nlohmann::ordered_json others(const Body& body, const PlaceWriter& places) const;
  nlohmann::ordered_json json() const;

 private:
  struct Carrier {
    std::string point;
    Vec3 at;
  };
  void find_end(const Body& body, const Vec3& local, const char* stem, PlaceWriter& places);

  nlohmann::ordered_json points_ = nlohmann::ordered_json::object();
  std::map<std::string, std::vector<Carrier>> carried_;   // by body
  std::map<std::string, std::vector<std::string>> ends_;  // by body
  std::set<std::string> pins_;                            // joints that points say
};

// t + by for t in every formula.
void shift_time(Mechanism& mechanism, double by);

nlohmann::ordered_json bodies_json(const Mechanism&, const CarriedPoints&, PlaceWriter&);
nlohmann::ordered_json drawn_json(const std::vector<DrawnShape>&, bool planar, const PlaceWriter&);
nlohmann::ordered_json joints_json(const Mechanism&, const CarriedPoints&, PlaceWriter&);
nlohmann::ordered_json drivers_json(const Mechanism&, PlaceWriter&);
nlohmann::ordered_json forces_json(const Mechanism&, PlaceWriter&);
nlohmann::ordered_json subsystems_json(const Mechanism&);
nlohmann::ordered_json simulate_json(const Mechanism&);
nlohmann::ordered_json outputs_json(const Mechanism&);

}  // namespace trammel::model
