#include "analysis/standing_drivers.h"

#include "expressions/lexer.h"

namespace trammel::analysis {
namespace {

std::string at_start(const std::string& text) { return expressions::with_time(text, "0"); }

}  // namespace

Mechanism with_drivers_standing(Mechanism mechanism) {
  for (Driver& driver : mechanism.drivers)
    for (std::string& text : driver.equals) text = driver.of_speed ? "0" : at_start(text);
  for (Definition& definition : mechanism.definitions) definition.text = at_start(definition.text);
  for (Joint& joint : mechanism.joints) {
    if (joint.kind == Joint::Kind::velocity && !joint.law.empty()) joint.law.back() = "0";
    joint.speed.reset();
  }
  for (Body& body : mechanism.bodies) {
    body.velocity.reset();
    body.angular_velocity.reset();
  }
  for (Point& point : mechanism.points) point.velocity.reset();
  return mechanism;
}

}  // namespace trammel::analysis
