// Models of models/ for tests. A model that leaves its steps to the tolerance gets a fixed one here, for
// methods that need it: 1 ms, or one that suits its motion.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/source_dir.h"
#include "trammel/model.h"

namespace trammel::tests {

inline double fixed_step(const std::string& name) {
  static const std::map<std::string, double> steps = {
      {"andrews", 10e-6},
      {"belt-drive", 0.2e-3},
      {"bricard", 2e-3},
      {"cam-law", 0.5e-3},
      {"cardan-shaft", 0.5e-3},
      {"chebyshev", 2e-3},
      {"constant-velocity-shaft", 0.5e-3},
      {"controlled-pendulum", 2e-3},
      {"dc-motor", 0.5e-3},
      {"delta-robot", 2e-3},
      {"double-pendulum", 2e-3},
      {"end-stops", 2e-3},
      {"geneva-drive", 0.2e-3},
      {"gyrostat", 10e-3},
      {"heavy-top", 0.1e-3},
      {"helical-gearbox", 0.2e-3},
      {"hoeken", 2e-3},
      {"jansen", 2e-3},
      {"klann", 2e-3},
      {"pantograph", 2e-3},
      {"peaucellier", 2e-3},
      {"pendulum-clock", 2e-3},
      {"planetary-gearbox", 0.2e-3},
      {"planetary-gears", 0.1e-3},
      {"sarrus", 2e-3},
      {"scara", 2e-3},
      {"scissor-lift", 2e-3},
      {"scott-russell", 2e-3},
      {"simple-pendulum", 2e-3},
      {"six-axis-robot", 2e-3},
      {"slider-crank", 2e-3},
      {"spatial-slider-crank", 0.5e-3},
      {"stewart-platform", 2e-3},
      {"tendon-finger", 0.2e-3},
      {"three-rpr", 2e-3},
      {"toggle-press", 2e-3},
      {"torsion-clock", 2e-3},
      {"valve-train", 0.5e-3},
      {"watt", 2e-3},
      {"worm-hoist", 0.2e-3},
  };
  const auto at = steps.find(name);
  return at == steps.end() ? 1e-3 : at->second;  // s
}

// "chapter-5/8-coin" is in a folder of its own.
inline Mechanism model(const std::string& name, const std::vector<std::string>& settings = {}) {
  ModelInput input = read_model(std::string(kSourceDir) + "/models/" + name + ".yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  if (input.mechanism.plan.step == 0) input.mechanism.plan.step = fixed_step(name);
  return std::move(input.mechanism);
}

}  // namespace trammel::tests
