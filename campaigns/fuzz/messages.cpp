#include "messages.h"

#include <sstream>

#include "trammel/model.h"

namespace trammel::fuzz {

const char* const kEditedModel = R"(
trammel: 1
name: edited
plane: xy
gravity: [0, -9.81]
parameters: {L: 1, m: 1 kg}
points:
  O: {at: [0, 0], on: ground}
  A: [L, 0]
  B: [2*L, 0]
bodies:
  inner: {rod: [O, A], mass: m, length: L}
  outer: {rod: [A, B], mass: m, length: L}
  wheel: {mass: 2, inertia: 0.5, at: [0, -2], points: {rim: [0.3, 0]}}
joints:
  axle: {revolute: [ground, wheel], at: [0, -2]}
drivers:
  motor: {joint: axle, equals: 2*t}
forces:
  spring: {spring: [O, B], stiffness: 50, length: 1}
  push: {force: [u, 0], at: B}
stops:
  limit: {joint: A, lower: -2, upper: 2, restitution: 0.5}
inputs: {u: 0}
simulate: {duration: 1, step: 5 ms}
)";

const live::LiveSource& edited_model() {
  static const live::LiveSource source = [] {
    live::LiveSource out{"edited.yaml", kEditedModel, {}};
    out.read = std::make_shared<const Mechanism>(read_model_text(out.text, out.path).value());
    return out;
  }();
  return source;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  const std::size_t most = is_drawn(text, 4) ? kMaxMessages : kFewMessages;
  for (std::string line; lines.size() < most && std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_short(const live::Json& message) {
  constexpr double kMaxSteps = kMakesInputs ? 8 : 20;
  if (!message.is_object()) return true;
  for (const char* key : {"count", "step"})
    if (message.contains(key) && message[key].is_number() && message[key].get<double>() > kMaxSteps)
      return false;
  // A tolerance that rounding cannot meet takes its time.
  return !message.contains("tolerance") || !message["tolerance"].is_number() ||
         !(message["tolerance"].get<double>() < 1e-6);
}

}  // namespace trammel::fuzz
