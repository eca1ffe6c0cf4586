#include "live/pulls.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace trammel::live {
namespace {

constexpr double kPull = 20, kHold = 200;  // rad/s
// ω h at most: explicit rules stay stable.
constexpr double kPerStep = 0.3;
constexpr double kShareOfAll = 0.1;
constexpr const char* kAxes = "xyz";

int dimensions(const Mechanism& model) { return model.is_planar ? 2 : 3; }

}  // namespace

void choose_stiffness(const Mechanism& model, double step, bool hold, Pull& pull) {
  double mass = model.body(pull.body)->mass, all = 0;
  for (const Body& body : model.bodies) all += body.mass;
  mass += kShareOfAll * all;
  const double omega = std::min(hold ? kHold : kPull, step > 0 ? kPerStep / step : kPull);
  pull.stiffness = mass * omega * omega;
  pull.damping = 2 * mass * omega;
}

Mechanism with_pulls(const Mechanism& model, const std::vector<Pull>& pulls) {
  Mechanism out = model;
  out.stop_when.clear();  // a person ends a live run
  for (const Pull& pull : pulls) {
    const auto body = std::find_if(out.bodies.begin(), out.bodies.end(),
                                   [&](const Body& b) { return b.name == pull.body; });
    if (body == out.bodies.end())
      throw std::invalid_argument(fmt::format("there is no body '{}'", pull.body));
    const bool is_point = body->kind == Body::Kind::point_mass;
    // Signals of the point: the body's centre of mass, or a point made for it.
    const std::string point = is_point ? pull.body : pull.body + "." + pull.key;
    if (!is_point) body->points[pull.key] = pull.at;
    AppliedForce force;
    force.at = {pull.body, {is_point ? Vec3::Zero() : pull.at, Mat3::Identity()}};
    for (int i = 0; i < dimensions(model); ++i) {
      const std::string input = fmt::format("{}_{}", pull.key, kAxes[i]);
      out.inputs.push_back({input, pull.target[i]});
      force.components.push_back(fmt::format("{:.17g}*({} - {}.{}) - {:.17g}*{}.v{}", pull.stiffness, input,
                                             point, kAxes[i], pull.damping, point, kAxes[i]));
    }
    out.forces.push_back({pull.key, force, {}});
  }
  return out;
}

std::size_t first_input(const Mechanism& model, std::size_t pull) {
  return model.inputs.size() + pull * static_cast<std::size_t>(dimensions(model));
}

}  // namespace trammel::live
