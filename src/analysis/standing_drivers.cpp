#include "analysis/standing_drivers.h"

#include "expressions/lexer.h"

namespace trammel::analysis {
namespace {

// The expression with 0 in the place of the time.
std::string at_start(const std::string& text) {
  std::string out;
  std::size_t done = 0;
  expressions::Lexer lexer(text);
  for (expressions::Token token = lexer.next(); token.kind != expressions::TokenKind::kEnd;
       token = lexer.next()) {
    if (token.kind != expressions::TokenKind::kName || token.text != "t") continue;
    const auto at = static_cast<std::size_t>(token.text.data() - text.data());
    out += text.substr(done, at - done) + "0";
    done = at + token.text.size();
  }
  return out + text.substr(done);
}

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
