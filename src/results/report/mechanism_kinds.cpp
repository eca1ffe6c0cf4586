#include "results/report/mechanism_kinds.h"

#include <stdexcept>

#include "trammel/model.h"

namespace trammel::results {
namespace {

struct Text {
  const char *name, *meaning, *model;
};

constexpr Text kKinds[] = {
    {"open chain", "planar, without loops", R"yaml(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0], B: [1, -1]}
bodies: {upper: {rod: [O, A], mass: 1}, lower: {rod: [A, B], mass: 1}}
)yaml"},
    {"loop", "planar, with a closed loop", R"yaml(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0, 1], B: [2, 2], C: {at: [2, 0], on: ground}}
bodies: {crank: {rod: [O, A], mass: 1}, coupler: {rod: [A, B], mass: 1}, rocker: {rod: [C, B], mass: 1}}
)yaml"},
    {"spatial", "in space, with revolute and spherical joints", R"yaml(
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.01, 0.1, 0.1], com: [0.5, 0, 0], points: {end: [1, 0, 0]}}
  bob: {mass: 1, inertia: [0.1, 0.1, 0.01], at: [1, 0, 0], com: [0, 0, -0.5]}
joints:
  hinge: {revolute: [arm, ground], at: [0, 0, 0], axis: [0, 1, 0]}
  ball: {spherical: [bob, arm], at: arm.end}
)yaml"},
    {"driven", "a driver leaves no freedom", R"yaml(
plane: xy
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {crank: {rod: [O, A], mass: 1}}
drivers: {motor: {angle: crank, equals: t}}
)yaml"},
    {"redundant", "constraints that depend on each other", R"yaml(
plane: xy
gravity: [0, -9.81]
points:
  "A{i}": {for: {i: 0..2}, at: [i, 0], on: ground}
  "B{i}": {for: {i: 0..2}, at: [i, 1]}
bodies:
  "crank{i}": {for: {i: 0..2}, rod: ["A{i}", "B{i}"], mass: 1}
  coupler: {mass: 1, inertia: 1, com: [1, 0], at: B0, carries: [B0, B1, B2]}
)yaml"},
    {"rolling", "constraints of velocities", R"yaml(
plane: xy
gravity: [1, 0]
bodies: {skater: {mass: 1, inertia: 1, vectors: {blade: [1, 0]}}}
joints: {ice: {knife-edge: skater, at: skater.com, along: skater.blade}}
initial: {skater: {angular-velocity: 1}}
)yaml"},
    {"massless", "a part without inertia, so that M is singular", R"yaml(
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [0, 1], B: [1.5, 0]}
bodies: {crank: {rod: [O, A], mass: 1}, link: {rod: [A, B], mass: 0}}
joints: {guide: {point-on-line: B, through: O, along: [1, 0]}}
)yaml"},
    {"one's own", "coordinates of one's own, with their equations", R"yaml(
coordinates: {x: 1, y: 0}
mass: {x: 1, y: 1}
potential: 9.81*y
constraints: {rod: (x^2 + y^2 - 1)/2}
)yaml"},
};

}  // namespace

std::vector<MechanismKind> mechanism_kinds() {
  std::vector<MechanismKind> kinds;
  for (const Text& kind : kKinds) {
    ModelInput input = read_model_text(std::string("trammel: 1\n") + kind.model, kind.name);
    if (!input.errors.empty()) throw std::logic_error(to_string(input.errors.front()));
    kinds.push_back({kind.name, kind.meaning, std::move(input.mechanism)});
  }
  return kinds;
}

}  // namespace trammel::results
