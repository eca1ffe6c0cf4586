// The model whose values the fuzz target of settings sets.
#pragma once

namespace trammel::fuzz {

// Something of every section that a setting may name.
inline constexpr const char* kSettingsModel = R"(
trammel: 1
name: settings
plane: xy
gravity: [0, -9.81]
parameters: {L: 0.3 m, speed: 60 rpm}
functions: {push: {table: [[0, 0], [1, 2], [3, 1]]}}
points:
  O: {at: [0, 0], on: ground}
  A: [0.3, 0.01]
  B: [0.9, 0]
bodies:
  crank: {rod: [O, A], mass: 1 kg, length: L}
  coupler: {rod: [A, B], mass: 2 kg, length: 2*L}
  slider: {mass: 1 kg, inertia: 0.1, at: B, points: {tip: [0.1, 0]}}
joints:
  guide: {prismatic: [ground, slider], axis: [1, 0]}
  hold: {revolute: [coupler, slider], at: B}
drivers:
  motor: {angle: crank, equals: speed*t}
forces:
  spring: {spring: [O, B], stiffness: 100 N/m, length: 1 m, damping: 2}
  push: {force: [push(t), 0], at: B}
states: {integral: {derivative: guide.displacement, initial: 0}}
inputs: {u: 0}
outputs: {double: 2*guide.displacement}
simulate: {duration: 1 s, step: 1 ms}
)";

}  // namespace trammel::fuzz
