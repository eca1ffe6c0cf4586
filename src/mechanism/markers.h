// Every marker of a Mechanism: what is fixed to a body.
#pragma once

#include <functional>

#include "trammel/mechanism.h"

namespace trammel::mechanism {

inline void for_each_marker(Mechanism& mechanism, const std::function<void(Marker&)>& visit) {
  for (Point& point : mechanism.points)
    for (Marker& m : point.on) visit(m);
  for (Joint& joint : mechanism.joints)
    for (Marker& m : joint.markers) visit(m);
  for (Driver& driver : mechanism.drivers)
    for (Marker& m : driver.markers) visit(m);
  for (Force& force : mechanism.forces) {
    if (auto* law = std::get_if<SpringDamper>(&force.law)) visit(law->a), visit(law->b);
    if (auto* law = std::get_if<Bushing>(&force.law)) visit(law->a), visit(law->b);
    if (auto* law = std::get_if<ElasticBelt>(&force.law)) visit(law->a), visit(law->b);
    if (auto* law = std::get_if<AppliedForce>(&force.law)) visit(law->at);
  }
}

}  // namespace trammel::mechanism
