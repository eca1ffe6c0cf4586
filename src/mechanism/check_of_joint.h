// CheckOfJoint: what checks of one joint have in common.
#pragma once

#include <string>
#include <utility>

#include "mechanism/validate_parts.h"

namespace trammel::mechanism {

class CheckOfJoint {
 public:
  CheckOfJoint(const Mechanism& mechanism, const MechanismIndex& index, const Joint& joint, Issues& issues)
      : mechanism_(mechanism), index_(index), joint_(joint), issues_(issues) {}

 protected:
  // Where the file places a marker.
  Frame world(const Marker& m) const {
    const Frame place = mechanism_.placement(m.body);
    return {place.at + place.axes * m.frame.at, place.axes * m.frame.axes};
  }

  void add(const std::string& field, std::string message, std::string remedy) {
    issues_.push_back({joint_.where, field, std::move(message), std::move(remedy)});
  }

  const Mechanism& mechanism_;
  const MechanismIndex& index_;
  const Joint& joint_;

 private:
  Issues& issues_;
};

}  // namespace trammel::mechanism
